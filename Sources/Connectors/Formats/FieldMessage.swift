import Pipeline
import Stages

/// What a message of somebody else's shape said, before it becomes a payload.
///
/// It is kept from one message to the next, so that reading allocates only what the payload keeps.
public struct FieldMessage: Sendable {
    /// What the source was told of the landmarks it brings.
    let traits: LandmarkTraits
    /// What the numbers of a point are, if that was told.
    let layout: PointFields?
    /// Whether points are samples of a pen.
    let isOfSamples: Bool
    /// Whether it is to hold the numbers of a vector.
    let isOfValues: Bool
    /// The unit of the message's times.
    let timeUnit: TimeUnit?
    /// Whether the places in metres are the points that are wanted.
    let isOfWorld: Bool
    private let tree: FieldTree
    private let wanted: String

    /// When it happened, in microseconds.
    var time: Int64?
    var sequence: Int64?
    var stream: String?
    var label: String?
    var subject: String?
    var phase: String?
    private(set) var stroke: Int?
    var values: [Double]?
    private(set) var isEnd = false
    /// What stands where the payload's own fields are looked for.
    private(set) var declared: DeclaredFields
    /// The keys at the top that nobody asked for.
    private(set) var unknown: [Origin.Unknown] = []

    /// The sets of points, of which the first `setCount` belong to this message.
    var sets: [PointSet] = []
    var setCount = 0
    /// Whether what is to hold points was there and empty.
    var isEmptyList = false
    var scratch: [Double] = []
    private var ranks: [Int]

    /// Makes an empty message that looks for what the options say.
    init(_ options: DecodeOptions, kind: Kind, traits: LandmarkTraits, declared fields: [FieldDescription] = []) {
        declared = DeclaredFields(fields)
        self.traits = traits
        isOfSamples = kind == Stroke.kind || kind == Points.kind
        isOfValues = kind == FeatureVector.kind
        layout = options.fields
        timeUnit = options.tUnit
        let worlds = options.world + options.leftWorld + options.rightWorld
        isOfWorld = traits.space == .world && !worlds.isEmpty
        tree = options.fieldTree(fields)
        ranks = [Int](repeating: .max, count: MessageField.allCases.count + fields.count)
        guard fields.isEmpty else {
            wanted = fields.filter { !$0.isOptional }.map { "\"\($0.name)\"" }.joined(separator: " or ")
            return
        }
        wanted = (isOfWorld ? worlds : options.points + options.left + options.right + options.values)
            .map { "\"\($0)\"" }.joined(separator: " or ")
    }

    /// Forgets the message before.
    mutating func begin() {
        (time, sequence, stream, label, subject, phase, stroke) = (nil, nil, nil, nil, nil, nil, nil)
        values = nil
        declared.forget()
        isEnd = false
        if !unknown.isEmpty { unknown = [] }
        setCount = 0
        isEmptyList = false
        for field in ranks.indices { ranks[field] = .max }
    }

    /// Reads a document in place of what the message said before. O(bytes).
    mutating func read<Reader: DocumentReader>(_ document: Reader) throws(PipelineError) {
        begin()
        let place = document.offset
        let type = try document.type()
        guard type == .object || type == .array else {
            throw .frame(
                "decode.type", "expected an object or a list, found \(type.described)", location: "byte \(place)")
        }
        guard type == .object || tree.isList else {
            throw .frame("decode.type", "expected an object, found a list", location: "byte \(place)")
        }
        try walk(FieldTree.root, key: 0, outer: 0, document)
    }

    /// Whether its samples have times that are more than a distance from their first.
    var tellsSampleTimes: Bool {
        guard isOfSamples else { return false }
        for index in 0..<setCount where sets[index].isThere {
            if let first = sets[index].points.first { return sets[index].known.contains(.t) && first.t != 0 }
        }
        return false
    }

