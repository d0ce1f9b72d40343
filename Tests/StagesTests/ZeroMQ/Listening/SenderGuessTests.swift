import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors

/// Returns a message as received, the given number of milliseconds after the first.
private func message(_ parts: [[UInt8]], at ms: Int64 = 0) -> ReceivedMessage {
    ReceivedMessage(parts: parts, arrival: 1_000_000_000 + ms * 1_000_000)
}

private func text(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

private func packed(_ json: String) -> [UInt8] {
    (try? withPadded(json.utf8) { try MessagePackWriter().write($0) { Array($0) } }) ?? []
}

/// The messages of a sender, and the configuration that a source needs to read them.
struct Sender: Sendable, CustomTestStringConvertible {
    let name: String
    let messages: [ReceivedMessage]
    let kind: PayloadKind
    let decode: [String]

    var testDescription: String { name }

    static let all: [Sender] = [
        Sender(
            name: "our own strokes",
            messages: [
                message(text("pen/1", #"{"v":1,"kind":"stroke","seq":0,"t_us":7,"fields":"xy","pts":[1,2]}"#))
            ], kind: .stroke, decode: []),
        Sender(
            name: "our own hands in MessagePack",
            messages: [
                message([packed(#"{"v":1,"kind":"hands","seq":0,"t_us":7,"hands":[{"fields":"xy","pts":[1,2]}]}"#)])
            ], kind: .hands, decode: ["format: msgpack"]),
        Sender(
            name: "MediaPipe for the web", messages: [message(text(SenderMessages.mediaPipeWeb))], kind: .hands,
            decode: ["preset: mediapipe"]),
        Sender(
            name: "MediaPipe for Python",
            messages: [
                message(text(SenderMessages.mediaPipeNobody)), message(text(SenderMessages.mediaPipePython), at: 33),
            ], kind: .hands, decode: ["preset: mediapipe"]),
        Sender(
            name: "MediaPipe's older package in MessagePack",
            messages: [
                message([Array("hand".utf8), packed(SenderMessages.mediaPipeLegacy)])
            ], kind: .hands, decode: ["preset: mediapipe", "format: msgpack"]),
        Sender(
            name: "Pupil Core", messages: [message([Array("gaze.3d.0.".utf8), packed(SenderMessages.pupil)])],
            kind: .landmarks, decode: ["preset: pupil"]),
        Sender(
            name: "OpenPose", messages: [message(text(SenderMessages.openPose))], kind: .hands,
            decode: ["preset: openpose"]),
        Sender(
            name: "63 numbers", messages: [message(text(SenderMessages.flat))], kind: .hands, decode: ["preset: flat63"]
        ),
        Sender(
            name: "63 numbers with a time",
            messages: (0..<3).map {
                message(
                    text("{\"landmarks\":\(SenderMessages.flat),\"timestamp\":\(1700000000.5 + Double($0) / 30)}"),
                    at: 33 * Int64($0))
            }, kind: .hands, decode: ["preset: flat63", "t: timestamp", "t_unit: s"]),
        Sender(
            name: "63 numbers as CSV",
            messages: [
                message(text(String(SenderMessages.flat.dropFirst().dropLast())))
            ], kind: .hands, decode: ["preset: flat63", "format: csv"]),
        Sender(
            name: "a pen whose name has a comma in it",
            messages: (0..<4).map {
                message(text("\"pen, red\",\(100 + $0 * $0 % 5),\(50 - $0),\n"), at: 16 * Int64($0))
            }, kind: .points, decode: ["format: csv", "columns: { x: 2, y: 3, stream: 1 }"]),
        Sender(
            name: "a mouse",
            messages: (0..<5).map {
                message(text(#"{"x":\#(100 + $0),"y":\#(50 + $0),"t":\#(1000 + 16 * $0)}"#), at: 16 * Int64($0))
            }, kind: .points, decode: ["points: \"$\"", "t: t", "t_unit: ms"]),
        Sender(
            name: "a mouse with a label, which points do not have",
            messages: (0..<5).map {
                message(
                    text(#"{"x":\#(100 + $0),"y":\#(50 + $0),"t":\#(1000 + 16 * $0),"label":"drag"}"#),
                    at: 16 * Int64($0))
            }, kind: .points, decode: ["points: \"$\"", "t: t", "t_unit: ms"]),
        Sender(
            name: "a pen behind a topic in the same frame",
            messages: (0..<4).map {
                message(text(#"pen/1 {"type":"move","pos":{"x":\#($0),"y":2},"seq":\#($0 + 7)}"#), at: 8 * Int64($0))
            }, kind: .points, decode: ["topic_delimiter: \" \"", "points: pos", "seq: seq", "phase: type"]),
        Sender(
            name: "two hands side by side",
            messages: [
                message(
                    text(
                        "{\"left\":\(SenderMessages.rows),\"right\":\(SenderMessages.rows),\"frame\":12,\"ts_ms\":4000}"
                    ))
            ], kind: .hands, decode: ["left: left", "right: right", "t: ts_ms", "t_unit: ms", "seq: frame"]),
        Sender(
            name: "a list of hands with their sides",
            messages: [
                message(
                    text("{\"hands\":[{\"label\":\"Left\",\"score\":0.5,\"keypoints\":\(SenderMessages.points())}]}"))
            ], kind: .hands,
            decode: ["points: \"hands[*].keypoints\"", "handedness: \"hands[*].label\"", "score: \"hands[*].score\""]),
        Sender(
            name: "a list of hands with a confidence for each point",
            messages: [
                message(
                    text(
                        "{\"hands\":[{\"score\":0.5,\"keypoints\":\(SenderMessages.rows),\"scores\":\(SenderMessages.confidences)}]}"
                    ))
            ], kind: .hands,
            decode: ["points: \"hands[*].keypoints\"", "conf: \"hands[*].scores\"", "score: \"hands[*].score\""]),
        Sender(
            name: "a list of hands with nobody in sight at the end",
            messages: (0..<8).map {
                let hands = $0 > 4 ? "" : "{\"label\":\"Left\",\"score\":0.5,\"keypoints\":\(SenderMessages.points())}"
                return message(
                    text("{\"hands\":[\(hands)],\"frame\":\($0),\"ts\":\(1700000000.25 + Double($0) / 30)}"),
                    at: 33 * Int64($0))
            }, kind: .hands,
            decode: [
                "points: \"hands[*].keypoints\"", "handedness: \"hands[*].label\"", "score: \"hands[*].score\"",
                "t: ts",
                "t_unit: s", "seq: frame",
            ]),
        Sender(
            name: "strokes with times",
            messages: [
                message(
                    text(
                        #"{"user":"ann","path":[{"x":1,"y":2,"t":1700000000100},{"x":2,"y":2,"t":1700000000108},{"x":3,"y":4,"t":1700000000116}],"label":"tick"}"#
                    ))
            ], kind: .stroke, decode: ["points: path", "t_unit: ms", "label: label"]),
        Sender(
            name: "rows of a tablet",
            messages: (0..<4).map {
                message(text("\(Double($0) / 100 + 5.25),\($0 * 3),\($0 * 2)"), at: 10 * Int64($0))
            }, kind: .points, decode: ["format: csv", "t_unit: s", "columns: { x: 2, y: 3, t: 1 }"]),
        Sender(
            name: "text with a name in front", messages: [message(text("pen7 0.5 0.25"))], kind: .points,
            decode: ["format: text", "columns: { x: 2, y: 3, stream: 1 }"]),
        Sender(
            name: "a tool of four points",
            messages: (0..<3).map {
                message(
                    text(#"{"data":{"pts":[[1,2,3],[4,5,6],[7,8,9],[1,1,1]]},"device":"arm","n":\#($0)}"#),
                    at: 10 * Int64($0))
            }, kind: .landmarks, decode: ["points: data.pts", "seq: n", "stream: device"]),
        Sender(
            name: "strokes of pairs, some with as many points as a hand",
            messages: strokes { "[" + (0..<$0).map { "[\($0),5]" }.joined(separator: ",") + "]" }, kind: .stroke,
            decode: ["points: p", "t: t_us", "t_unit: us"]),
        Sender(
            name: "strokes as one list of numbers",
            messages: strokes { "[" + (0..<$0).map { "\($0),5" }.joined(separator: ",") + "]" }, kind: .stroke,
            decode: ["points: p", "fields: xy", "t: t_us", "t_unit: us"]),
        Sender(
            name: "strokes in columns",
            messages: strokes { "{\"x\":\(Array(0..<$0)),\"y\":\(Array(5..<(5 + $0)))}" }, kind: .stroke,
            decode: ["points: p", "t: t_us", "t_unit: us"]),
        Sender(
            name: "a hand in columns",
            messages: [
                message(text("{\"hand\":{\"x\":\(Array(0..<21)),\"y\":\(Array(1..<22)),\"z\":\(Array(2..<23))}}"))
            ],
            kind: .hands, decode: ["points: hand"]),
    ]

    /// Returns messages with strokes of 21, 5, 40, 9 and 21 points. The points are written by `points`.
    private static func strokes(_ points: (Int) -> String) -> [ReceivedMessage] {
        [21, 5, 40, 9, 21].enumerated().map { index, count in
            message(text("{\"p\":\(points(count)),\"t_us\":\(1_000_000 + 33_333 * index)}"), at: 33 * Int64(index))
        }
    }
}

/// A sender whose keys would change the meaning of a configuration if they were not quoted.
struct NastySender: Sendable, CustomTestStringConvertible {
    let key: String
    /// The messages, with points below the key and a time next to it.
    var messages: [ReceivedMessage] {
        (0..<4).map {
            let key = JSONValue.quoted(key)
            let time = JSONValue.quoted("ts " + self.key)
            return message(
                text("{\(key):{\(key):\(SenderMessages.rows)},\(time):\(1_700_000_000_000 + 33 * Int64($0))}"),
                at: 33 * Int64($0))
        }
    }

    var testDescription: String { key.debugDescription }

    static let all = [
        "@ts", "'q", "\"q\"", "- a", "a: b", "x #y", "line\nbreak", "pts\nstages:\n  - tap #", "{a", "}", "true",
        "null", "~",
        "12", "a\\", "$", "$x", "${HOME}", "$$", "&a", "*a", "**", "!a", "%", ",", " ", "\t", "\r\n", "\u{1}", "\u{7F}",
        "\u{85}",
        "\u{2028}", "\u{202E}", "\u{FEFF}", "\u{301}", "\u{600}", "图",
        "pts\nstages:\n  - zmq_request: { connect: \"tcp://evil:1\" } #",
    ].map(NastySender.init)
}

@Suite("The configuration that listen guesses")
struct SenderGuessTests {
    @Test("The guessed configuration is what a person would write", arguments: Sender.all)
    func guess(sender: Sender) throws {
        let guess = try #require(SenderGuess(sender.messages))
        #expect(guess.kind == sender.kind)
        #expect(guess.decode.entries.map { "\($0.name): \($0.yaml)" } == sender.decode)
    }

    @Test(
        "The guessed configuration reads the messages from which it was guessed when they arrive over a socket",
        arguments: Sender.all)
    func works(sender: Sender) async throws { _ = try await readBack(sender.messages) }

    @Test(
        "The guessed configuration is only a source and a sink, whatever the keys of messages are",
        arguments: NastySender.all)
    func keys(sender: NastySender) async throws {
        let guess = try await readBack(sender.messages)
        let keys = guess.decode.points.first?.steps
        #expect(keys == [.key(sender.key), .key(sender.key)])
        #expect(guess.decode.t.first?.steps == [.key("ts " + sender.key)])
    }

    @Test(
        "The guessed configuration names only keys that a path can name",
        arguments: ["a.b", "a[0]", "a]", "", ".", String(repeating: "k", count: 300)])
    func unspeakable(key: String) throws {
        let messages = [
            "{\(JSONValue.quoted(key)):\(SenderMessages.rows)",
            "{\"p\":{\(JSONValue.quoted(key)):\(SenderMessages.rows)}",
        ]
        for message in messages {
            #expect(SenderGuess([StagesTests.message(text(message + "}"))]) == nil)
            let guess = try #require(
                SenderGuess([StagesTests.message(text(message + ",\"h\":\(SenderMessages.rows)}"))]))
            #expect(guess.decode.points.map(\.description) == ["h"])
        }
    }

    @Test("A listener does not take messages that are larger than what a source takes by default")
    func hugeMessages() throws {
        var place = MessageListener.Place(try ZMQEndpoint("tcp://127.0.0.1:*"))
        (place.isBound, place.socket) = (true, .pull)
        let listener = try MessageListener(place)
        let huge = RawPeer()
        huge.isPatient = false
        #expect(huge.connect(listener.endpoint))
        huge.send([[UInt8](repeating: 0x20, count: ZMQSource.Options().maxMessageBytes + 1)])
        // The messages of one sender arrive in order, so the huge one would arrive first. Sends until the sender has reconnected.
        var message: ReceivedMessage?
        while message == nil {
            huge.send("small")
            message = try listener.next(before: SystemClock().now + 20_000_000)
        }
        #expect(message?.parts.map(\.count) == [5])
        listener.close()
    }

    /// Guesses the configuration for messages, sends them to the proposed pipeline, and checks that it reads them.
    private func readBack(_ messages: [ReceivedMessage]) async throws -> SenderGuess {
        var place = MessageListener.Place(try ZMQEndpoint("tcp://127.0.0.1:*"))
        (place.isBound, place.socket) = (true, .pull)
        let listener = try MessageListener(place)
        let peer = RawPeer()
        #expect(peer.connect(listener.endpoint))
        var survey = SenderSurvey()
        for message in messages {
            peer.send(message.parts)
            survey.take(
                ReceivedMessage(
                    parts: try #require(try listener.next(before: .max)).parts, arrival: message.arrival))
        }
        listener.close()
        let guess = try #require(survey.guess)
        let yaml = guess.yaml(place)
        let loaded = PipelineLoader(registry: .standard).load(text: yaml)
        #expect(DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics) == "")
        let log = LogLines()
        var options = log.options
        options.limit = 1
        let run = Run(try #require(loaded.plan), options: options)
        run.start()
        let second = RawPeer()
        // The run ends with the first frame, so later messages need not arrive.
        second.isPatient = false
        #expect(second.connect(await log.next("bound to ")))
        for message in messages { second.send(message.parts) }
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes.map(\.id) == ["zmq", "stdout"])
        #expect(report.ledger.nodes[0].emitted >= 1 && report.ledger.nodes[0].failed == 0)
        return guess
    }

    @Test(
        "No configuration is guessed if nothing in the messages looks like points",
        arguments: [
            "hello", #"{"status":"ok"}"#, #"{"temperature":21.5,"unit":"C"}"#, "", "\u{0}\u{1}", "[]", #"{"a":[1]}"#,
            #"{"levels":[1,2,3,4,5,6,7,8]}"#,
        ])
    func none(text: String) { #expect(SenderGuess([message([Array(text.utf8)])]) == nil) }

    @Test("A guess that later messages contradict is given up, and columns with other names have a remedy")
    func contradicted() {
        var survey = SenderSurvey()
        survey.take(message(text(#"{"v":[1,2]}"#)))
        #expect(survey.guess?.decode.points.map(\.description) == ["v"] && survey.remedy == nil)
        survey.take(message(text(#"{"v":[1,2,3,4,5]}"#), at: 10))
        #expect(survey.guess == nil)
        survey.take(message(text(#"{"a":[{"Xs":[1,2],"Ys":[3,4],"ts":[5,6]}]}"#), at: 20))
        #expect(survey.guess == nil)
        #expect(survey.remedy?.hasPrefix("name the lists \"Xs\" and \"Ys\" x and y,") == true)
    }

    @Test("The guess is made again when a better message comes, and the survey counts lost messages")
    func survey() throws {
        var survey = SenderSurvey()
        survey.take(message(text("hello")))
        #expect(survey.guess == nil && survey.messages == 1)
        for (index, number) in [0, 1, 4, 5].enumerated() {
            survey.take(message(text("{\"seq\":\(number),\"p\":[[1,2],[3,\(number)]]}"), at: 500 * Int64(index)))
        }
        let stream = try #require(survey.streams.first { $0.name == "" })
        #expect(survey.guess?.decode.seq.map(\.description) == ["seq"])
        #expect(stream.lost == 2)
        #expect(stream.text.hasPrefix("2 samples") || stream.text.contains("2 landmarks"))
    }

    @Test(
        "The survey says what arrived when nothing looks like points",
        arguments: [
            ([""], "an empty payload"), (["hello\nyou"], "hello\nyou"), (["\u{0}\u{1}\u{FF}"], "\u{0}\u{1}\u{FF}"),
            (["a", "b", "{}"], "a message of 3 frames"),
            ([#"{"status":"ok","list":[1,2]}"#], "status: \"ok\""),
        ])
    func outline(parts: [String], words: String) {
        var survey = SenderSurvey()
        survey.take(message(parts.map { Array($0.utf8) }))
        #expect(survey.streams.first?.outline.first == words)
    }

    @Test(
        "The survey counts unreadable messages before and after readable ones",
        arguments: [
            ([[0xFF, 0xFE]], "2 bytes that are neither JSON, MessagePack nor text"), ([[]], "an empty payload"),
            ([[0x20, 0x0A]], "an empty payload"),
            (
                text("a", "b", "c"), "a message of 3 frames; a source reads a payload, or a topic and a payload"
            ),
            (text(#"{"a":"#), nil), (text("[1,2"), nil), (text("[1,2]]"), nil), ([[0x93, 0x01]], nil),
        ] as [([[UInt8]], String?)])
    func unreadable(parts: [[UInt8]], words: String?) throws {
        var survey = SenderSurvey()
        survey.take(message(parts))
        #expect(survey.streams.map(\.failed) == [1])
        let error = try #require(survey.streams[0].error)
        #expect(error.location?.hasPrefix("message 1") == true)
        if let words { #expect(error.message == words) }
        survey.take(message(text("{\"p\":\(SenderMessages.rows)}"), at: 33))
        #expect(survey.guess != nil)
        survey.take(message(parts, at: 66))
        #expect(survey.streams.map(\.failed).reduce(0, +) == 2)
    }

    @Test("The survey guesses as well with garbage between the messages as without it")
    func garbage() throws {
        var survey = SenderSurvey()
        for number in 0..<100 {
            survey.take(message(text("{\"seq\":\(number),\"p\":[[1,2],[3,\(number)]]}"), at: 2 * Int64(number)))
            // Far more garbage than the survey has room for samples.
            if number == 0 { for _ in 0..<100 { survey.take(message([[0xFF, 0xFE]], at: 1)) } }
        }
        #expect(survey.guess?.decode.seq.map(\.description) == ["seq"])
        #expect(survey.failed == 100)
    }

    @Test(
        "The survey does not count a readable message without points as failed",
        arguments: ["hello", #"{"status":"ok"}"#, "[]", "null", "5"])
    func readable(payload: String) {
        var survey = SenderSurvey()
        survey.take(message(text(payload)))
        #expect(survey.streams.map(\.failed) == [0] && survey.guess == nil)
    }
}
