import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("Ends of streams in messages")
struct MessageIntakeTests {
    /// Returns what a source tells the engine after messages, and the number of messages after which it has ended, if it has.
    private func take(
        _ ending: MessageIntake<Stroke>.Ending, _ messages: [String]
    ) throws -> (story: [String], isOverAfter: Int?, counts: [String: Int64]) {
        let context = SourceContext(
            id: "in", clock: SkippingClock(), stop: StopSignal(), progress: Progress(), log: .silent)
        var intake = MessageIntake<Stroke>(context, ending, defaultStream: "in")
        var decoder = try CanonicalDecoder<Stroke>(defaultStream: "in")
        var batch = SourceBatch<Stroke>()
        var isOverAfter: Int?
        for (index, text) in messages.enumerated() where isOverAfter == nil {
            try intake.take(try withPadded(text.utf8) { try decoder.decode($0) }, into: &batch)
            if intake.isOver { isOverAfter = index + 1 }
        }
        let story = batch.items.map { item in
            switch item {
            case .frame(let frame): "\(frame.stream) \(frame.sequence)"
            case .event(.end(let stream, let end)): "\(stream) \(end)"
            case .event(let event): "\(event)"
            }
        }
        return (story, isOverAfter, context.counts.values)
    }

    private func frame(_ stream: String, _ number: Int, at time: Int) -> String {
        #"{"stream":"\#(stream)","seq":\#(number),"t_us":\#(time),"fields":"xy","pts":[1,2]}"#
    }

    private func end(_ stream: String, _ number: Int, _ more: String = "") -> String {
        #"{"stream":"\#(stream)","seq":\#(number),"t_us":0\#(more),"end":true}"#
    }

    private let restarts = #","restarts":true"#
    private let again = #","quiet":true"#

    @Test("Ends of streams in messages: a stream that goes on does not end the source, and its numbers begin again")
    func goesOn() throws {
        let taken = try take(
            .withStreams,
            [frame("a", 0, at: 5), end("a", 1, restarts), frame("a", 0, at: 1), end("a", 1), frame("a", 7, at: 9)])
        #expect(taken.story == ["a 0", "a restarts", "a 0", "a over"])
        #expect(taken.isOverAfter == 4)
        // The sender has announced the new epoch.
        #expect(taken.counts == [:])
    }

    @Test("Ends of streams in messages: the source waits for a stream that goes on, also while other streams end")
    func waits() throws {
        let taken = try take(
            .withStreams, [frame("a", 0, at: 5), frame("b", 0, at: 6), end("a", 1, restarts), end("b", 1), end("a", 1)])
        #expect(taken.story == ["a 0", "b 0", "a restarts", "b over", "a over"])
        #expect(taken.isOverAfter == 5)
    }

    @Test("Ends of streams in messages: `ends` counts every end, also that of a stream that goes on")
    func counted() throws {
        let messages = [frame("a", 0, at: 5), end("a", 1, restarts), frame("a", 0, at: 1), end("a", 1), end("b", 0)]
        #expect(try take(.after(1), messages).isOverAfter == 2)
        #expect(try take(.after(2), messages).isOverAfter == 4)
        #expect(try take(.after(3), messages).isOverAfter == 5)
        #expect(try take(.never, messages).isOverAfter == nil)
    }

    @Test(
        "Ends of streams in messages: a repeated end is taken by a receiver that has missed it, and only by such a one")
    func repeated() throws {
        let missed = try take(.withStreams, [frame("a", 0, at: 5), end("a", 1, restarts + again), end("a", 1, again)])
        #expect(missed.story == ["a 0", "a restarts", "a over"])
        #expect(missed.isOverAfter == 3)
        let seen = try take(
            .withStreams,
            [frame("a", 0, at: 5), end("a", 1, restarts), end("a", 1, restarts + again), end("b", 3, again)])
        #expect(seen.story == ["a 0", "a restarts"])
        #expect(seen.isOverAfter == nil)
    }

    @Test("Ends of streams in messages: a key beside no end means nothing, and an end with a frame can go on")
    func combined() throws {
        let both = frame("a", 1, at: 6).dropLast() + restarts + #","end":true}"#
        let taken = try take(
            .withStreams, [frame("a", 0, at: 5).dropLast() + restarts + "}", String(both), end("a", 2)])
        #expect(taken.story == ["a 0", "a 1", "a restarts", "a over"])
        #expect(taken.isOverAfter == 3)
    }

    @Test(
        "Ends of streams in messages: the end of a stream that goes on is written and read",
        arguments: [MessageFormat.json, .msgpack])
    func written(format: MessageFormat) throws {
        var encoder = MessageEncoder(format)
        encoder.encodeEnd(of: "a", kind: "stroke", sequence: 5, at: .microseconds(9), .restarts)
        let bytes = try encoder.withMessage { Array($0) }
        if format == .json {
            #expect(
                String(decoding: bytes, as: UTF8.self)
                    == #"{"v":1,"kind":"stroke","stream":"a","seq":5,"t_us":9,"end":true,"restarts":true}"#)
        }
        var decoder = try CanonicalDecoder<Stroke>(format == .json ? .json : .messagePack, defaultStream: "in")
        let message = try withPadded(bytes) { try decoder.decode($0) }
        #expect(message.endsStream)
        #expect(message.end == .restarts)
        #expect(message.stream == "a")
    }
}