    /// Whether what frames are made of is there, or a list of it that is empty.
    var hasContent: Bool {
        if values != nil || isEmptyList || !declared.isEmpty { return true }
        for index in 0..<setCount where isOfWorld ? !sets[index].world.isEmpty : sets[index].isThere { return true }
        return false
    }

    /// Whether somebody has seen the points of a set.
    func isSeen(_ set: PointSet) -> Bool {
        isOfWorld ? !set.world.isEmpty && !set.isWorldUnseen : set.isThere && !set.isUnseen
    }

    /// Checks that what frames are made of is there.
    func requireContent() throws(PipelineError) {
        if hasContent { return }
        throw .frame(
            "decode.missing", "nothing stands at \(wanted)",
            help: "pipectl listen shows what comes, and proposes a decode block")
    }

    private mutating func walk<Reader: DocumentReader>(
        _ node: Int, key: Int, outer: Int, _ document: Reader
    ) throws(PipelineError) {
        let type = try document.type()
        if type == .object, !tree.nodes[node].keys.isEmpty {
            try walkObject(node, key: key, outer: outer, document)
        } else if type == .array, tree.nodes[node].hasElements {
            try document.enterArray()
            var number = 0
            while try document.nextElement() {
                if let child = tree.child(of: node, element: number) {
                    // A place below [*] is told by the numbers of the elements above it.
                    let isEach = tree.nodes[node].each == child
                    try walk(
                        child, key: isEach ? key &* 65_536 &+ number &+ 1 : key, outer: isEach ? key : outer, document)
                }
                number += 1
            }
            if number == 0 { isEmptyList = true }
        } else if type == .null {
            if tree.nodes[node].leadsToPoints { isEmptyList = true }
        } else if let target = tree.nodes[node].target {
            do {
                try take(target, type, key: key, outer: tree.nodes[node].depth > 0 ? outer : key, document)
            } catch {
                throw Self.naming(target, type, error)
            }
        } else if tree.nodes[node].leadsToPoints {
            throw .frame(
                "decode.type",
                "expected \(tree.nodes[node].hasElements ? "a list" : "an object"), found \(type.described)",
                location: "byte \(document.offset)")
        }
    }

    private mutating func walkObject<Reader: DocumentReader>(
        _ node: Int, key: Int, outer: Int, _ document: Reader
    ) throws(PipelineError) {
        // An object in which other things are looked for can be a point as well.
        let target = tree.nodes[node].target.flatMap { $0.field.isOfPoints ? $0 : nil }
        var point = ObjectPoint()
        try document.enterObject()
        while let field = try document.nextField() {
            if let child = tree.child(of: node, key: field.key) {
                try walk(child, key: key, outer: outer, document)
            } else if target != nil, let slot = ObjectPoint.slot(field.key), try document.type() == .number {
                point.take(try document.number(), slot)
            } else if node == FieldTree.root {
                let name = String(decoding: field.key, as: UTF8.self)
                unknown.append(.init(key: name, json: try document.rawValue()))
            }
        }
        guard let target, point.isWhole, begins(target) else { return }
        append(point, to: try set(tree.nodes[node].depth > 0 ? outer : key, target.field))
    }

    /// An error with the path it happened at and, for a wrong type, with what was found.
    private static func naming(
        _ target: FieldTree.Target, _ type: DocumentType, _ error: PipelineError
    ) -> PipelineError {
        var error = error
        error.message = "\"\(target.path)\": \(error.message)"
        if error.code == "decode.type", type != .array, type != .object { error.message += ", found \(type.described)" }
        if error.code == "decode.type", type == .array, target.field.isOfPoints, error.help == nil {
            error.help = "[*] stands for each of several lists, and is left out where there is one"
        }
        return error
    }

