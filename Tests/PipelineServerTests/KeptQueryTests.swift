import Foundation
import Testing

@testable import PipelineServer

@Suite("Kept frames and events")
struct KeptQueryTests {
    private static func item(_ id: Int, _ time: Int64, _ node: String?, bytes: Int = 2) -> KeptItem {
        let text = Array("\"\(id)".utf8) + Array(repeating: UInt8(ascii: "x"), count: bytes) + [UInt8(ascii: "\"")]
        return KeptItem(
            id: id, time: time, node: node, frame: node == nil ? nil : text, event: node == nil ? text : nil)
    }

    /// The emitters of a graph with the nodes a and b, and two sinks: out receives from b, and both from a and b.
    private static func emitters(_ node: String) -> [String]? {
        ["a": ["a"], "b": ["b"], "out": ["b"], "both": ["a", "b"]][node]
    }

    /// Returns the ids of the items that a query finds. Nodes a and b each have an item at 10, 20, 30 and 40 ms: a has 2, 4, 6
    /// and 8, and b has 3, 5, 7 and 9. A drop without a node, with the id 10, is at 45 ms.
    private func found(_ query: (String, String)...) throws -> [Int] {
        let items =
            (1...4).flatMap {
                [Self.item($0 * 2, Int64($0) * 10, "a"), Self.item($0 * 2 + 1, Int64($0) * 10, "b")]
            } + [Self.item(10, 45, nil)]
        var request = WebRequest()
        request.query = query.map { (name: $0.0, value: $0.1) }
        let answer = try #require(KeptQuery(request, emitters: Self.emitters)).answer(from: items)
        let document = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return try #require(document?["items"] as? [String]).compactMap { Int($0.prefix { $0.isNumber }) }
    }

    @Test(
        "A query selects kept items by time, node, id and type, the oldest first; an event without a node fits every node"
    )
    func choice() throws {
        #expect(try found() == [2, 3, 4, 5, 6, 7, 8, 9, 10])
        #expect(try found(("node", "a")) == [2, 4, 6, 8, 10])
        #expect(try found(("from_ms", "20"), ("to_ms", "30")) == [4, 5, 6, 7])
        #expect(try found(("from_ms", "99")) == [])
        #expect(try found(("id", "5")) == [5])
        #expect(try found(("events", "1")) == [10])
        #expect(try found(("node", "b"), ("frames", "1")) == [3, 5, 7, 9])
    }

    @Test("A query for a sink finds the frames that the sink receives, as frames of the sink; results keep their node")
    func sinks() throws {
        func text(_ op: String, _ id: Int, _ node: String) -> String {
            "{\"op\":\"\(op)\",\"id\":\(id),\"at_ms\":10,\"node\":\"\(node)\",\"payload\":{\"node\":\"b\"}}"
        }
        let items = [(1, "a"), (2, "b")].map { id, node in
            KeptItem(
                id: id, time: 10, node: node, frame: Array(text("frame", id, node).utf8),
                event: Array(text("result", id, node).utf8))
        }
        func found(_ nodes: String...) throws -> String {
            var request = WebRequest()
            request.query = nodes.map { (name: "node", value: $0) }
            let answer = try #require(KeptQuery(request, emitters: Self.emitters)).answer(from: items)
            return try #require(
                String(decoding: answer.body, as: UTF8.self).components(separatedBy: "\"items\":[").last)
        }
        let (a, b) = (text("result", 1, "a"), text("result", 2, "b"))
        #expect(try found("out") == "\(text("frame", 2, "out")),\(b)]}\n")
        #expect(try found("b", "out") == "\(text("frame", 2, "b")),\(text("frame", 2, "out")),\(b)]}\n")
        #expect(try found("both") == "\(text("frame", 1, "both")),\(a),\(text("frame", 2, "both")),\(b)]}\n")
    }

    @Test("A query with a limit returns the newest items, or with keep=oldest the oldest")
    func limit() throws {
        #expect(try found(("limit", "3")) == [8, 9, 10])
        #expect(try found(("limit", "3"), ("keep", "newest")) == [8, 9, 10])
        #expect(try found(("limit", "3"), ("keep", "oldest")) == [2, 3, 4])
        #expect(try found(("limit", "2"), ("keep", "oldest"), ("from_ms", "25")) == [6, 7])
    }

    @Test(
        "A query with a word in place of a number, no positive limit, another word for keep, or an unknown node is refused",
        arguments: [
            ("from_ms", "yesterday"), ("limit", "abc"), ("limit", "0"), ("limit", "-1"), ("keep", "foo"), ("keep", ""),
            ("node", "c"), ("node", "A"),
        ])
    func refused(parameter: (name: String, value: String)) {
        var request = WebRequest()
        request.query = [("node", "a"), parameter]
        #expect(KeptQuery(request, emitters: Self.emitters) == nil)
        request.query = [("node", "a"), ("node", "*"), ("limit", "1")]
        #expect(KeptQuery(request, emitters: Self.emitters) != nil)
    }

    @Test("Kept items stay within limits of bytes and seconds")
    func bounds() {
        var kept = KeptItems()
        for id in 0..<200 { kept.add(Self.item(id, Int64(id) * 1000, "a", bytes: 1 << 20)) }
        #expect(kept.bytes <= KeptItems.mostBytes && kept.all.last?.id == 199 && kept.all.count > 20)
        kept.forget(at: 199_000 + 60_000 - 5000)
        #expect(kept.all.map(\.id) == Array(194...199))
        kept.forget(at: 1_000_000)
        #expect(kept.all.isEmpty && kept.bytes == 0)
    }
}
