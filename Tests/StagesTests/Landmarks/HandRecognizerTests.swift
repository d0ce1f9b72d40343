import Pipeline
import Stages
import Testing

// The page about Swift shows this function.
func gestures(of frames: [Hands]) throws -> [[String]] {
    // Every hand has its own instance of these stages. More stages, such as `gate` and `smooth`, go in front.
    let hand = StageChain(try RecognizeHand.stage())
    var options = Recognizer<Hands, HandResults>.Options()
    options.runningMode = .batch
    let recognizer = try Recognizer(StageChain(Each.hand(hand)), options: options)
    var names: [[String]] = []
    for (number, hands) in frames.enumerated() {
        let answer = try recognizer.recognize(hands, timestampMilliseconds: Int64(number) * 33)
        for result in answer.payloads { names.append(result.hands.map { $0.gestures.first?.name ?? "–" }) }
    }
    return names
}

@Suite("Hands in Swift")
struct HandRecognizerTests {
    @Test(
        "A recognizer made in Swift names the gesture of every hand of a frame, and gives an empty result without hands"
    )
    func named() throws {
        let victory = ModelHand.victory.seen()
        let fist = ModelHand.fist.seen()
        let frames = [Hands(hands: [victory, fist]), Hands(hands: []), Hands(hands: [fist])]
        #expect(try gestures(of: frames) == [["Victory", "Closed_Fist"], [], ["Closed_Fist"]])
    }
}
