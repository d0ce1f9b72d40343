import Pipeline
import Stages

/// The values of one canonical message by key, before they become a payload.
///
/// A property is valid only if `present` contains its key; otherwise, it can still have the value of an earlier message. One
/// instance is reused for all messages of a decoder, so that reading allocates only memory that the payload keeps.
// Most methods are mutating even if they only read: a nonmutating method would get a copy of the structure, which is large.
public struct WireMessage: Sendable {
    // The envelope.
    var version: Int64 = 1
    var kind = ""
    var stream = ""
    var sequence: Int64 = 0
    var time: Int64 = 0
    var receivedAt: Int64 = 0
    var clock = ""
    var file: String?
    var line: Int64?
    var isEnd = false
    var restarts = false
    var isQuiet = false

    // The values of payloads.
    var fields = WireFields()
    var numbers: [Double] = []
    var counts: [Double] = []
    var start: Int64 = 0
    var end: Int64 = 0
    var label = ""
    var subjectName = ""
    var subject: Subject?
    var phase = ""
    var stroke: Int64 = 0
    var topology = ""
    var space = ""
    var confidences: [Double] = []
    var world: [Double] = []
    var handedness = ""
    var handednessScore = 0.0
    var score = 0.0
    var presence = 0.0
    var track: Int64 = 0
    var doubt = ""
    var hands: [Landmarks] = []
    var results: [HandResults.Hand] = []
    var categories: [Recognition.Category] = []
    var margin = 0.0
    var confidence = 0.0
    var matcher = ""
    var values: [Double] = []
    var bits: UInt64 = 0
    var strips = NumberRuns()
    var mesh = NumberRuns()

    /// The keys that the message has.
    var present: WireKeys = []

    /// The values of the fields that the payload declares.
    var declared: DeclaredFields

    /// The unknown keys with their values.
    var unknown: [Origin.Unknown] = []

    /// The byte offset of each key's value.
    private var places = [Int](repeating: 0, count: WireKey.allCases.count)

    // A copy of the global table. Access to a global is a function call, and the table is needed for each key of a message.
    private let names = WireKey.table

    private let landmarkKeys = Landmarks.wireKeys

    /// The message into which nested objects are read. The array is empty until a message has a nested object.
    private var inner: [WireMessage] = []

    /// Create the samples and positions of payloads.
    var (reusedSamples, reusedPoints) = (ReusedArrays(Sample(x: 0, y: 0)), ReusedArrays(Landmarks.Point(x: 0, y: 0)))

    /// What the configuration and the preset declare about the landmarks.
    let traits: LandmarkTraits

    /// Creates an empty message.
    ///
    /// - Parameters:
    ///   - traits: What the configuration and the preset declare about the landmarks.
    ///   - declared: The fields that the payload declares.
    package init(traits: LandmarkTraits = LandmarkTraits(), declared: [FieldDescription] = []) {
        self.traits = traits
        self.declared = DeclaredFields(declared)
    }

    /// Returns `value` if the message has the key, and otherwise `nil`.
    func value<T>(_ key: WireKey, _ value: @autoclosure () -> T) -> T? {
        present.contains(key) ? value() : nil
    }

    /// Removes the values of the last message.
    mutating func forget() {
        present = []
        declared.forget()
        if !unknown.isEmpty { unknown = [] }
    }

    /// Throws a frame error (`decode.missing`) if the message does not have a key.
    mutating func require(_ key: WireKey) throws(PipelineError) {
        guard present.contains(key) else { throw .frame("decode.missing", "the key \"\(key.name)\" is missing") }
    }

    /// Returns an error about the value of a key, located by byte.
    func wrong(_ key: WireKey, _ code: String, _ message: String) -> PipelineError {
        .frame(code, "\"\(key.name)\": \(message)", location: "byte \(places[Int(key.rawValue)])")
    }

    /// Reads the current value, which must be an object, replacing the previous values.
    ///
    /// - Parameters:
    ///   - document: The reader of the document.
    ///   - keys: The keys to read. Other keys are unknown unless the payload declares them.
    ///   - keepsUnknown: Whether to read the keys that the payload declares, and to keep unknown keys with their values.
    mutating func read<Reader: DocumentReader>(
        _ document: Reader, keys: WireKeys, keepsUnknown: Bool = true
    ) throws(PipelineError) {
        forget()
        try document.enterObject()
        while let field = try document.nextField() {
            guard let key = names.key(field.key), keys.contains(key) else {
                guard keepsUnknown else { continue }
                if let index = declared.index(of: field.key) {
                    try declared.read(index, document)
                    continue
                }
                let name = String(decoding: field.key, as: UTF8.self)
                unknown.append(.init(key: name, json: try document.rawValue()))
                continue
            }
            places[Int(key.rawValue)] = field.place
            let type: DocumentType
            if let known = field.type { type = known } else { type = try document.type() }
            if type == .null { continue }
            do {
                try read(key, type, document, keys)
            } catch {
                throw error.naming(key.name)
            }
            present.insert(key)
        }
    }

