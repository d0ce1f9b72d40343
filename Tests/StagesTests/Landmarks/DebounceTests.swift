import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("debounce")
struct DebounceTests {
    /// Returns the output for recognitions every 20 ms, written as letters: a letter is a category, a dash is None, and a blank is
    /// a missing frame. In the output, a dot is a recognition that was not emitted.
    private func debounced(
        _ timeline: String, _ change: (inout Debounce.Options) -> Void
    ) async -> (text: String, frames: [Frame<Recognition>], drops: [DropRecord]) {
        var options = Debounce.Options()
        change(&options)
        var frames: [Frame<Recognition>] = []
        for (index, letter) in timeline.enumerated() where letter != " " {
            let time = Timestamp.milliseconds(Int64(index) * 20)
            let category = letter == "-" ? Recognition.Category.none : .init(name: String(letter), index: 0, score: 0.9)
            frames.append(
                Frame(
                    Recognition(categories: [category], margin: 0.5, matcher: "test", start: time, end: time), at: time,
                    stream: "hand", sequence: Int64(index)))
        }
        let result = await StageHarness(Debounce(options)).run(frames)
        #expect(result.report.violations == [])
        let given = Dictionary(uniqueKeysWithValues: result.frames.map { (Int($0.sequence), $0.payload.best.name) })
        let text = timeline.enumerated().map { index, letter in
            letter == " " ? " " : given[index].map { $0 == "None" ? "-" : $0 } ?? "."
        }
        return (text.joined(), result.frames, result.drops)
    }

    @Test("debounce: a category must hold for hold_ms, to the millisecond, before it is emitted")
    func hold() async {
        #expect(await debounced("aaaaabbbbaaa") { $0.holdMs = 60 }.text == "...aa...b...")
        #expect(await debounced("aaaaa") { $0.holdMs = 61 }.text == "....a")
        #expect(await debounced("aaaaaaa") { _ in }.text == ".....aa")
        #expect(await debounced("abab") { $0.holdMs = 0 }.text == "abab")
    }

    @Test("debounce: a category must hold for a number of frames, or for both frames and time")
    func frames() async {
        #expect(await debounced("aaabaa") { $0.frames = 3 }.text == "..a...")
        #expect(await debounced("aaaaaa") { ($0.frames, $0.holdMs) = (2, 60) }.text == "...aaa")
        #expect(await debounced("aaaaaa") { ($0.frames, $0.holdMs) = (5, 60) }.text == "....aa")
    }

    @Test("debounce: a held category is emitted once, and again after another one")
    func once() async {
        let result = await debounced("aaaaaa-aaaa") { ($0.holdMs, $0.once) = (40, true) }
        #expect(result.text == "..a......a.")
        #expect(result.drops.map(\.reason) == ["repeated", "repeated", "repeated", "repeated"])
    }

    @Test("debounce: nothing is emitted during cooldown_ms after an emitted category")
    func cooldown() async {
        #expect(await debounced("aaaaaaaaa") { ($0.frames, $0.cooldownMs) = (1, 60) }.text == "a..a..a..")
        // A category that is held during the cooldown is emitted when the cooldown is over, if it is still held.
        let result = await debounced("aabbbbcc") { ($0.frames, $0.once, $0.cooldownMs) = (2, true, 80) }
        #expect(result.text == ".a...b..")
        #expect(result.drops.map(\.reason) == ["cooldown", "cooldown", "cooldown"])
    }

    @Test("debounce: after a long pause a category must hold again; a short pause does not matter")
    func pause() async {
        #expect(await debounced("aa  aa") { ($0.holdMs, $0.maxGapMs) = (60, 60) }.text == "..  aa")
        #expect(await debounced("aa   aa") { ($0.holdMs, $0.maxGapMs) = (60, 60) }.text == "..   ..")
    }

    @Test("debounce: None is held like any other category, and is emitted only with emit_none")
    func none() async {
        let result = await debounced("aa---a-") { $0.frames = 2 }
        #expect(result.text == ".a.....")
        #expect(result.drops.map(\.reason) == ["no_match", "no_match"])
        #expect(await debounced("aa---a-") { ($0.frames, $0.emitNone) = (2, true) }.text == ".a.--..")
    }

    @Test("debounce: an emitted recognition spans from the first holding frame to the last")
    func extent() async {
        let result = await debounced("baaaa") { $0.frames = 3 }
        #expect(result.frames.map(\.payload.start.rawValue) == [20_000, 20_000])
        #expect(result.frames.map(\.payload.end.rawValue) == [60_000, 80_000])
        #expect(result.frames.map(\.timestamp.rawValue) == [60_000, 80_000])
    }

    private func recognition(_ category: Recognition.Category) -> Recognition {
        Recognition(categories: [category], margin: 0.5, matcher: "test")
    }

    @Test("debounce: a stream that rests in None holds no frame, unless None is emitted", arguments: [false, true])
    func restsInNone(emitsNone: Bool) throws {
        var options = Debounce.Options()
        options.emitNone = emitsNone
        let bench = StageBench(Debounce(options))
        try bench.send(recognition(.init(name: "a", index: 0, score: 0.9)), at: .milliseconds(10))
        #expect(bench.heldSince == .milliseconds(10))
        for time in stride(from: Int64(20), to: 100, by: 20) {
            try bench.send(recognition(.none), at: .milliseconds(time))
        }
        #expect(bench.heldSince == (emitsNone ? .milliseconds(20) : nil))
    }

    @Test(
        "debounce: a hold time without pauses between recognitions is an error",
        arguments: [
            ("max_gap_ms: 0", true), ("hold_ms: 1000, max_gap_ms: 0", true), ("hold_ms: 0, max_gap_ms: 0", false),
            ("frames: 2, max_gap_ms: 0", false), ("hold_ms: 1000, max_gap_ms: 40", false),
        ])
    func neverHolds(options: String, isError: Bool) {
        let found = findings("  - debounce: { \(options) }", source: "stdin: { kind: recognition }")
        #expect(found.map(\.code) == (isError ? ["option.conflict"] : []))
    }

    @Test("debounce: a recognition that nothing follows is held for no longer than max_gap_ms")
    func silence() throws {
        var options = Debounce.Options()
        options.maxGapMs = 60
        let bench = StageBench(Debounce(options))
        func send(at ms: Int64) throws {
            try bench.send(recognition(.init(name: "a", index: 0, score: 0.9)), at: .milliseconds(ms))
        }
        try send(at: 0)
        // A frame exactly 60 ms later still continues the hold.
        try send(at: 60)
        try bench.advance(to: .milliseconds(120))
        #expect(bench.heldSince == .zero)
        try bench.advance(to: .microseconds(120_001))
        #expect(bench.heldSince == nil)
        // The hold starts over: 100 ms from here.
        for time in [130, 180, 229, 230] { try send(at: Int64(time)) }
        #expect(bench.output.map(\.timestamp) == [.milliseconds(230)])
    }
}
