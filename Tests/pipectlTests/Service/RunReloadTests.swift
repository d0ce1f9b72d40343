import Foundation
import PipelineTesting
import Synchronization
import Testing

@testable import PipelineCommand

@Suite("A configuration that is reloaded")
struct RunReloadTests {
    private static func echo(points: Int = 16, _ more: String = "") -> String {
        """
        version: 1
        name: echo
        sources:
          - stdin: { kind: stroke }
        stages:
          - resample: { points: \(points) }
        sinks:
          - stdout: { format: jsonl }
        \(more)
        """
    }

    private static func stroke(_ number: Int) -> String {
        """
        {"v":1,"kind":"stroke","stream":"pen","seq":\(number),"t_us":\(1000 * (number + 1)),"fields":"xy",\
        "pts":[0,0,1,\(number + 1)]}

        """
    }

    /// Returns the number of coordinates of an output stroke.
    private static func size(_ line: String) -> Int {
        let points = line.components(separatedBy: "\"pts\":[").last?.components(separatedBy: "]").first ?? ""
        return points.split(separator: ",").count
    }

    @Test("pipectl run: SIGHUP reloads the configuration for the next frames, and reports the changes")
    func hangup() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("echo.yaml", Self.echo())
        let listener = try NotifyListener("\(folder.path)/notify")
        let session = try Program.Session(
            try Program.path(), ["run", "echo.yaml"], environment: ["NOTIFY_SOCKET": listener.name],
            folder: folder.path)
        let ending = await session.converse {
            session.write(Self.stroke(0))
            #expect(Self.size(session.readSome()) == 32)
            _ = try? folder.write("echo.yaml", Self.echo(points: 8))
            session.send(SIGHUP)
            #expect(session.readMessages(until: "reloaded: ").contains("reloaded: ~ resample\n"))
            session.write(Self.stroke(1))
            #expect(Self.size(session.readSome()) == 16)
            session.send(SIGHUP)
            #expect(session.readMessages(until: "nothing").contains("reloaded: nothing has changed\n"))
            for _ in 0..<2 {
                #expect(listener.messages(until: "MONOTONIC_USEC=").last?.hasPrefix("RELOADING=1\n") == true)
                #expect(listener.messages(until: "READY=1").last?.hasPrefix("READY=1") == true)
            }
            session.closeInput()
            return session.finish()
        }
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(ending.messages.contains("ledger: every frame is accounted for"))
    }

    /// Invalid configurations, each with another error.
    private static let wrong: [String] = {
        func replaced(_ old: String, _ new: String) -> String { echo().replacingOccurrences(of: old, with: new) }
        return [
            "", "[1, 2", replaced("version: 1", "version: 99"), replaced("resample:", "resampel:"),
            replaced("points:", "pionts:"), replaced("16", "many"), replaced("16", "1"),
            replaced("points: 16", "points: 16, points: 17"), replaced("  - stdin", "\t- stdin"),
            replaced("sources:\n  - stdin: { kind: stroke }\n", ""), echo("nonsense: true"),
            replaced("points: 16", "points: 16, from: nowhere"), replaced("points: 16", "points: 16, from: resample"),
            replaced("16", "${NOWHERE_AT_ALL}"),
            replaced("resample: { points: 16 }", "match: { library: nowhere.json }"),
            replaced("  - resample: { points: 16 }", "  - resample\n  - resample"),
            replaced("kind: stroke", "kind: vector"), replaced("16", "!tag 16"),
            replaced("points: 16", "points: 16, on_error: perhaps"), echo("max_streams: 7"), echo("mode: live"),
            replaced("stdout: { format: jsonl }", "file: { path: no/such/folder/out.jsonl }"),
        ]
    }()

    @Test("pipectl run: a configuration that is refused changes nothing, whatever is wrong with it")
    func refused() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("echo.yaml", Self.echo())
        let session = try Program.Session(try Program.path(), ["run", "echo.yaml"], folder: folder.path)
        let ending = await session.converse {
            for (number, text) in Self.wrong.enumerated() {
                session.write(Self.stroke(number))
                #expect(Self.size(session.readSome()) == 32, "\(text)")
                _ = try? folder.write("echo.yaml", text)
                session.send(SIGHUP)
                let said = session.readMessages(until: "continues with the old one\n")
                #expect(said.contains("error"), "\(text)\n\(said)")
            }
            session.closeInput()
            return session.finish()
        }
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(ending.messages.contains(/stdout +22 +22\s/), "\(ending.messages)")
    }

    @Test("pipectl run: a reload refuses a configuration that has become a pipe, and does not wait for its writer")
    func pipe() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("echo.yaml", Self.echo())
        let session = try Program.Session(try Program.path(), ["run", "echo.yaml"], folder: folder.path)
        let ending = await session.converse {
            session.write(Self.stroke(0))
            #expect(Self.size(session.readSome()) == 32)
            try? FileManager.default.removeItem(atPath: path)
            mkfifo(path, 0o600)
            session.send(SIGHUP)
            #expect(session.readMessages(until: "continues with the old one\n").contains("[reload.pipe]"))
            session.closeInput()
            return session.finish()
        }
        #expect(ending.code == 0, "\(ending.messages)")
    }

    @Test("pipectl run --serve: POST /api/reload answers with what has changed, or with the findings")
    func post() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("echo.yaml", Self.echo())
        let served = try ServedProgram("echo.yaml", folder: folder.path)
        func post() async throws -> [String: Any] {
            let ending = try await Program.shell(
                "exec curl -s --max-time 20 -X POST -H 'Content-Length: 0' \"$0\"", [served.url + "api/reload"])
            return try #require(
                try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [String: Any], "\(ending)")
        }
        _ = try await served.state { $0["phase"] as? String == "running" }
        _ = try folder.write(
            "echo.yaml",
            Self.echo(points: 8).replacingOccurrences(
                of: "sinks:", with: "  - resample: { id: again, points: 8 }\nsinks:"))
        var answer = try await post()
        #expect(answer["changed"] as? [String] == ["resample", "stdout"], "\(answer)")
        #expect(answer["added"] as? [String] == ["again"])
        let nodes = try await served.document("/api/state")["nodes"] as? [[String: Any]]
        #expect(nodes?.compactMap { $0["id"] as? String } == ["stdin", "resample", "again", "stdout"])
        _ = try folder.write("echo.yaml", Self.echo(points: 1))
        answer = try await post()
        #expect(answer["reloaded"] as? Bool == false)
        #expect((answer["findings"] as? [[String: Any]])?.first?["code"] as? String == "option.range", "\(answer)")
        #expect(await served.interrupt().code == 0)
    }

    @Test("pipectl tap: the command shows the frames of a node also after a reload, and ends with the run")
    func tap() async throws {
        @Sendable func pen(_ points: Int) -> String {
            """
            version: 1
            mode: live
            sources:
              - synthetic: { count: 0, rate_hz: 100, rate: 1 }
            stages:
              - resample: { points: \(points) }
            sinks:
              - discard
            """
        }
        let folder = try TemporaryFolder()
        _ = try folder.write("pen.yaml", pen(16))
        let served = try ServedProgram("pen.yaml", folder: folder.path)
        let tap = try Program.Session(try Program.path(), ["tap", served.host, "resample"])
        let ending = await tap.converse {
            // A point has two coordinates and a time.
            #expect(Self.size(tap.readLine()) == 48)
            _ = try? folder.write("pen.yaml", pen(8))
            served.session.send(SIGHUP)
            #expect(served.session.readMessages(until: "reloaded: ").contains("reloaded: "))
            var size = 48
            for _ in 0..<1000 where size == 48 { size = Self.size(tap.readLine()) }
            #expect(size == 24)
            served.session.send(SIGINT)
            return tap.finish()
        }
        #expect(ending.code == 0 && ending.messages == "", "\(ending.messages)")
        #expect(await served.session.converse { served.session.finish() }.code == 0)
    }

    @Test("pipectl run --serve: a run that has ended refuses a reload, also of an unchanged configuration")
    func ended() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("echo.yaml", Self.echo())
        let served = try ServedProgram("echo.yaml", "--keep-serving", folder: folder.path)
        served.session.closeInput()
        _ = try await served.state { $0["phase"] as? String == "ended" }
        let answer = try await Program.shell(
            "exec curl -s -i --max-time 20 -X POST -H 'Content-Length: 0' \"$0\"", [served.url + "api/reload"])
        #expect(answer.results.contains(" 409 ") && answer.results.contains("reload.not_running"), "\(answer)")
        let ending = await served.interrupt()
        #expect(ending.code == 0 && ending.messages.contains("[reload.not_running]: the run is ended"), "\(ending)")
        #expect(!ending.messages.contains("continues with the old one"), "\(ending.messages)")
    }

    @Test("pipectl run: a reload reads a gesture library again if its content has changed")
    func library() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("shapes.json", try Repository.read("Samples/shapes.json"))
        _ = try folder.write(
            "match.yaml",
            Self.echo().replacingOccurrences(of: "resample: { points: 16 }", with: "match: { library: shapes.json }"))
        let session = try Program.Session(try Program.path(), ["run", "match.yaml"], folder: folder.path)
        let ending = await session.converse {
            session.write(Self.stroke(0))
            _ = session.readSome()
            session.send(SIGHUP)
            #expect(session.readMessages(until: "reloaded: ").contains("nothing has changed"))
            let shapes = (try? Repository.read("Samples/shapes.json")) ?? ""
            _ = try? folder.write("shapes.json", shapes + "\n")
            session.send(SIGHUP)
            #expect(session.readMessages(until: "reloaded: ").contains("~ match\n"))
            session.closeInput()
            return session.finish()
        }
        #expect(ending.code == 0, "\(ending.messages)")
    }

    @Test(
        "pipectl run: after a change of any stage that prepares strokes, a matcher answers as in a run that starts with the change",
        arguments: [
            "resample: { points: 8 }", "normalize: { rotate: indicative }", "vectorize: { layout: directions }",
        ])
    func preparation(_ change: String) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("shapes.json", try Repository.read("Samples/shapes.json"))
        let stages = ["resample: { points: 16 }", "normalize: { scale: uniform }", "vectorize: {}"]
        func configuration(_ stages: [String]) -> String {
            let steps = stages + ["match: { library: shapes.json, method: cosine, max_distance: 2 }"]
            return Self.echo().replacingOccurrences(
                of: "resample: { points: 16 }", with: steps.joined(separator: "\n  - "))
        }
        let stage = change.prefix { $0 != ":" }
        let changed = configuration(stages.map { $0.hasPrefix(stage) ? change : $0 })
        // The first and the fourth stroke are of the same pen, so both reach the same instance of the matcher. A stroke of another
        // pen would get a new instance.
        let strokes = try Repository.read("Samples/session.jsonl").split(separator: "\n").map { "\($0)\n" }
        _ = try folder.write("match.yaml", configuration(stages))
        let session = try Program.Session(try Program.path(), ["run", "match.yaml"], folder: folder.path)
        let ending = await session.converse {
            session.write(strokes[0])
            _ = session.readSome()
            _ = try? folder.write("match.yaml", changed)
            session.send(SIGHUP)
            let said = session.readMessages(until: "reloaded: ")
            #expect(said.contains("~ \(stage)") && said.contains(" match"), "\(said)")
            session.write(strokes[3])
            session.closeInput()
            return session.finish()
        }
        #expect(ending.code == 0, "\(ending.messages)")
        let fresh = try await Program.run("run", "-q", "match.yaml", input: strokes[3], folder: folder.path)
        #expect(fresh.code == 0 && !fresh.results.isEmpty, "\(fresh.messages)")
        #expect(ending.results.hasSuffix(fresh.results), "\(ending.results)")
    }

    @Test("pipectl run: a gesture library inside each is read again when its contents change")
    func nestedLibrary() async throws {
        let folder = try TemporaryFolder()
        let hands = try Repository.read("Samples/hands.json")
        _ = try folder.write("hands.json", hands)
        _ = try folder.write(
            "hands.yaml",
            """
            version: 1
            sources: [stdin: { kind: hands, space: normalized, y: down }]
            stages: [each: { stages: [recognize_hand: { custom: { library: hands.json } }] }]
            sinks: [stdout: { format: jsonl }]

            """)
        let frame = try Repository.read("Samples/two-hands.jsonl").split(separator: "\n").first.map { "\($0)\n" } ?? ""
        let session = try Program.Session(try Program.path(), ["run", "hands.yaml"], folder: folder.path)
        let ending = await session.converse {
            session.write(frame)
            _ = session.readSome()
            _ = try? folder.write("hands.json", hands + "\n")
            session.send(SIGHUP)
            #expect(session.readMessages(until: "reloaded: ").contains("~ each\n"))
            session.closeInput()
            return session.finish()
        }
        #expect(ending.code == 0, "\(ending.messages)")
    }

    @Test("pipectl run: every message is delivered once over ZeroMQ, however often the configuration changes")
    func messages() async throws {
        let environment = ProcessInfo.processInfo.environment
        let reloads = environment["PIPELINE_RELOADS"].flatMap { Int($0) } ?? 20
        let folder = try TemporaryFolder()
        @Sendable func receive(_ turn: Int) -> String {
            """
            version: 1
            mode: live
            live: { in_flight: 64, capacity: 1000000 }
            sources:
              - zmq: { id: pen, bind: "ipc://\(folder.path)/pen", socket: pull, kind: stroke, ends: 1 }
            stages:
              - resample: { points: \(turn % 2 == 0 ? 16 : 8) }
            \(turn % 3 == 2 ? "  - resample: { id: again, points: 8 }\n" : "")sinks:
              - file: { path: out.jsonl }
            """
        }
        _ = try folder.write("receive.yaml", receive(0))
        _ = try folder.write(
            "send.yaml",
            """
            version: 1
            sources:
              - stdin: { kind: stroke }
            sinks:
              - zmq: { connect: "ipc://\(folder.path)/pen", socket: push, linger_ms: 10000 }
            """)
        let listener = try NotifyListener("\(folder.path)/notify")
        let receiver = try Program.Session(
            try Program.path(), ["run", "receive.yaml"], environment: ["NOTIFY_SOCKET": listener.name],
            folder: folder.path)
        let sender = try Program.Session(try Program.path(), ["run", "send.yaml"], folder: folder.path)
        let process = receiver.identifier
        let (before, after) = (Box(), Box())
        let sending = Sending()
        let ending = await receiver.converse {
            _ = listener.messages(until: "READY=1")
            // Sends about 5,000 strokes a second, until the last reload is finished.
            Thread.detachNewThread {
                var number = 0
                while number < 2000 || !sending.mayEnd.load(ordering: .acquiring) {
                    sender.write(Self.stroke(number))
                    number += 1
                    if number.isMultiple(of: 50) { usleep(10_000) }
                }
                sending.count.store(number, ordering: .releasing)
                sender.closeInput()
            }
            // Waits until strokes have passed under the current configuration.
            func waitForStrokes() {
                let written = Self.bytes("\(folder.path)/out.jsonl")
                for _ in 0..<2000 where Self.bytes("\(folder.path)/out.jsonl") == written { usleep(10_000) }
            }
            waitForStrokes()
            for turn in 1...reloads {
                _ = try? folder.write("receive.yaml", receive(turn))
                receiver.send(SIGHUP)
                let said = receiver.readMessages(until: "reloaded: ")
                _ = listener.messages(until: "READY=1")
                #expect(said.contains("~ resample"), "\(said)")
                waitForStrokes()
                if turn == max(1, reloads / 5) { before.value = Self.memory(of: process) }
            }
            sending.mayEnd.store(true, ordering: .releasing)
            after.value = Self.memory(of: process)
            return receiver.finish()
        }
        _ = await sender.converse { sender.finish() }
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(ending.messages.contains("ledger: every frame is accounted for"), "\(ending.messages)")
        let count = sending.count.load(ordering: .acquiring)
        let lines = try String(contentsOfFile: "\(folder.path)/out.jsonl", encoding: .utf8).split(separator: "\n")
        let numbers = lines.compactMap { $0.firstMatch(of: /"seq":([0-9]+)/).flatMap { Int($0.1) } }
        #expect(lines.count == count)
        #expect(numbers == Array(0..<lines.count))
        // The sizes of the strokes change in the order of the configurations.
        let points = (0...reloads).map { $0 % 2 == 0 && $0 % 3 != 2 ? 16 : 8 }
        #expect(Self.runs(lines.map { Self.size(String($0)) }) == Self.runs(points.map { 2 * $0 }))
        print(
            "\(reloads) reloads, \(lines.count) of \(count) strokes; resident: \(before.value) kB, then \(after.value) kB"
        )
        #expect(before.value > 0 && after.value < before.value + 20_000)
    }

    /// Returns a list without elements that equal the one before.
    private static func runs(_ list: [Int]) -> [Int] {
        list.indices.filter { $0 == 0 || list[$0] != list[$0 - 1] }.map { list[$0] }
    }

    /// Returns the size of a file; 0 if it does not exist.
    private static func bytes(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    private final class Box: @unchecked Sendable { var value = 0 }

    /// The state that the sending thread and the test share.
    private final class Sending: Sendable {
        let mayEnd = Atomic(false)
        let count = Atomic(0)
    }

    /// Returns the resident memory of a process, in kB.
    private static func memory(of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
}
