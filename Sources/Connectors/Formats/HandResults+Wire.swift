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
            prefix.withBytes { csv.plain($0) }
            csv.integer(Int64(i))
            csv.byte(UInt8(ascii: ","))
            if let track = hand.landmarks.track { csv.integer(Int64(track)) }
            csv.byte(UInt8(ascii: ","))
            if let handedness = hand.landmarks.handedness { csv.cell(handedness) }
            csv.byte(UInt8(ascii: ","))
            if let score = hand.landmarks.handednessScore { csv.number(score) }
            csv.byte(UInt8(ascii: ","))
            if let best = hand.gestures.first {
                csv.cell(best.name)
                csv.byte(UInt8(ascii: ","))
                csv.number(best.score)
            } else {
                csv.byte(UInt8(ascii: ","))
            }
            csv.byte(0x0A)
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
