import Pipeline
import Stages

extension Landmarks: WirePayload {
    public static let summary = "A set of landmarks: a hand, a body, a face"
    public static var _blank: Landmarks { Landmarks(points: []) }

    public static func _visit<V: FieldVisitor<Landmarks>>(_ fields: inout V) throws(V.Failure) {
        try fields.visit(
            .topology, { $1.member(.topology, $0.pointee.topology) },
            { hand, message throws(PipelineError) in hand.topology = try message.landmarkTopology() })
        try fields.visit(
            .space, { $1.member(.space, $0.pointee.space) },
            { hand, message throws(PipelineError) in hand.space = try message.landmarkSpace() })
        try fields.visit(
            WireKeys(.fields, .pts, .conf, .world), required: WireKeys(.fields, .pts),
            write: { hand, json in
                let hasDepth = hand.pointee.hasDepth
                json.literal(hasDepth ? ",\"fields\":\"xyz\"" : ",\"fields\":\"xy\"")
                json.list(.pts) { $0.landmarkPoints(hand.pointee.points, withDepth: hasDepth) }
                if !hand.pointee.confidences.isEmpty { json.list(.conf) { $0.numbers(hand.pointee.confidences) } }
                if !hand.pointee.world.isEmpty {
                    json.list(.world) { $0.landmarkPoints(hand.pointee.world, withDepth: true) }
                }
            },
            read: { hand, message throws(PipelineError) in try hand.takePoints(of: &message) })
        try fields.visit(
            .handedness, { $1.member(.handedness, $0.pointee.handedness) },
            { hand, message in
                // Outside the autoclosure of `value`, because inside it, the call copies the whole message.
                hand.handedness = message.value(.handedness, message.handedness).map { FieldMessage.side($0) }
            })
        try fields.visit(
            .handednessScore, { $1.member(.handednessScore, $0.pointee.handednessScore) },
            { $0.handednessScore = $1.value(.handednessScore, $1.handednessScore) })
        try fields.visit(.score, { $1.member(.score, $0.pointee.score) }, { $0.score = $1.value(.score, $1.score) })
        try fields.visit(
            .presence, { $1.member(.presence, $0.pointee.presence) },
            { $0.presence = $1.value(.presence, $1.presence) })
        try fields.visit(
            .track, { $1.member(.track, $0.pointee.track) },
            { hand, message in hand.track = message.value(.track, message.track).map { Int($0) } })
        try fields.visit(.doubt, { $1.member(.doubt, $0.pointee.doubt) }, { $0.doubt = $1.value(.doubt, $1.doubt) })
        try fields.visit(.label, { $1.member(.label, $0.pointee.label) }, { $0.label = $1.value(.label, $1.label) })
    }

    private mutating func takePoints(of message: inout WireMessage) throws(PipelineError) {
        try message.require(.pts)
        try message.require(.fields)
        let slots = message.fields.slots
        guard slots.allSatisfy({ $0 <= 2 }) else {
            throw message.wrong(
                .fields, "decode.fields", "the letters of a landmark are x, y and z; confidences are in conf")
        }
        hasDepth = slots.contains(2)
        points = try message.points(.pts, message.numbers, message.fields.layout)
        if message.present.contains(.conf) {
            confidences = message.confidences
            guard confidences.isEmpty || confidences.count == points.count else {
                throw message.wrong(
                    .conf, "decode.count", "\(confidences.count) confidences for \(points.count) landmarks")
            }
        }
        guard message.present.contains(.world) else { return }
        world = try message.points(.world, message.world, PointFields.xyz.layout)
        guard world.isEmpty || world.count == points.count else {
            throw message.wrong(.world, "decode.count", "\(world.count) points for \(points.count) landmarks")
        }
    }

    public static func _write(rowsOf landmarks: Landmarks?, _ prefix: TextBuffer, into csv: inout TextBuffer) {
        write(rowsOf: landmarks, hand: 0, prefix, into: &csv)
    }

