import Pipeline
import Stages

/// The values read from a message that is not canonical, before they become a payload.
///
/// One instance is reused for all messages of a decoder, so that reading allocates only memory that the payload keeps.
public struct FieldMessage: Sendable {
    /// What the configuration and the preset declare about the landmarks.
    let traits: LandmarkTraits
    /// The meaning of a point's numbers, if it is configured.
    let layout: PointFields?
    /// Whether the points are samples of a pen.
    let isOfSamples: Bool
    /// Whether the payload is a piece of a stroke, which needs no points at the stroke's end.
    private let isOfPieces: Bool
    /// Whether the payload is a feature vector.
    let isOfValues: Bool
    /// The unit of the message's time, and the unit of the points' times.
    let (timeUnit, sampleUnit): (TimeUnit?, TimeUnit?)
    /// Whether the payload takes its points from the positions in meters.
    let isOfWorld: Bool
    private let tree: FieldTree
    /// The paths that can contain the payload, or its required fields, or all its fields if none is required, as errors name them.
    private let wanted: String

    /// The names of the points, for messages that have points by name.
    let namedPoints: Topology?
    /// Whether each message declares the meaning of a point's numbers.
    let messagesDeclareLayout: Bool
    /// Whether the times of points are relative to a start time elsewhere in the message.
    let timesAreRelative: Bool

    /// The time of the message, in microseconds.
    var time: Int64?
    var sequence: Int64?
    var stream: String?
    var label: String?
    var subject: String?
    var phase: String?
    var stroke: Int?
    var values: [Double]?
    /// The number of points of each stroke.
    var counts: [Double]?
    /// The times at which the gesture began and ended, in microseconds.
    var (start, endTime): (Int64?, Int64?)
    var isEnd = false
    /// The values of the fields that the payload declares.
    var wire: WireMessage
    /// The top-level keys that are on no path.
    private(set) var unknown: [Origin.Unknown] = []

    /// The sets of points. The first `setCount` belong to this message; the memory of the others is kept for later messages.
    var sets: [PointSet] = []
    var setCount = 0
    /// The number of detected sets that the payload leaves out.
    var setsLeftOut = 0
    /// Whether a list on a path is empty, or a value that should contain points is null: nothing was detected.
    var isEmptyList = false
    /// The number of times of points that were texts. They are in microseconds since 1970.
    var textTimes = 0
    /// The numbers of the points that are being read. The memory is reused.
    var scratch: [Double] = []
    /// Create the samples and positions of payloads.
    var (reusedSamples, reusedPoints) = (ReusedArrays(Sample(x: 0, y: 0)), ReusedArrays(Landmarks.Point(x: 0, y: 0)))
    var names = PointNames()
    var rowNames = RowNames()
    /// The keys of the point that is being read.
    var pointKeys = RowNames()
    var lastLayout: (letters: String, fields: PointFields)?
    /// For each field, the rank of the path from which its value was read; `.max` if it has no value.
    private var ranks: [Int]
    /// For each field, whether any message so far had a value on one of its paths.
    private(set) var wasFound: [Bool]
    /// The last text of each field. The next message usually has the same text, and then no string is allocated.
    var texts = [String](repeating: "", count: MessageField.allCases.count)

    /// Creates an empty message that reads the paths in `options`.
    init(_ options: DecodeOptions, kind: Kind, traits: LandmarkTraits, declared fields: [FieldDescription] = []) {
        wire = WireMessage(traits: traits, declared: fields)
        self.traits = traits
        isOfSamples = kind == Stroke.kind || kind == Points.kind
        isOfPieces = kind == Points.kind
        isOfValues = kind == FeatureVector.kind
        layout = options.fields
        (timeUnit, sampleUnit) = (options.tUnit, options.sampleUnit ?? options.tUnit)
        let worlds = options.world + options.leftWorld + options.rightWorld
        isOfWorld = traits.space == .world && !worlds.isEmpty
        namedPoints = isOfSamples ? nil : traits.topology?.topology ?? .hand21
        messagesDeclareLayout = options.fields == nil && !options.layout.isEmpty
        timesAreRelative = !options.start.isEmpty
        tree = options.fieldTree(fields)
        ranks = [Int](repeating: .max, count: MessageField.allCases.count + fields.count)
        wasFound = [Bool](repeating: false, count: ranks.count)
        guard fields.isEmpty else {
            let required = fields.filter { !$0.isOptional }
            wanted = (required.isEmpty ? fields : required).map { "\"\($0.name)\"" }.joined(separator: " or ")
            return
        }
        wanted = (isOfWorld ? worlds : options.points + options.left + options.right + options.values)
            .map { "\"\($0)\"" }.joined(separator: " or ")
    }

    /// Removes the values of the previous message.
    mutating func begin() {
        (time, sequence, stream, label, subject, phase, stroke) = (nil, nil, nil, nil, nil, nil, nil)
        (values, counts, start, endTime) = (nil, nil, nil, nil)
        wire.forget()
        isEnd = false
        if !unknown.isEmpty { unknown = [] }
        (setCount, setsLeftOut, textTimes) = (0, 0, 0)
        isEmptyList = false
        for field in ranks.indices { ranks[field] = .max }
    }

