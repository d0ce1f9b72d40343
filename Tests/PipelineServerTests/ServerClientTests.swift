import Foundation
import Pipeline
import Testing

@testable import PipelineServer

@Suite("What top and tap read from a server")
struct ServerClientTests {
    private func client(_ server: CannedServer) throws -> ServerClient {
        ServerClient(try #require(ServerAddress("127.0.0.1:\(server.port)")), seconds: 1)
    }

    private static func answer(_ headers: String, _ body: String) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\n\(headers)\r\n\(body)".utf8)
    }

    @Test(
        "A client reads a body of the given length, or everything until the connection ends",
        arguments: [("Content-Length: 2\r\n", "{}"), ("Content-Length:2 \r\n", "{} "), ("", "{}")])
    func bodies(_ headers: String, _ body: String) throws {
        let server = try #require(CannedServer(Self.answer(headers, body), then: .closes))
        #expect(try client(server).get("/api/state") == Array("{}".utf8))
    }

    @Test(
        "A client refuses an answer whose length is negative, larger than 64 MB, or not a number",
        arguments: ["-1", "67108865", "9223372036854775807", "99999999999999999999", "two", ""])
    func lengths(_ length: String) throws {
        let server = try #require(CannedServer(Self.answer("Content-Length: \(length)\r\n", "{}"), then: .stalls))
        #expect(throws: PipelineError.self) { try client(server).get("/api/state") }
    }

    @Test(
        "A client refuses an answer that ends or stalls before it is complete",
        arguments: [
            ("Content-Length: 10\r\n", CannedServer.Ending.closes), ("Content-Length: 10\r\n", .stalls), ("", .stalls),
        ])
    func parts(_ headers: String, _ ending: CannedServer.Ending) throws {
        let server = try #require(CannedServer(Self.answer(headers, "{}"), then: ending))
        #expect(throws: PipelineError.self) { try client(server).get("/api/state") }
    }

    // `@unchecked Sendable`: the thread does not end before the test does.
    private struct Reader: @unchecked Sendable { let thread: pthread_t }

    private static let upgraded = Array("HTTP/1.1 101 Switching Protocols\r\n\r\n".utf8)

    @Test(
        "A client refuses a WebSocket message whose length would overflow or is larger than 64 MB",
        arguments: [
            [0x80, 0, 0, 0, 0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0, 4, 0, 0, 1],
        ])
    func messages(_ length: [UInt8]) throws {
        let server = try #require(CannedServer(Self.upgraded + [0x81, 127] + length + [0x7B, 0x7D], then: .stalls))
        let feed = try LiveFeed(try client(server))
        #expect(throws: PipelineError.self) { try feed.next() }
    }

    @Test(
        "A client reads a whole WebSocket message, even if a pause or a signal comes between its parts",
        arguments: [1, 2, 3, 4, 100, 204])
    func pieces(_ count: Int) throws {
        let whole: [UInt8] = [0x81, 126, 0, 200] + [UInt8](repeating: 0x20, count: 200)
        let server = try #require(
            CannedServer(Self.upgraded + whole[..<count], whole[count...] + whole, then: .closes))
        let feed = try LiveFeed(try client(server))
        // A signal during the pause interrupts the wait for data.
        signal(SIGWINCH) { _ in }
        let reader = Reader(thread: pthread_self())
        Thread.detachNewThread {
            usleep(150_000)
            pthread_kill(reader.thread, SIGWINCH)
        }
        for _ in 0..<2 {
            var message: [UInt8]?
            while message == nil { message = try feed.next() }
            #expect(message == Array(whole[4...]))
        }
        #expect(throws: PipelineError.self) { try feed.next() }
    }
}
