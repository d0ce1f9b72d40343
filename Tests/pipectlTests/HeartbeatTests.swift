import Foundation
import Pipeline
import PipelineTesting
import Testing

@Suite("A receiver that is behind")
struct HeartbeatTests {
    private static func frame(_ body: [UInt8], flags: UInt8 = 0) -> [UInt8] { [flags, UInt8(body.count)] + body }

    // Sends the greeting and READY of a push socket without security, waits for the start of the answers, and sends the rest.
    // The script leaves data unread, so the system resets the connection when the script ends.
    private static let script = """
        exec 3<>"/dev/tcp/127.0.0.1/$0"
        head -c 64 "$1" >&3
        head -c 64 <&3 >/dev/null
        head -c 92 "$1" | tail -c +65 >&3
        head -c 2 <&3 >/dev/null
        tail -c +93 "$1" >&3
        """

    @Test(
        "A slow receiver reads the next sender after one that fills its queue, sends heartbeats and resets the connection"
    )
    func reset() async throws {
        let folder = try TemporaryFolder()
        let greeting: [UInt8] =
            [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 3, 0] + Array("NULL".utf8) + [UInt8](repeating: 0, count: 48)
        let ready = [5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 4] + Array("PUSH".utf8)
        var bytes = greeting + Self.frame(ready, flags: 4)
        #expect(bytes.count == 92)
        for number in 0..<8000 {
            bytes += Self.frame([0x61], flags: 1)
            bytes += Self.frame(Array("{\"t_us\":\(number),\"fields\":\"xy\",\"pts\":[1,2]}".utf8))
            bytes += Self.frame([4] + Array("PING".utf8) + [0, 0], flags: 4)
        }
        let words = try folder.write("words", bytes: bytes)
        let receiver = try folder.write(
            "receiver.yaml",
            """
            version: 1
            sources:
              - zmq: { bind: "tcp://127.0.0.1:*", socket: pull, kind: stroke, ends: 1 }
            sinks:
              - stdout: { format: jsonl }
            """)
        let session = try Program.Session(try Program.path(), ["run", receiver])
        let port = try #require(Self.port(session))
        // Nobody reads the output of the receiver, so it falls behind.
        let spoken = try await Program.shell(
            Self.script, [port, words])
        #expect(spoken.code == 0, "\(spoken.messages)")
        let stroke = try folder.write(
            "stroke.jsonl",
            #"{"v":1,"kind":"stroke","stream":"good","seq":0,"t_us":0,"fields":"xy","pts":[1,2]}"# + "\n")
        let sender = try folder.write(
            "sender.yaml",
            """
            version: 1
            sources:
              - file: { path: \(stroke) }
            sinks:
              - zmq: { connect: "tcp://127.0.0.1:\(port)", socket: push, linger_ms: 20000 }
            """)
        let end = Task { await session.converse { session.finish() } }
        let sent = try await Program.run("run", "-q", sender)
        #expect(sent.code == 0, "\(sent.messages)")
        let ending = await end.value
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(ending.results.contains("\"stream\":\"good\""))
    }

    /// Waits until the program logs the port that it is bound to, and returns the port.
    private static func port(_ session: Program.Session) -> String? {
        var heard = ""
        while true {
            if let place = heard.firstRange(of: "bound to tcp://127.0.0.1:"),
                let end = heard[place.upperBound...].firstIndex(of: "\n")
            {
                return String(heard[place.upperBound..<end])
            }
            let more = session.readMessages(until: "\n")
            if more.isEmpty { return nil }
            heard += more
        }
    }
}
