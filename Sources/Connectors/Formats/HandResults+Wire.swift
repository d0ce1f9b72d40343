import Pipeline
import Stages

extension HandResults: WirePayload {
    public static let summary = "The hands of a camera frame with what they show"
    public static let _wireKeys = WireKeys(.hands, .categories)
    public static let _requiredKeys = WireKeys(.hands)

    public init(_ message: inout WireMessage) throws(PipelineError) {
        try message.require(.hands)
        self.init(hands: message.results)
    }

    public func _encode(into json: inout TextBuffer) {
        json.literal(",\"hands\":[")
        for (i, hand) in hands.enumerated() {
            if i > 0 { json.byte(UInt8(ascii: ",")) }
            json.object {
                hand.landmarks._encode(into: &$0)
                $0.categories(hand.gestures)
            }
        }
        json.byte(UInt8(ascii: "]"))
    }

    public static let _columns = "hand,track,handedness,handedness_score,name,score"

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        for (i, hand) in hands.enumerated() {
            csv.row(prefix) {
                $0.column(i)
                $0.column(hand.landmarks.track)
                $0.column(hand.landmarks.handedness)
                $0.column(hand.landmarks.handednessScore)
                $0.column(hand.gestures.first?.name)
                $0.column(hand.gestures.first?.score)
            }
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
