import Foundation
import Testing

@testable import PipelineServer

@Suite("What is kept")
struct KeptQueryTests {
    private static func item(_ id: Int, _ time: Int64, _ node: String?, bytes: Int = 2) -> KeptItem {
        let text = Array("\"\(id)\(String(repeating: "x", count: bytes))\"".utf8)
        return KeptItem(
            id: id, time: time, node: node, frame: node == nil ? nil : text, event: node == nil ? text : nil)
    }

    /// Returns the numbers of the items that a query finds. The items come from two nodes, at the times 10, 20, and so on, with a
    /// drop at 45.
    private func found(_ query: (String, String)...) throws -> [Int] {
        let items =
            (1...4).flatMap {
                [Self.item($0 * 2, Int64($0) * 10, "a"), Self.item($0 * 2 + 1, Int64($0) * 10, "b")]
            } + [Self.item(10, 45, nil)]
        var request = WebRequest()
        request.query = query.map { (name: $0.0, value: $0.1) }
        let answer = try #require(KeptQuery(request)).answer(from: items)
        let document = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return try #require(document?["items"] as? [String]).compactMap { Int($0.prefix { $0.isNumber }) }
    }

    @Test("is chosen by time, node and number, the oldest first")
    func choice() throws {
        #expect(try found() == [2, 3, 4, 5, 6, 7, 8, 9, 10])
        #expect(try found(("node", "a")) == [2, 4, 6, 8, 10])
        #expect(try found(("from_ms", "20"), ("to_ms", "30")) == [4, 5, 6, 7])
        #expect(try found(("from_ms", "99")) == [])
        #expect(try found(("id", "5")) == [5])
        #expect(try found(("events", "1")) == [10])
        #expect(try found(("node", "b"), ("frames", "1")) == [3, 5, 7, 9])
    }

    @Test("is the newest of too many, or the oldest where these are asked for")
    func limit() throws {
        #expect(try found(("limit", "3")) == [8, 9, 10])
        #expect(try found(("limit", "3"), ("keep", "oldest")) == [2, 3, 4])
        #expect(try found(("limit", "2"), ("keep", "oldest"), ("from_ms", "25")) == [6, 7])
    }

    @Test("is refused to who asks with words in place of numbers")
    func words() {
        var request = WebRequest()
        request.query = [("from_ms", "yesterday")]
        #expect(KeptQuery(request) == nil)
    }

    @Test("stays under a number of bytes and seconds")
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
