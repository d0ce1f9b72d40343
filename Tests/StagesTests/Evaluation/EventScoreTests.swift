import Pipeline
import Testing

@testable import Connectors
@testable import Stages

@Suite("gestures found in a continuous movement")
struct EventScoreTests {
    private func event(_ label: String, _ start: Int64, _ end: Int64, reported: Int64? = nil, in stream: String = "")
        -> EventScore.Event
    {
        .init(
            label: label, stream: stream, start: Timestamp(rawValue: start), end: Timestamp(rawValue: end),
            reported: reported.map { Timestamp(rawValue: $0) })
    }

    // Calculated by hand: the circle is found; the line is found twice, which is once too often; the star is recognized as a
    // triangle, which is a miss and a false alarm; the last line is found at another time, which is also a miss and a false alarm.
    @Test("Scoring continuous recognition: each gesture is found at most once, under its label and at its time")
    func pairs() {
        let happened = [
            event("circle", 0, 100), event("line", 200, 300), event("star", 400, 500), event("line", 600, 700),
        ]
        let found = [
            event("circle", 10, 110, reported: 130), event("line", 190, 280, reported: 290),
            event("line", 230, 300, reported: 330),
            event("triangle", 400, 500), event("line", 651, 780, reported: 800),
        ]
        let score = EventScore(found: found, happened: happened)
        #expect(score.hits == 2 && score.falseAlarms == 3 && score.misses == 2)
        #expect(abs(score.precision - 0.4) < 1e-12 && score.recall == 0.5)
        #expect(abs(score.f1 - 2 * 0.4 * 0.5 / 0.9) < 1e-12)
        // Two found lines overlap the first true line. The hit is the one within it, which was reported 30 µs after the end of
        // the true line. The circle was also reported 30 µs after the end of the true circle.
        #expect(score.delays == [30, 30])
    }

    @Test(
        "Scoring continuous recognition: a gesture that does not count is neither a miss nor, if found, a false alarm"
    )
    func spoilt() {
        var wrong = event("line", 0, 100)
        wrong.counts = false
        let found = [event("line", 10, 90), event("star", 10, 90), event("line", 95, 195)]
        let score = EventScore(found: found, happened: [wrong, event("line", 300, 400)])
        #expect(score.hits == 0 && score.misses == 1)
        #expect(score.falseAlarms == 2, "one has another label, and one hardly overlaps")
    }

    @Test("Scoring continuous recognition: the column counts of a table is yes, no or empty")
    func table() throws {
        let text = "label,start_us,end_us,counts\na,0,10,no\nb,20,30,yes\nc,40,50,\n"
        #expect(try EventScore.Event.truth(csv: Array(text.utf8)).map(\.counts) == [false, true, true])
        #expect { try EventScore.Event.truth(csv: Array("label,start_us,end_us,counts\na,0,10,0\n".utf8)) } throws: {
            ($0 as? PipelineError)?.code == "truth.counts"
        }
    }

    // Calculated by hand: the first a is found within the gesture, 50 µs before its end; the second one after it, which is a false
    // alarm. The gesture b is an instant within the recognition, and the last recognition is at the same instant as the gesture.
    @Test("Scoring continuous recognition: without duration, an event overlaps another one if its instant lies in it")
    func instants() {
        let happened = [event("a", 100, 200), event("b", 300, 300), event("c", 400, 400), event("c", 500, 500)]
        let found = [
            event("a", 150, 150), event("a", 201, 201), event("b", 290, 310), event("c", 400, 400),
            event("c", 501, 501),
        ]
        let score = EventScore(found: found, happened: happened)
        #expect(score.hits == 3 && score.falseAlarms == 2 && score.misses == 1)
        #expect(score.delays == [-50, 0, 10])
    }

    @Test("Scoring continuous recognition: times at the limits of 64 bits are saturated")
    func limits() {
        let happened = [event("a", -5, .max), event("b", .min, .min + 10)]
        let found = [event("a", .min, .max), event("b", .min, .min + 10, reported: .max)]
        let score = EventScore(found: found, happened: happened)
        #expect(score.hits == 2 && score.falseAlarms == 0 && score.misses == 0)
        #expect(score.delays == [0, .max])
    }

    @Test(
        "Scoring continuous recognition: the times of a table are those of timestamps",
        arguments: [
            ("0,9007199254740991", true), ("7,7", true), ("-1,5", false), ("0,9007199254740992", false),
            ("-5,9223372036854775807", false), ("5,4", false), ("1.5,2", false),
        ])
    func times(times: String, isValid: Bool) {
        let text = "label,start_us,end_us\na,\(times)\n"
        var code: String?
        do { _ = try EventScore.Event.truth(csv: Array(text.utf8)) } catch { code = error.code }
        #expect(code == (isValid ? nil : "truth.time"))
    }

    @Test(
        "Scoring continuous recognition: streams are scored separately, and an empty result for an empty truth is perfect"
    )
    func streams() {
        let score = EventScore(found: [event("a", 0, 10, in: "left")], happened: [event("a", 0, 10, in: "right")])
        #expect(score.hits == 0 && score.falseAlarms == 1 && score.misses == 1 && score.f1 == 0)
        let empty = EventScore(found: [], happened: [])
        #expect(empty.precision == 1 && empty.recall == 1 && empty.f1 == 1 && empty.delay(0.5) == nil)
    }

    @Test("Scoring continuous recognition: the order of events does not matter")
    func order() {
        var random = SplitMix64(seed: 5)
        let all = (0..<40).map { number in
            let start = Int64(random.below(500))
            return event(number % 3 == 0 ? "a" : "b", start, start + 20 + Int64(random.below(60)))
        }
        let (found, happened) = (Array(all.prefix(20)), Array(all.suffix(20)))
        let score = EventScore(found: found, happened: happened)
        #expect(score.hits + score.misses == 20 && score.hits + score.falseAlarms == 20 && score.hits > 0)
        #expect(EventScore(found: found.reversed(), happened: happened.reversed()).hits == score.hits)
    }

    @Test("Scoring continuous recognition: a quantile of the delays is one of the delays")
    func delays() {
        let happened = (0..<10).map { event("a", Int64($0) * 100, Int64($0) * 100 + 50) }
        let found = happened.enumerated().map { number, event in
            EventScore.Event(
                label: "a", start: event.start, end: event.end,
                reported: Timestamp(rawValue: event.end.rawValue + Int64(number)))
        }
        let score = EventScore(found: found, happened: happened)
        #expect(score.f1 == 1 && score.delay(0.5) == 4 && score.delay(0.9) == 8 && score.delay(1) == 9)
        #expect(score.delay(.nan) == 0 && score.delay(-1) == 0 && score.delay(7) == 9)
    }
}
