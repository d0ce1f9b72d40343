import Foundation
import PipelineTesting
import Testing

@Suite("A run that may open few files")
struct FewFilesTests {
    /// Connects to a port of this machine, and keeps the connection; returns a negative number if nobody listens.
    private static func connection(_ port: UInt16) -> Int32 {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result != 0 else { return descriptor }
        close(descriptor)
        return -1
    }

    /// Starts a program that pushes the strokes that are written to its input.
    private static func sender(to port: Substring, _ folder: TemporaryFolder) throws -> Program.Session {
        let config = """
            version: 1
            sources:
              - stdin: { kind: stroke }
            sinks:
              - zmq: { connect: "tcp://127.0.0.1:\(port)", socket: push }

            """
        try folder.write("push.yaml", config)
        return try Program.Session(try Program.path(), ["run", "push.yaml"], folder: folder.path)
    }

    private static func stroke(_ stream: String, at time: Int) -> String {
        "{\"stream\":\"\(stream)\",\"t_us\":\(time),\"fields\":\"xy\",\"pts\":[1,2]}\n"
    }

    @Test(
        "A run that may open few files refuses new connections and says so, serves the old ones, and ends successfully",
        .timeLimit(.minutes(3)))
    func crowd() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "pull.yaml",
            """
            version: 1
            mode: live
            sources:
              - zmq: { bind: "tcp://127.0.0.1:*", socket: pull, kind: stroke, ends: 0 }
            sinks:
              - stdout

            """)
        let session = try Program.Session(
            "/bin/bash", ["-c", "ulimit -n 60; exec \"$0\" run pull.yaml 2>&1", try Program.path()],
            folder: folder.path)
        let ending = await session.converse {
            var text = ""
            /// Reads to the end of a line that contains the marker, and returns the text after the marker. Returns an empty text
            /// if the output ends before.
            func read(until marker: String) -> Substring {
                while true {
                    if let place = text.firstRange(of: marker), let end = text[place.upperBound...].firstIndex(of: "\n")
                    {
                        return text[place.upperBound..<end]
                    }
                    let more = session.readSome()
                    if more.isEmpty { return "" }
                    text += more
                }
            }
            let port = read(until: "bound to tcp://127.0.0.1:")
            let first = try? Self.sender(to: port, folder)
            first?.write(Self.stroke("before", at: 0))
            #expect(!read(until: "s  before ").isEmpty)
            let connections = (0..<90).map { _ in Self.connection(UInt16(port) ?? 0) }
            #expect(!read(until: "has no room for another connection").isEmpty)
            first?.write(Self.stroke("meanwhile", at: 1))
            #expect(!read(until: "s  meanwhile ").isEmpty)
            for connection in connections where connection >= 0 { close(connection) }
            let second = try? Self.sender(to: port, folder)
            second?.write(Self.stroke("after", at: 2))
            #expect(!read(until: "s  after ").isEmpty)
            session.send(SIGINT)
            let ending = session.finish()
            for sender in [first, second] {
                sender?.closeInput()
                sender?.send(SIGINT)
                sender?.waitForExit()
            }
            return ending
        }
        #expect(ending.code == 0)
        #expect(ending.results.contains("turned away"))
    }
}