    private mutating func read<Reader: DocumentReader>(
        _ key: WireKey, _ type: DocumentType, _ document: Reader, _ keys: WireKeys
    ) throws(PipelineError) {
        switch key {
        case .v: version = try document.integer()
        case .kind: try document.string(into: &kind)
        case .stream: try document.string(into: &stream)
        case .seq: sequence = try document.integer()
        case .tUs: time = try document.integer()
        case .recvUs: receivedAt = try document.integer()
        case .clock: try document.string(into: &clock)
        case .file:
            file = type == .string ? try document.string() : nil
            if file == nil { unknown.append(.init(key: key.name, json: try document.rawValue())) }
        case .line:
            let json = try document.rawValue()
            line = Int64(json).flatMap { (1...Timestamp.max.rawValue).contains($0) ? $0 : nil }
            if line == nil { unknown.append(.init(key: key.name, json: json)) }
        case .end: isEnd = try document.boolean()
        case .restarts: restarts = try document.boolean()
        case .quiet: isQuiet = try document.boolean()
        case .fields:
            let place = document.offset
            if let wrong = fields.set(try document.stringBytes()) {
                throw .frame("decode.fields", wrong, location: "byte \(place)")
            }
        case .pts: try document.numbers(into: &numbers)
        case .startUs: start = try document.integer()
        case .endUs: end = try document.integer()
        case .counts: try document.numbers(into: &counts)
        case .label: try document.string(into: &label)
        case .subject:
            if type == .object {
                subject = try readSubject(document)
                subjectName = ""
            } else {
                subjectName = try document.string()
                subject = nil
            }
        case .phase: try document.string(into: &phase)
        case .stroke: stroke = try document.integer()
        case .topology: try document.string(into: &topology)
        case .space: try document.string(into: &space)
        case .conf: try document.numbers(into: &confidences)
        case .world: try document.numbers(into: &world)
        case .handedness: try document.string(into: &handedness)
        case .handednessScore: handednessScore = try document.number()
        case .score: score = try document.number()
        case .presence: presence = try document.number()
        case .track: track = try document.integer()
        case .doubt: try document.string(into: &doubt)
        case .hands: try readHands(document, withCategories: keys.contains(.categories))
        case .categories: try readCategories(document)
        case .margin: margin = try document.number()
        case .confidence: confidence = try document.number()
        case .matcher: try document.string(into: &matcher)
        case .values: try document.numbers(into: &values)
        case .bits:
            let place = document.offset
            guard let read = UInt64(hexadecimal: try document.stringBytes()) else {
                throw .frame("decode.bits", "expected 16 hexadecimal digits", location: "byte \(place)")
            }
            bits = read
        case .strips: try strips.read(document)
        case .mesh: try mesh.read(document)
        case .node, .code, .message, .location, .frame: break
        }
    }

    /// Reads a list of hands into ``hands``, or a list of hands with their recognized gestures into ``results``.
    private mutating func readHands<Reader: DocumentReader>(_ document: Reader, withCategories: Bool)
        throws(PipelineError)
    {
        let usual = hands.count
        hands = []
        hands.reserveCapacity(usual)
        results = []
        let keys = withCategories ? landmarkKeys.union(WireKeys(.categories)) : landmarkKeys
        if inner.isEmpty { inner = [WireMessage(traits: traits)] }
        try document.enterArray()
        while try document.nextElement() {
            try inner[0].read(document, keys: keys, keepsUnknown: false)
            guard withCategories else {
                hands.append(try Landmarks._read(&inner[0]))
                continue
            }
            let gestures = inner[0].value(.categories, inner[0].categories) ?? []
            results.append(.init(landmarks: try Landmarks._read(&inner[0]), gestures: gestures))
        }
    }

    private mutating func readSubject<Reader: DocumentReader>(_ document: Reader) throws(PipelineError) -> Subject {
        if inner.isEmpty { inner = [WireMessage(traits: traits)] }
        let place = document.offset
        let keys = WireKeys(.kind).union(Stroke.wireKeys).union(landmarkKeys)
        try inner[0].read(document, keys: keys, keepsUnknown: false)
        switch inner[0].value(.kind, inner[0].kind) {
        case Stroke.kind.rawValue: return .stroke(try Stroke._read(&inner[0]))
        case Landmarks.kind.rawValue: return .landmarks(try Landmarks._read(&inner[0]))
        case let kind:
            throw .frame(
                "decode.subject", "expected kind \"stroke\" or \"landmarks\", found \(quote(kind))",
                location: "byte \(place)")
        }
    }

    private mutating func readCategories<Reader: DocumentReader>(_ document: Reader) throws(PipelineError) {
        categories = []
        try document.enterArray()
        while try document.nextElement() {
            var name: String?
            var displayName: String?
            var index: Int64?
            var score: Double?
            let place = document.offset
            try document.enterObject()
            while let field = try document.nextField() {
                switch String(decoding: field.key, as: UTF8.self) {
                case "name": name = try document.string()
                case "display_name": displayName = try document.string()
                case "index": index = try document.integer()
                case "score": score = try document.number()
                default: break
                }
            }
            guard let name, let score else {
                throw .frame("decode.missing", "a category needs \"name\" and \"score\"", location: "byte \(place)")
            }
            categories.append(.init(name: name, displayName: displayName, index: Int(index ?? -1), score: score))
        }
    }
}

/// Returns a text in quotes, or `nothing` for `nil`.
func quote(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "nothing" }
