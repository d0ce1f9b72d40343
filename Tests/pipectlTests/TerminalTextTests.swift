import Pipeline
import Stages
import Synchronization
import Testing

@testable import PipelineCommand

@Suite("Text on a terminal")
struct TerminalTextTests {
    @Test("Terminal text: a table is as wide as its cells, without spaces at the ends of lines")
    func table() {
        var table = Table([("node", .left), ("in", .right)])
        table.add(["resample", "12"])
        table.add(["m", "1234"])
        #expect(table.text() == "node        in\nresample    12\nm         1234\n")
    }

    @Test("Terminal text: a name in a table or above a drawing cannot end its line or control the terminal")
    func escapes() {
        var table = Table([("gesture", .left), ("in", .right)])
        table.add(["a\nb\u{1B}[31m", "1"])
        #expect(table.text() == "gesture         in\na\\nb\\u{1b}[31m   1\n")
        let gesture = GestureLibrary.Gesture(
            name: "x\u{1B}[2J", samples: [Stroke(samples: [Sample(x: 0, y: 0)], subject: "y\n")])
        let drawing = LibraryListing.drawings([gesture], .plain)
        #expect(drawing.hasPrefix("x\\u{1b}[2J\nsample 1, 1 points, by y\\n\n"))
    }

    @Test("Terminal text: the plain style adds no color, and the colored style does")
    func color() {
        #expect(Style.plain.error("x") == "x")
        #expect(Style(isColored: true).error("x") == "\u{1B}[1;31mx\u{1B}[0m")
    }

    @Test(
        "Terminal text: errors and warnings begin with their code, and name the node unless it is a file with which the text begins",
        arguments: [
            (.warning, "kafka", "kafka.lost", "points/3 is lost", "warning[kafka.lost]: kafka: points/3 is lost\n"),
            (.warning, nil, nil, "left out", "warning: left out\n"),
            (.info, "pen", nil, "connected", "pen: connected\n"),
            (.error, "o", "file.unwritable", "out/x.jsonl is full", "error[file.unwritable]: o: out/x.jsonl is full\n"),
            (.error, "a.mcap", "file.unwritable", "a.mcap is full", "error[file.unwritable]: a.mcap is full\n"),
        ] as [(Log.Level, String?, String?, String, String)])
    func notice(level: Log.Level, node: String?, code: String?, text: String, line: String) {
        var notice = Notice(level, text)
        (notice.node, notice.code) = (node, code)
        #expect(notice.lines(.plain, program: "pipectl", start: "") == line)
    }

    @Test("Terminal text: messages of one line and of several erase the progress line that they overwrite")
    func progress() {
        let said = Lock("")
        let console = Console(
            writeResult: { _ in }, writeMessage: { text in said.withLock { $0 += text } }, resultStyle: .plain,
            messageStyle: .plain, resultsAreLive: false, messagesAreLive: true, width: 80, environment: [:])
        console.say("one")
        console.say(Notice(.error, ""), "two\nthree\n")
        #expect(said.withLock { $0 } == "\r\u{1B}[Kone\n\r\u{1B}[Ktwo\nthree\n")
    }
}