    private mutating func take<Reader: DocumentReader>(
        _ target: FieldTree.Target, _ type: DocumentType, key: Int, outer: Int, _ document: Reader
    ) throws(PipelineError) {
        guard begins(target) else { return }
        switch target.field {
        case .points, .left, .right: try takePoints(target.field, type, key: key, outer: outer, document)
        case .world, .leftWorld, .rightWorld:
            try takeWorld(target.field.pointsOfWorld ?? .points, type, key: key, outer: outer, document)
        case .confidences: try takeConfidences(type, try set(key, .points), document)
        case .handedness: sets[try set(key, .points)].handedness = Self.side(try text(type, document))
        case .handednessScore: sets[try set(key, .points)].handednessScore = try document.number()
        case .score: sets[try set(key, .points)].score = try document.number()
        case .presence: sets[try set(key, .points)].presence = try document.number()
        case .track: sets[try set(key, .points)].track = Int(try document.integer())
        case .time: time = try microseconds(type, document)
        case .sequence: sequence = try messageNumber(document)
        case .stream: stream = try text(type, document)
        case .label: label = try text(type, document)
        case .subject: subject = try text(type, document)
        case .phase: phase = try text(type, document)
        case .stroke: stroke = Int(try document.integer())
        case .values:
            var numbers: [Double] = []
            try document.numbers(into: &numbers)
            values = numbers
        case .end: isEnd = try document.boolean()
        case .declared: try declared.read(target.index, document)
        }
    }

    /// Whether a value counts, since none of a path that stands before its own was there; what others said is forgotten.
    private mutating func begins(_ target: FieldTree.Target) -> Bool {
        let field = Int(target.field.rawValue) + target.index
        guard target.rank <= ranks[field] else { return false }
        if target.rank < ranks[field], ranks[field] != .max { forgetPoints(of: target.field) }
        ranks[field] = target.rank
        return true
    }

    private mutating func forgetPoints(of field: MessageField) {
        if let points = field.pointsOfWorld {
            for index in 0..<setCount where sets[index].field == points { sets[index].forgetWorld() }
        } else if field.isOfPoints {
            for index in 0..<setCount where sets[index].field == field { sets[index].forgetPoints() }
        }
    }

    /// The number of a message.
    private func messageNumber<Reader: DocumentReader>(_ document: Reader) throws(PipelineError) -> Int64 {
        let place = document.offset
        let number = try document.integer()
        guard (0...Timestamp.max.rawValue).contains(number) else {
            throw .frame("decode.range", "a number lies between 0 and 2^53 − 1", location: "byte \(place)")
        }
        return number
    }

    /// A text, or a whole number as its text.
    private func text<Reader: DocumentReader>(
        _ type: DocumentType, _ document: Reader
    ) throws(PipelineError) -> String {
        type == .number ? String(try document.integer()) : try document.string()
    }

    /// A hand as MediaPipe spells it; other words as they stand.
    private static func side(_ text: String) -> String {
        switch text.lowercased() {
        case "left", "l": "Left"
        case "right", "r": "Right"
        default: text
        }
    }

    private func microseconds<Reader: DocumentReader>(
        _ type: DocumentType, _ document: Reader
    ) throws(PipelineError) -> Int64 {
        let place = document.offset
        var value: Double
        if type == .string {
            guard let read = number(in: Array(try document.stringBytes())[...]) else {
                throw .frame("decode.type", "expected a number of seconds or the like", location: "byte \(place)")
            }
            value = read
        } else {
            value = try document.number()
        }
        return try Self.time(value * (timeUnit ?? .s).microseconds, place: place)
    }

    /// A time out of microseconds, which stand at a place, in bytes.
    static func time(_ microseconds: Double, place: Int?) throws(PipelineError) -> Int64 {
        let rounded = microseconds.rounded()
        guard rounded >= 0, rounded <= longestTime else { throw timeOutOfRange(place: place) }
        return Int64(rounded)
    }

    /// The last microsecond that a timestamp can tell.
    static var longestTime: Double { 9_007_199_254_740_991 }

    static func timeOutOfRange(place: Int?) -> PipelineError {
        .frame(
            "decode.range", "a time lies between 0 and 2^53 − 1 µs", location: place.map { "byte \($0)" },
            help: "t_unit says what unit times are in")
    }
}
