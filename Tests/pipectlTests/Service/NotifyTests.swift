import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("The program as a service")
struct NotifyTests {
    private static let waiting = """
        version: 1
        mode: live
        sources:
          - zmq: { id: pen, bind: "tcp://127.0.0.1:*", socket: pull, kind: stroke }
        sinks:
          - discard

        """

    /// A pipeline that reads nothing from outside, and writes endlessly into a pipe.
    private static let endless = """
        version: 1
        sources:
          - synthetic: { count: 0 }
        sinks:
          - file: { id: out, path: pipe, if_exists: overwrite, format: jsonl }

        """

    @Test("As a service, the program reports that it is ready once everything is open, and that it stops")
    func readyAndStopping() async throws {
        let folder = try TemporaryFolder()
        try folder.write("live.yaml", Self.waiting)
        var names = ["\(folder.path)/notify"]
        #if os(Linux)
            names.append("@pipectl-test-\(getpid())")
        #endif
        for name in names {
            let listener = try NotifyListener(name)
            let session = try Program.Session(
                try Program.path(), ["run", "live.yaml"], environment: ["NOTIFY_SOCKET": name], folder: folder.path)
            let ending = await session.converse {
                #expect(listener.next() == "READY=1\nSTATUS=running")
                session.send(SIGTERM)
                #expect(
                    listener.messages(until: "STOPPING").last == "STOPPING=1\nSTATUS=finishing the frames in flight")
                return session.finish()
            }
            #expect(ending.code == 0, "\(ending.messages)")
            // The run has bound its socket.
            #expect(ending.messages.contains("pen: bound to tcp://127.0.0.1:"))
            #expect(listener.waiting == [], "it stops once")
        }
    }

    @Test("As a service, the program is never ready if something cannot be opened")
    func notReady() async throws {
        let folder = try TemporaryFolder()
        try folder.write("live.yaml", Self.waiting.replacing("- discard", with: "- file: { path: no/out.jsonl }"))
        let listener = try NotifyListener("\(folder.path)/notify")
        let ending = try await Program.run(
            "run", "live.yaml", environment: ["NOTIFY_SOCKET": listener.name], folder: folder.path)
        #expect(ending.code == 3)
        #expect(listener.waiting.allSatisfy { !$0.contains("READY") })
    }

    @Test("As a service, the program feeds the watchdog while it waits for messages")
    func idle() async throws {
        let folder = try TemporaryFolder()
        try folder.write("live.yaml", Self.waiting)
        let listener = try NotifyListener("\(folder.path)/notify")
        let session = try Program.Session(
            try Program.path(), ["run", "live.yaml"],
            environment: ["NOTIFY_SOCKET": listener.name, "WATCHDOG_USEC": "80000"], folder: folder.path)
        let ending = await session.converse {
            for _ in 0..<5 { #expect(listener.messages(until: "WATCHDOG=1").allSatisfy { !$0.contains("hangs") }) }
            session.send(SIGINT)
            return session.finish()
        }
        #expect(ending.code == 0)
    }

    @Test("As a service, the program does not feed the watchdog while a node hangs, and names the node")
    func hanging() async throws {
        let folder = try TemporaryFolder()
        try folder.write("endless.yaml", Self.endless)
        #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        let listener = try NotifyListener("\(folder.path)/notify")
        let session = try Program.Session(
            try Program.path(), ["run", "endless.yaml"],
            environment: ["NOTIFY_SOCKET": listener.name, "WATCHDOG_USEC": "80000"], folder: folder.path)
        let pipe = "\(folder.path)/pipe"
        let ending = await session.converse {
            // The process that has opened the pipe does not read from it. Written data fills the pipe, and the writer hangs.
            let reader = open(pipe, O_RDONLY)
            let said = listener.messages(until: "hangs: ")
            #expect(said.last == "STATUS=hangs: out")
            readAway(reader)
            _ = listener.messages(until: "WATCHDOG=1")
            session.send(SIGTERM)
            return session.finish()
        }
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(ending.messages.contains("warning[run.hangs]: makes no progress: out\n"))
    }

    @Test("As a service, the program reports the monotonic time of a reload, and its end")
    func reloading() throws {
        let folder = try TemporaryFolder()
        let listener = try NotifyListener("\(folder.path)/notify")
        let console = Recorder().console(environment: ["NOTIFY_SOCKET": listener.name])
        let service = try #require(ServiceManager(console))
        service.ready()
        #expect(listener.next()?.hasPrefix("READY=1\n") == true)
        service.reloading()
        service.reloaded()
        let lines = (listener.next() ?? "").split(separator: "\n")
        #expect(lines.first == "RELOADING=1")
        let since = try #require(lines.dropFirst().first?.wholeMatch(of: /MONOTONIC_USEC=([0-9]+)/))
        let uptime = ProcessInfo.processInfo.systemUptime
        #expect(abs((Double(since.1) ?? 0) / 1e6 - uptime) < 600)
        #expect(listener.next()?.hasPrefix("READY=1\n") == true)
        // A status is always one line, whatever it contains.
        service.say("a\nREADY=1")
        #expect(listener.next() == "STATUS=a\\nREADY=1")
    }

    @Test(
        "As a service, the program reports no reload before it is ready or after it stops, and no readiness after it stops"
    )
    func reloadingOutsideTheRun() throws {
        let folder = try TemporaryFolder()
        let listener = try NotifyListener("\(folder.path)/notify")
        let console = Recorder().console(environment: ["NOTIFY_SOCKET": listener.name])
        let service = try #require(ServiceManager(console))
        service.reloading()
        service.reloaded()
        service.stopping()
        service.ready()
        service.reloading()
        service.reloaded()
        #expect(listener.waiting == ["STOPPING=1\nSTATUS=finishing the frames in flight"])
    }

    @Test(
        "As a service, the program does not report that it is ready if SIGHUP arrives while a component is still being opened"
    )
    func hangupWhileOpening() async throws {
        let folder = try TemporaryFolder()
        try folder.write("endless.yaml", Self.endless)
        #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        let listener = try NotifyListener("\(folder.path)/notify")
        let session = try Program.Session(
            try Program.path(), ["run", "endless.yaml"], environment: ["NOTIFY_SOCKET": listener.name],
            folder: folder.path)
        let ending = await session.converse {
            _ = session.readMessages(until: "waiting for a reader")
            session.send(SIGHUP)
            _ = session.readMessages(until: "reloaded: nothing has changed")
            session.send(SIGTERM)
            return session.finish()
        }
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(listener.waiting.allSatisfy { !$0.contains("READY") && !$0.contains("RELOADING") })
    }

    @Test(
        "As a service, the program reads the watchdog's interval in microseconds, unless WATCHDOG_PID is another process"
    )
    func watchdog() {
        #expect(ServiceManager.watchdog([:], process: 7) == nil)
        #expect(ServiceManager.watchdog(["WATCHDOG_USEC": "30000000"], process: 7) == 30_000_000_000)
        #expect(ServiceManager.watchdog(["WATCHDOG_USEC": "30", "WATCHDOG_PID": "7"], process: 7) == 30_000)
        for environment in [
            ["WATCHDOG_USEC": "30", "WATCHDOG_PID": "8"], ["WATCHDOG_USEC": "x"], ["WATCHDOG_USEC": "0"],
            ["WATCHDOG_USEC": "-5"], ["WATCHDOG_USEC": "9223372036854775807"],
        ] { #expect(ServiceManager.watchdog(environment, process: 7) == nil) }
    }

    @Test(
        "As a service, the program runs even if its manager's socket does not exist, and says so once",
        arguments: ["x", "/no/where"])
    func noSocket(name: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("short.yaml", "version: 1\nsources: [synthetic: { count: 1 }]\nsinks: [discard]\n")
        let ending = try await Program.run(
            "run", "short.yaml", environment: ["NOTIFY_SOCKET": name], folder: folder.path)
        #expect(ending.code == 0)
        #expect(ending.messages.components(separatedBy: "NOTIFY_SOCKET").count == 2)
    }
}
