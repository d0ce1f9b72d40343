import Connectors
import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("listen")
struct ListenTests {
    @Test("pipectl listen: without messages, listen says whether a peer is connected and what may be wrong")
    func silence() async throws {
        let folder = try TemporaryFolder()
        let place = "ipc://\(folder.path)/s"
        let alone = await pipectl("listen", place, "--duration=0.01")
        #expect(alone.code == .failed)
        #expect(
            alone.messages == """
                error[listen.silence]: no answer from \(place)
                  = help: is the sender running, and is that its address? A sender that connects needs --bind

                """)
        let waiting = await pipectl("listen", place, "--duration=0.01", "--bind")
        #expect(
            waiting.messages == """
                listening at \(place)
                error[listen.silence]: no peer connected to \(place)
                  = help: is the sender running, and does it connect there? Without --bind, listen connects to the sender

                """)
    }

    @Test("pipectl listen: an unanswered connection is reported once while listening goes on")
    func nobodyYet() async throws {
        let folder = try TemporaryFolder()
        let place = "ipc://\(folder.path)/s"
        for (flags, words) in [
            ([], "no answer from \(place) yet (is the sender running, and is that its address?"),
            (["--suggest"], "no answer from \(place) yet (is the sender running, and is that its address?"),
            (["--bind"], "no peer has connected to \(place) yet (is the sender running, and does it connect there?"),
        ] {
            let session = try Program.Session(try Program.path(), ["listen", place] + flags)
            let ending = await session.converse {
                // Interrupts the program only after this message.
                let first = session.readMessages(until: words)
                session.send(SIGINT)
                let ending = session.finish()
                return Program.Ending(code: ending.code, results: ending.results, messages: first + ending.messages)
            }
            #expect(ending.code == 1 && ending.results == "")
            #expect(ending.messages.components(separatedBy: " yet (").count == 2, "\(ending.messages)")
            #expect(ending.messages.contains("error[listen.silence]: "))
        }
    }

    @Test("pipectl listen: a line is written every second, also while messages arrive without a pause")
    func busy() throws {
        let words = ["listen", "ipc:///nowhere/s"]
        let invocation = try CommandLineParser(tool: .pipectl, root: .pipectl).parse(words)
        let recorder = Recorder()
        var (now, left) = (Int64(0), 45)
        let survey = try Command.take(invocation, recorder.console(), now: { now }) { _ in
            guard left > 0 else { return nil }
            (now, left) = (now + 100_000_000, left - 1)
            return ReceivedMessage(parts: [Array(#"{"p":[[1,2],[3,4]]}"#.utf8)], arrival: now)
        } silence: {
            ("", "")
        }
        #expect(survey.messages == 45)
        let lines = recorder.results.split(separator: "\n").filter { $0.contains(" messages") }
        #expect(lines.count == 4, "\(recorder.results)")
        #expect(recorder.messages == "")
    }

    @Test("pipectl listen: the help for a silent peer suggests the other socket type")
    func quiet() throws {
        var place = MessageListener.Place(try ZMQEndpoint("tcp://127.0.0.1:5556"))
        func help(_ met: MessageListener.PeerStatus = .sender) -> String {
            Command.silence(place, "tcp://127.0.0.1:5556", met: met).help
        }
        #expect(help() == "does it send at all? A sender that pushes needs --pull")
        place.subscriptions = ["pen"]
        #expect(help() == "does a topic begin with this prefix? Without --subscribe, every message is received")
        (place.subscriptions, place.socket) = ([], .pull)
        #expect(help() == "does it send at all? A sender that publishes needs no --pull")
        #expect(help(.stranger) == "a sender that publishes needs no --pull")
        place.socket = .sub
        #expect(help(.stranger) == "a sender that pushes needs --pull")
    }

    @Test("pipectl listen: text of senders cannot control the terminal")
    func escapes() throws {
        let evil = "a\u{1B}]0;pwn\u{7}\u{9B}2J\r\n\u{202E}b\u{2028}\u{200B}c"
        let key = JSONValue.quoted(evil)
        let payloads = [
            "{\(key):\(key),\"list\":[\(key)],\"inner\":{\(key):1}}", evil,
            "{\"p\":[[1,2],[3,4]],\(key):\(key),\"label\":\(key)}",
            "{\"p\":[[1,2],[3,4]],\(key):", "{\(key):[[1,2],[3,4]]}",
        ]
        let place = MessageListener.Place(try ZMQEndpoint("tcp://127.0.0.1:5556"))
        for count in 1...payloads.count {
            var survey = SenderSurvey()
            for (index, payload) in payloads.suffix(count).enumerated() {
                survey.take(
                    ReceivedMessage(parts: [Array(evil.utf8), Array(payload.utf8)], arrival: Int64(index) * 1_000_000))
            }
            for text in [ListenReport.text(survey, place, .plain), ListenReport.line(survey)] {
                #expect(text.contains(#"a\u{1b}]0;pwn\u{7}\u{9b}2J\r\n\u{202e}b\u{2028}\u{200b}c"#))
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                #expect(lines.allSatisfy { $0.shown == $0 }, "\(text.debugDescription)")
            }
        }
    }

    @Test(
        "pipectl listen: an address with a wildcard is refused with the advice to bind",
        arguments: ["tcp://*:5599", "tcp://127.0.0.1:*", "ipc://*"])
    func wildcard(endpoint: String) async {
        let answer = await pipectl("listen", endpoint)
        #expect(answer.code == .configuration)
        #expect(answer.messages.hasPrefix("error: cannot connect to \(endpoint): "))
        #expect(answer.messages.contains("help: add --bind to wait there for senders that connect"))
    }

    @Test(
        "pipectl listen: an invalid endpoint is refused with a valid example",
        arguments: [
            ("inproc://camera", "\"inproc://camera\" can be reached only from its own program"),
            ("camera", "\"camera\" is not an endpoint: it does not begin with tcp://, ipc:// or inproc://"),
            ("tcp://camera", "\"tcp://camera\" is not an endpoint: the port is missing"),
        ])
    func endpoint(text: String, words: String) async {
        let answer = await pipectl("listen", text)
        #expect(answer.code == .configuration)
        #expect(answer.messages.hasPrefix("error: \(words)\n  = help: write tcp://127.0.0.1:5556"))
    }
}
