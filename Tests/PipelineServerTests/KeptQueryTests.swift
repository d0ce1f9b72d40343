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

    /// Returns the ids of the items that a query finds. Nodes a and b each have an item at 10, 20, 30 and 40 ms: a has 2, 4, 6
    /// and 8, and b has 3, 5, 7 and 9. A drop without a node, with the id 10, is at 45 ms.
    private func found(_ query: (String, String)...) throws -> [Int] {
        let items =
            (1...4).flatMap {
                [Self.item($0 * 2, Int64($0) * 10, "a"), Self.item($0 * 2 + 1, Int64($0) * 10, "b")]
            } + [Self.item(10, 45, nil)]
        var request = WebRequest()
        request.query = query.map { (name: $0.0, value: $0.1) }
        let answer = try #require(KeptQuery(request, nodes: ["a", "b"])).answer(from: items)
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
        #expect(KeptQuery(request, nodes: ["a", "b"]) == nil)
        request.query = [("node", "a"), ("node", "*"), ("limit", "1")]
        #expect(KeptQuery(request, nodes: ["a", "b"]) != nil)
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
