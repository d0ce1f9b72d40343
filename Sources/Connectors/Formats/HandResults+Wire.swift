import Pipeline
import Stages

extension HandResults: WirePayload {
    public static let summary = "The hands of a camera frame with their recognized gestures"
    public static var _blank: HandResults { HandResults(hands: []) }

    public static func _visit<V: FieldVisitor<HandResults>>(_ fields: inout V) throws(V.Failure) {
        try fields.visit(
            WireKeys(.hands, .categories), required: WireKeys(.hands),
            write: { results, json in
                json.objects(.hands, results.pointee.hands) { hand, json in
                    hand.pointee.landmarks.encode(into: &json)
                    json.categories(hand.pointee.gestures)
                }
            },
            read: { results, message throws(PipelineError) in
                try message.require(.hands)
                results.hands = message.results
            })
    }

    public static func _write(rowsOf results: HandResults?, _ prefix: TextBuffer, into csv: inout TextBuffer) {
        csv.rows(prefix, results?.hands) { row, index, hand in
            row.column("hand", index)
            row.column("track", hand?.landmarks.track)
            row.column("handedness", hand?.landmarks.handedness)
            row.column("handedness_score", hand?.landmarks.handednessScore)
            row.column("name", hand?.gestures.first?.name)
            row.column("score", hand?.gestures.first?.score)
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        guard !hands.isEmpty else { return text.plain("no hand") }
        for (i, hand) in hands.enumerated() {
            if i > 0 { text.plain("   ") }
            text.plain((hand.landmarks.handedness ?? hand.landmarks.topology).shown)
            if let track = hand.landmarks.track { text.plain(" \(track)") }
            guard let best = hand.gestures.first else {
                text.plain(" –")
                continue
            }
            text.plain(" \(best.displayName.shown) ")
            text.fixed(best.score, decimals: 3)
        }
    }
}