    /// Reads a document, replacing the previous values. O(bytes).
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
        if setCount > 1 { inheritValues() }
        if messagesDeclareLayout { try takeLayouts() }
    }

    /// Whether the samples have absolute times. Times that begin at 0, without a start time elsewhere, are only relative to the
    /// first sample.
    var hasAbsoluteSampleTimes: Bool {
        guard isOfSamples, !timesAreRelative else { return start != nil }
        for index in 0..<setCount where sets[index].isThere {
            if let first = sets[index].seen.firstTime { return first != 0 }
        }
        return false
    }

    /// Whether the message has content for a payload, or reports that nothing was detected.
    var hasContent: Bool {
        if values != nil || isEmptyList || !wire.declared.isEmpty { return true }
        for index in 0..<setCount where isOfWorld ? sets[index].world.count > 0 : sets[index].isThere {
            return true
        }
        return isOfPieces && (try? Points.phase(phase).isLast) == true
    }

    /// Returns whether the points of a set exist and were detected.
    mutating func isDetected(_ set: Int) -> Bool {
        isOfWorld
            ? sets[set].world.count > 0 && !sets[set].world.isUndetected
            : sets[set].isThere && !sets[set].seen.isUndetected
    }

    /// Throws a frame error (`decode.missing`) if ``hasContent`` is false.
    func requireContent() throws(PipelineError) {
        if hasContent { return }
        guard wanted != "\"$\"" else {
            throw isOfValues
                ? .mismatch("a list of numbers", .object, at: 0) : noPoint(unknown.map(\.key), at: nil).naming("$")
        }
        throw .frame(
            "decode.missing", "the message has no \(wanted)",
            help: "pipectl listen suggests a decode block for a sender, and pipectl info for a file of JSON Lines")
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
                    // The key of a value below `[*]` is computed from the indices of the elements that contain it.
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
                throw Self.naming(target, tree.nodes[node].path, type, error)
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
        // An object with other fields on paths can also be a point or contain points.
        let target = tree.nodes[node].target.flatMap { $0.field.isOfPoints ? $0 : nil }
        var point = ObjectPoint()
        var shapes: ObjectShapes?
        let place = document.offset
        if target != nil {
            names.begin()
            rowNames.begin()
        }
        try document.enterObject()
        while let field = try document.nextField() {
            if let child = tree.child(of: node, key: field.key) {
                try walk(child, key: key, outer: outer, document)
            } else if let target, try takeMember(field, target.field, &point, &shapes, document) {
                continue
            } else if node == FieldTree.root {
                let name = String(decoding: field.key, as: UTF8.self)
                unknown.append(.init(key: name, json: try document.rawValue()))
            }
        }
        guard let target, point.isWhole || shapes != nil, accept(target) else { return }
        let isBelow = tree.nodes[node].depth > 0
        if point.isWhole, isBelow, let confidence = takeConfidence(ofPoint: key) { point.take(confidence, .c) }
        _ = try takeShapes(point, shapes, target.field, key: key, outer: isBelow ? outer : key, place: place)
    }

    /// Removes the last set if it has the key of a point and consists of a confidence, and returns the confidence.
    private mutating func takeConfidence(ofPoint key: Int) -> Double? {
        guard let set = sets[..<setCount].last, set.key == key, !set.isThere, set.confidences.count == 1 else {
            return nil
        }
        setCount -= 1
        return set.confidences[0]
    }

    /// Returns an error with the path of the value that caused it.
    private static func naming(
        _ target: FieldTree.Target, _ path: String, _ type: DocumentType, _ error: PipelineError
    ) -> PipelineError {
        var error = error
        // The error of a declared field already has the field's name. The path replaces it.
        if error.code == "decode.type", error.message.hasPrefix("\""), let end = error.message.firstRange(of: "\": ") {
            error.message = "\"\(path)\": \(error.message[end.upperBound...])"
            return error
        }
        error.message = "\"\(path)\": \(error.message)"
        let isAboutLists = error.message.hasSuffix(", found an array") || type == .number && path.hasSuffix("[*]")
        if error.code == "decode.type", target.field.isOfPoints, isAboutLists {
            error.help = "write [*] where there are several lists, and only there"
        }
        return error
    }

    /// Returns whether to read the value at a target: false if its field already has a value from a more preferred path. Otherwise,
    /// removes the points of the field that were read on a less preferred path.
    mutating func accept(_ target: FieldTree.Target) -> Bool {
        let field = Int(target.field.rawValue) + target.index
        guard target.rank <= ranks[field] else { return false }
        if target.rank < ranks[field], ranks[field] != .max { forgetPoints(of: target.field) }
        ranks[field] = target.rank
        wasFound[field] = true
        return true
    }

    private mutating func forgetPoints(of field: MessageField) {
        if let points = field.pointsOfWorld {
            for index in 0..<setCount where sets[index].field == points { sets[index].world.forget() }
        } else if field.isOfPoints {
            for index in 0..<setCount where sets[index].field == field { sets[index].forgetPoints() }
        }
    }
}
