import Pipeline

/// What one message said, key by key, before it becomes a payload.
///
/// It is kept from one message to the next, so that reading allocates only what the payload keeps.
package struct WireMessage: Sendable {
    // The envelope.
    var version: Int64 = 1
    var kind = ""
    var stream = ""
    var sequence: Int64 = 0
    var time: Int64 = 0
    var receivedAt: Int64 = 0
    var clock = ""
    var isEnd = false

    // What payloads are made of.
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
    var matcher = ""
    var values: [Double] = []
    var bits: UInt64 = 0
    var strips = NumberRuns()
    var mesh = NumberRuns()

    /// The keys there were.
    var present: WireKeys = []

    /// The keys nobody knows.
    var unknown: [Origin.Unknown] = []

    /// Where the value of every key stands, in bytes.
    private var places = [Int](repeating: 0, count: WireKey.allCases.count)

    /// For messages inside this one.
    private var inner: [WireMessage] = []

    /// What the source was told of the landmarks it brings.
    let traits: LandmarkTraits

    /// Makes an empty message.
    ///
    /// - Parameter traits: What is known of the landmarks in it.
    package init(traits: LandmarkTraits = LandmarkTraits()) { self.traits = traits }

    /// The value read of a key, or `nil` when the message did not have it.
    func value<T>(_ key: WireKey, _ value: @autoclosure () -> T) -> T? {
        present.contains(key) ? value() : nil
    }

    /// Forgets what the last message said.
    mutating func forget() {
        present = []
        if !unknown.isEmpty { unknown = [] }
    }

    /// Throws unless the message had a key.
    func require(_ key: WireKey) throws(PipelineError) {
        guard present.contains(key) else { throw .frame("decode.missing", "the key \"\(key.name)\" is missing") }
    }

    /// An error about the value of a key.
    func wrong(_ key: WireKey, _ code: String, _ message: String) -> PipelineError {
        .frame(code, "\"\(key.name)\": \(message)", location: "byte \(places[Int(key.rawValue)])")
    }

    /// Reads the current value, an object, in place of what the message said before. Other keys than `keys` are unknown.
    mutating func read(_ json: JSONReader, keys: WireKeys, keepsUnknown: Bool = true) throws(PipelineError) {
        forget()
        try json.enterObject()
        while let name = try json.nextField() {
            guard let key = WireKey.named(name), keys.contains(key) else {
                if keepsUnknown {
                    let name = String(decoding: name, as: UTF8.self)
                    unknown.append(.init(key: name, json: try json.rawValue()))
                }
                continue
            }
            places[Int(key.rawValue)] = json.offset
            let type = try json.type()
            if type == .null { continue }
            do {
                try read(key, type, json, keys)
            } catch {
                throw Self.naming(key, type, error)
            }
            present.insert(key)
        }
    }

    /// An error with the name of the key it happened at and, for a wrong type, with what was found.
    private static func naming(_ key: WireKey, _ type: JSONReader.ValueType, _ error: PipelineError) -> PipelineError {
        var error = error
        guard !error.message.hasPrefix("\"") else { return error }
        error.message = "\"\(key.name)\": \(error.message)"
        if error.code == "decode.type", type != .array { error.message += ", found \(type.described)" }
        return error
    }

    private mutating func read(
        _ key: WireKey, _ type: JSONReader.ValueType, _ json: JSONReader, _ keys: WireKeys
    ) throws(PipelineError) {
        switch key {
        case .v: version = try json.integer()
        case .kind: kind = try json.string()
        case .stream: stream = try json.string()
        case .seq: sequence = try json.integer()
        case .tUs: time = try json.integer()
        case .recvUs: receivedAt = try json.integer()
        case .clock: clock = try json.string()
        case .end: isEnd = try json.boolean()
        case .fields:
            let place = json.offset
            if let wrong = fields.set(try json.stringBytes()) {
                throw .frame("decode.fields", wrong, location: "byte \(place)")
            }
        case .pts: try json.numbers(into: &numbers)
        case .startUs: start = try json.integer()
        case .endUs: end = try json.integer()
        case .counts: try json.numbers(into: &counts)
        case .label: label = try json.string()
        case .subject:
            if type == .object {
                subject = try readSubject(json)
                subjectName = ""
            } else {
                subjectName = try json.string()
                subject = nil
            }
        case .phase: phase = try json.string()
        case .stroke: stroke = try json.integer()
        case .topology: topology = try json.string()
        case .space: space = try json.string()
        case .conf: try json.numbers(into: &confidences)
        case .world: try json.numbers(into: &world)
        case .handedness: handedness = try json.string()
        case .handednessScore: handednessScore = try json.number()
        case .score: score = try json.number()
        case .presence: presence = try json.number()
        case .track: track = try json.integer()
        case .doubt: doubt = try json.string()
        case .hands: try readHands(json, withCategories: keys.contains(.categories))
        case .categories: try readCategories(json)
        case .margin: margin = try json.number()
        case .matcher: matcher = try json.string()
        case .values: try json.numbers(into: &values)
        case .bits:
            let place = json.offset
            guard let read = UInt64(hexadecimal: try json.stringBytes()) else {
                throw .frame("decode.bits", "expected 16 hexadecimal digits", location: "byte \(place)")
            }
            bits = read
        case .strips: try strips.read(json)
        case .mesh: try mesh.read(json)
        }
    }

    /// Hands, or with categories what was recognised of them.
    private mutating func readHands(_ json: JSONReader, withCategories: Bool) throws(PipelineError) {
        hands = []
        results = []
        let keys = withCategories ? Landmarks.wireKeys.union(WireKeys(.categories)) : Landmarks.wireKeys
        if inner.isEmpty { inner = [WireMessage(traits: traits)] }
        try json.enterArray()
        while try json.nextElement() {
            try inner[0].read(json, keys: keys, keepsUnknown: false)
            let hand = try Landmarks(&inner[0])
            guard withCategories else {
                hands.append(hand)
                continue
            }
            let gestures = inner[0].value(.categories, inner[0].categories) ?? []
            results.append(.init(landmarks: hand, gestures: gestures))
        }
    }

    private mutating func readSubject(_ json: JSONReader) throws(PipelineError) -> Subject {
        if inner.isEmpty { inner = [WireMessage(traits: traits)] }
        let keys = WireKeys(.kind).union(Stroke.wireKeys).union(Landmarks.wireKeys)
        try inner[0].read(json, keys: keys, keepsUnknown: false)
        switch inner[0].value(.kind, inner[0].kind) {
        case Stroke.kind.rawValue: return .stroke(try Stroke(&inner[0]))
        case Landmarks.kind.rawValue: return .landmarks(try Landmarks(&inner[0]))
        case let kind: throw .frame("decode.subject", "expected kind \"stroke\" or \"landmarks\", found \(quote(kind))")
        }
    }

    private mutating func readCategories(_ json: JSONReader) throws(PipelineError) {
        categories = []
        try json.enterArray()
        while try json.nextElement() {
            var name: String?
            var displayName: String?
            var index: Int64?
            var score: Double?
            let place = json.offset
            try json.enterObject()
            while let key = try json.nextField() {
                switch String(decoding: key, as: UTF8.self) {
                case "name": name = try json.string()
                case "display_name": displayName = try json.string()
                case "index": index = try json.integer()
                case "score": score = try json.number()
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

/// A text in quotes, or `nothing`.
func quote(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "nothing" }