    fileprivate static func write(
        rowsOf landmarks: Landmarks?, hand: Int, _ prefix: TextBuffer, into csv: inout TextBuffer
    ) {
        csv.rows(prefix, landmarks?.points) { row, index, point in
            row.column("hand", hand)
            row.column("index", index)
            row.column("x", point?.x)
            row.column("y", point?.y)
            row.column("z", landmarks?.hasDepth == true ? point?.z : nil)
            row.column("conf", landmarks.flatMap { index < $0.confidences.count ? $0.confidences[index] : nil })
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
    public static var _blank: Hands { Hands(hands: []) }

    public static func _visit<V: FieldVisitor<Hands>>(_ fields: inout V) throws(V.Failure) {
        try fields.visit(
            WireKeys(.hands), required: WireKeys(.hands),
            write: { hands, json in json.objects(.hands, hands.pointee.hands) { Landmarks._encode($0, into: &$1) } },
            read: { hands, message throws(PipelineError) in
                try message.require(.hands)
                hands.hands = message.hands
            })
    }

    public static func _write(rowsOf hands: Hands?, _ prefix: TextBuffer, into csv: inout TextBuffer) {
        guard let hands else { return Landmarks._write(rowsOf: nil, prefix, into: &csv) }
        for (i, hand) in hands.hands.enumerated() { Landmarks.write(rowsOf: hand, hand: i, prefix, into: &csv) }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.plain(hands.count == 1 ? "1 hand" : "\(hands.count) hands")
        for hand in hands { if let handedness = hand.handedness { text.plain(", \(handedness.shown)") } }
    }
}

extension WireMessage {
    /// Returns the topology of the message. Throws a frame error if it differs from the configured topology.
    fileprivate mutating func landmarkTopology() throws(PipelineError) -> String {
        let found = value(.topology, topology)
        guard let told = traits.topology?.topology else { return found ?? Topology.hand21.identifier }
        guard found == nil || found == told.identifier || found == told.name else {
            throw wrong(.topology, "decode.topology", "expected \"\(told.identifier)\", found \(quote(found))")
        }
        return told.identifier
    }

    /// Returns the coordinate space of the message. Throws a frame error if it differs from the configured space.
    fileprivate mutating func landmarkSpace() throws(PipelineError) -> String? {
        let found = value(.space, space)
        guard let told = traits.space?.rawValue else { return found }
        guard found == nil || found == told else {
            throw wrong(.space, "decode.space", "expected \"\(told)\", found \(quote(found))")
        }
        return told
    }

    /// Returns the positions in a flat list of numbers.
    fileprivate mutating func points(
        _ key: WireKey, _ numbers: [Double], _ layout: PointLayout
    ) throws(PipelineError) -> [Landmarks.Point] {
        guard numbers.count % layout.width == 0 else {
            throw wrong(
                key, "decode.count", "\(numbers.count) numbers cannot be divided into points of \(layout.width) fields")
        }
        return reusedPoints.points(from: numbers, layout)
    }
}

extension TextBuffer {
    /// Writes positions as a flat list of numbers.
    fileprivate mutating func landmarkPoints(_ points: [Landmarks.Point], withDepth: Bool) {
        points.withUnsafeBytes { bytes in
            // A position is three doubles in memory: x, y, z.
            bytes.withMemoryRebound(to: Double.self) { numbers in
                guard let base = numbers.baseAddress else { return }
                tuples(base, count: points.count, stride: 3, slots: withDepth ? [0, 1, 2] : [0, 1])
            }
        }
    }

    /// Writes an object. `keys` writes its keys and values, with a comma before each key; the first comma is removed.
    mutating func object(_ keys: (inout TextBuffer) -> Void) {
        byte(UInt8(ascii: "{"))
        let start = count
        keys(&self)
        if count > start { removeByte(at: start) }
        byte(UInt8(ascii: "}"))
    }
}
