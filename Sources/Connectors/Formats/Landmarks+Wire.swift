import Pipeline
import Stages

extension Landmarks: WirePayload {
    public static let summary = "A set of landmarks: a hand, a body, a face"
    public static let _wireKeys = WireKeys(
        .topology, .space, .fields, .pts, .conf, .world, .handedness, .handednessScore, .score, .presence, .track,
        .doubt, .label)
    public static let _requiredKeys = WireKeys(.fields, .pts)

    public init(_ message: inout WireMessage) throws(PipelineError) { self = try message.landmarks() }

    public func _encode(into json: inout TextBuffer) {
        json.member(",\"topology\":", topology)
        json.member(",\"space\":", space)
        if hasDepth {
            json.literal(",\"fields\":\"xyz\",\"pts\":[")
        } else {
            json.literal(",\"fields\":\"xy\",\"pts\":[")
        }
        json.landmarkPoints(points, withDepth: hasDepth)
        if !confidences.isEmpty {
            json.literal("],\"conf\":[")
            json.numbers(confidences)
        }
        if !world.isEmpty {
            json.literal("],\"world\":[")
            json.landmarkPoints(world, withDepth: true)
        }
        json.byte(UInt8(ascii: "]"))
        json.member(",\"handedness\":", handedness)
        json.member(",\"handedness_score\":", handednessScore)
        json.member(",\"score\":", score)
        json.member(",\"presence\":", presence)
        json.member(",\"track\":", track)
        json.member(",\"doubt\":", doubt)
        json.member(",\"label\":", label)
    }

    public static let _columns = "hand,index,x,y,z,conf"

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        encodeRows(prefix, hand: 0, into: &csv)
    }

    fileprivate func encodeRows(_ prefix: TextBuffer, hand: Int, into csv: inout TextBuffer) {
        for (index, point) in points.enumerated() {
            csv.row(prefix) {
                $0.column(hand)
                $0.column(index)
                $0.column(point.x)
                $0.column(point.y)
                $0.column(hasDepth ? point.z : nil)
                $0.column(index < confidences.count ? confidences[index] : nil)
            }
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.plain("\(topology.shown), \(points.count) landmarks")
        if let handedness { text.plain(", \(handedness.shown)") }
        if let label { text.plain(", \(label.shown)") }
    }
}

extension Hands: WirePayload {
    public static let summary = "The hands of a camera frame"
    public static let _wireKeys = WireKeys(.hands)
    public static let _requiredKeys = WireKeys(.hands)

    public init(_ message: inout WireMessage) throws(PipelineError) {
        try message.require(.hands)
        self.init(hands: message.hands)
    }

    public func _encode(into json: inout TextBuffer) {
        json.literal(",\"hands\":[")
        for (i, hand) in hands.enumerated() {
            if i > 0 { json.byte(UInt8(ascii: ",")) }
            json.object { hand._encode(into: &$0) }
        }
        json.byte(UInt8(ascii: "]"))
    }

    public static let _columns = Landmarks._columns

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        for (i, hand) in hands.enumerated() { hand.encodeRows(prefix, hand: i, into: &csv) }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.plain(hands.count == 1 ? "1 hand" : "\(hands.count) hands")
        for hand in hands { if let handedness = hand.handedness { text.plain(", \(handedness.shown)") } }
    }
}

extension WireMessage {
    /// The landmarks that the message says.
    // No initializer: what one makes that throws is copied once more. Mutating: of an element of an array a copy would be made
    // to call anything else.
    mutating func landmarks() throws(PipelineError) -> Landmarks {
        try require(.pts)
        try require(.fields)
        let slots = fields.slots
        guard slots.allSatisfy({ $0 <= 2 }) else {
            throw wrong(.fields, "decode.fields", "a landmark has x, y and z, no t, p or w")
        }
        let points = try points(.pts, numbers, slots)
        let confidences = value(.conf, confidences) ?? []
        guard confidences.isEmpty || confidences.count == points.count else {
            throw wrong(.conf, "decode.count", "\(confidences.count) confidences for \(points.count) landmarks")
        }
        let world = present.contains(.world) ? try self.points(.world, world, [0, 1, 2]) : []
        guard world.isEmpty || world.count == points.count else {
            throw wrong(.world, "decode.count", "\(world.count) points for \(points.count) landmarks")
        }
        return Landmarks(
            topology: try landmarkTopology(), space: try landmarkSpace(), points: points, hasDepth: slots.contains(2),
            confidences: confidences, world: world, handedness: value(.handedness, handedness),
            handednessScore: value(.handednessScore, handednessScore), score: value(.score, score),
            presence: value(.presence, presence), track: value(.track, track).map { Int($0) },
            doubt: value(.doubt, doubt), label: value(.label, label))
    }

    /// The topology that the message names, if it is the one that the source was told.
    fileprivate func landmarkTopology() throws(PipelineError) -> String {
        let found = value(.topology, topology)
        guard let told = traits.topology?.topology else { return found ?? Topology.hand21.identifier }
        guard found == nil || found == told.identifier || found == told.name else {
            throw wrong(.topology, "decode.topology", "expected \"\(told.identifier)\", found \(quote(found))")
        }
        return told.identifier
    }

    /// The space that the message names, if it is the one that the source was told.
    fileprivate func landmarkSpace() throws(PipelineError) -> String? {
        let found = value(.space, space)
        guard let told = traits.space?.rawValue else { return found }
        guard found == nil || found == told else {
            throw wrong(.space, "decode.space", "expected \"\(told)\", found \(quote(found))")
        }
        return told
    }

    /// Places out of a flat list of numbers.
    fileprivate func points(
        _ key: WireKey, _ numbers: [Double], _ slots: [UInt8]
    ) throws(PipelineError) -> [Landmarks.Point] {
        guard numbers.count % slots.count == 0 else {
            throw wrong(
                key, "decode.count", "\(numbers.count) numbers are no whole number of points of \(slots.count) fields")
        }
        // Three numbers in this order are a place as it stands in memory.
        if slots == [0, 1, 2] {
            return numbers.withUnsafeBytes { $0.withMemoryRebound(to: Landmarks.Point.self) { Array($0) } }
        }
        func place(_ slot: UInt8) -> Int { slots.firstIndex(of: slot) ?? -1 }
        let (x, y, z) = (place(0), place(1), place(2))
        let width = slots.count
        let count = numbers.count / width
        return numbers.withUnsafeBufferPointer { numbers in
            [Landmarks.Point](unsafeUninitializedCapacity: count) { buffer, filled in
                guard let out = buffer.baseAddress else { return }
                for i in 0..<count {
                    let at = i * width
                    (out + i).initialize(
                        to: .init(x: numbers[at + x], y: numbers[at + y], z: z < 0 ? 0 : numbers[at + z]))
                }
                filled = count
            }
        }
    }
}

extension TextBuffer {
    /// Writes places as a flat list of numbers.
    fileprivate mutating func landmarkPoints(_ points: [Landmarks.Point], withDepth: Bool) {
        points.withUnsafeBytes { bytes in
            // A place is three doubles in a row.
            bytes.withMemoryRebound(to: Double.self) { numbers in
                guard let base = numbers.baseAddress else { return }
                tuples(base, count: points.count, stride: 3, slots: withDepth ? [0, 1, 2] : [0, 1])
            }
        }
    }

    /// Writes an object out of keys that each come with a comma in front.
    mutating func object(_ keys: (inout TextBuffer) -> Void) {
        byte(UInt8(ascii: "{"))
        let start = count
        keys(&self)
        if count > start { removeByte(at: start) }
        byte(UInt8(ascii: "}"))
    }
}
