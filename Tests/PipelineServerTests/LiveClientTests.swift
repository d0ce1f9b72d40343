import Foundation
import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import PipelineServer

@Suite("What a client asks over the WebSocket")
struct LiveClientTests {
    private struct Ignore: Sink {
        typealias Input = TestNumber
        mutating func write(_ frame: Frame<TestNumber>) {}
    }

    private typealias Request = (op: String, members: [(key: String, value: JSONValue)], answer: String)

    /// Requests, and what their answers contain. A request without an answer is valid.
    private static var requests: [Request] {
        func watch(_ nodes: JSONValue, _ rate: JSONValue? = nil, _ answer: String = "") -> Request {
            ("watch", [("nodes", nodes)] + (rate.map { [("rate", $0)] } ?? []), answer)
        }
        let node = JSONValue.array([.string("in")])
        let (badID, badRate, badNodes) = ("ping requires id", "rate must be from 0.1 to 60", "watch requires nodes")
        return [
            ("ping", [("id", .integer(7))], "\"op\":\"pong\",\"id\":7,"),
            ("ping", [], badID), ("ping", [("id", .string("x"))], badID), ("ping", [("id", .number(1.5))], badID),
            ("ping", [("id", .number(1e16))], badID),
            watch(node, .integer(0), badRate), watch(node, .integer(61), badRate), watch(node, .string("1"), badRate),
            watch(.array([.string("in"), .integer(1)]), .integer(10), badNodes), watch(.string("in"), nil, badNodes),
            ("events", [("on", .integer(1))], "events requires on"),
            ("state", [("every_ms", .integer(1))], "every_ms must be 0"),
            watch(node), watch(node, .number(0.1)), watch(node, .integer(60)),
            ("events", [("on", .boolean(false))], ""),
            ("ping", [("id", .integer(-8))], "\"op\":\"pong\",\"id\":-8,"),
        ]
    }

    @Test("WebSocket of a run: a request that cannot be read is answered with a notice, and a valid one is not")
    func notices() async throws {
        var plan = Plan.building()
        plan.add("in", source: FramesSource([Frame(TestNumber(1), at: .zero, stream: "a", sequence: 0)]))
        plan.add("out", sink: Ignore())
        let server = try RunServer(
            plan, at: ServeOptions(ServeAddress("127.0.0.1:0")),
            identity: RunIdentity(name: "", file: "", program: ("", ""), configuration: ""))
        var options = Run.Options()
        server.attach(to: &options)
        let run = Run(plan, options: options)
        server.serve(run)
        let address = String(server.address.dropFirst("http://".count).dropLast())
        let feed = try LiveFeed(ServerClient(try #require(ServerAddress(address)), seconds: 10))
        for (op, members, _) in Self.requests { try feed.send(.object([("op", .string(op))] + members)) }
        var answers: [String] = []
        let wanted = Self.requests.map(\.answer).filter { !$0.isEmpty }
        for _ in 0..<100 where answers.count < wanted.count {
            guard let bytes = try feed.next(), let message = FrameMessage(bytes) else { continue }
            if message.op == "notice" || message.op == "pong" { answers.append(String(decoding: bytes, as: UTF8.self)) }
        }
        #expect(answers.count == wanted.count, "\(answers)")
        for (answer, wanted) in zip(answers, wanted) {
            #expect(answer.contains(wanted))
            #expect(answer.contains("server.message") == !wanted.contains("pong"), "\(answer)")
        }
        #expect(await run.finished().isSuccess)
        await server.close()
    }
}
