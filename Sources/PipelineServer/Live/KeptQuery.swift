import Connectors
import Pipeline
import PipelineComponents

/// A request for kept items: `/api/kept`.
struct KeptQuery {
    private var id: Int?
    private var from = Int64.min
    private var to = Int64.max
    private var limit = 1000
    /// For each node that emits a requested frame, the requested nodes that the frame passes; `nil` if all frames are requested.
    private var names: [String: [String]]?
    private let wantsFrames: Bool
    private let wantsEvents: Bool
    private let keepsOldest: Bool

    private static var mostItems: Int { 5000 }
    private static var mostBytes: Int { 8 << 20 }

    /// Parses a request. Returns `nil` if `id`, `from_ms` or `to_ms` is not a whole number, `limit` not a positive one, `keep`
    /// neither `oldest` nor `newest`, or a `node` neither `*` nor a node of the graph.
    ///
    /// - Parameter emitters: Returns the nodes whose output passes a node: itself or, for a sink, those directly upstream of it;
    ///   `nil` if there is no such node.
    init?(_ request: WebRequest, emitters: (String) -> [String]?) {
        guard request.values("keep").allSatisfy(["oldest", "newest"].contains) else { return nil }
        for node in Set(request.values("node")).subtracting(["*"]).sorted() {
            guard let shown = emitters(node) else { return nil }
            names = names ?? [:]
            for emitter in shown { names?[emitter, default: []].append(node) }
        }
        wantsFrames = request.value("events") != "1"
        wantsEvents = request.value("frames") != "1"
        keepsOldest = request.value("keep") == "oldest"
        for (name, text) in request.query where ["id", "from_ms", "to_ms", "limit"].contains(name) {
            guard let number = Int64(text) else { return nil }
            switch name {
            case "id": id = Int(number)
            case "from_ms": from = number
            case "to_ms": to = number
            default:
                guard number > 0 else { return nil }
                limit = Int(min(number, Int64(Self.mostItems)))
            }
        }
    }

    private func fits(_ item: some Keepable) -> Bool {
        guard item.time <= to, id == nil || item.id == id else { return false }
        return item.node.map { names == nil || names?[$0] != nil } ?? true
    }

    /// Returns the messages about the frame of an item, one for each requested node that the frame passes.
    private func frames(_ item: some Keepable) -> [[UInt8]] {
        guard wantsFrames, let node = item.node else { return [] }
        return (names.map { $0[node] ?? [] } ?? [node]).compactMap { item.frame(at: $0) }
    }

    /// Returns the messages of the matching items, oldest first. If there are too many, returns the newest ones, or the oldest
    /// ones if the request asks for them.
    ///
    /// - Parameters:
    ///   - items: All kept items, in order of time. Finding the start time takes O(log n), and the rest O(visited items).
    ///   - kept: The memory size of the items in bytes, to report to the client; `nil` to report no size.
    func answer<Items: RandomAccessCollection>(from items: Items, bytes kept: Int? = nil) -> WebResponse
    where Items.Element: Keepable, Items.Index == Int {
        let begin = items.firstIndex(by: { $0.time >= from })
        let texts = keepsOldest ? oldest(items[begin...]) : newest(items[begin...])
        let head = JSONValue.object([
            ("version", .integer(1)), ("from_ms", items.first.map { .count($0.time) } ?? .null),
            ("to_ms", items.last.map { .count($0.time) } ?? .null), ("now_ms", .count(ServerClock.milliseconds)),
            ("bytes", kept.map { .integer($0) } ?? .null), ("truncated", .boolean(texts.isTruncated)),
        ])
        var body = Array(head.text(isIndented: false).utf8.dropLast()) + Array(",\"items\":[".utf8)
        body.reserveCapacity(body.count + texts.bytes + 4)
        for (index, text) in texts.list.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += text
        }
        return WebResponse(type: "application/json", body + Array("]}\n".utf8))
    }

    /// The messages collected for a response, within its limits.
    private struct Texts {
        let limit: Int
        var list: [[UInt8]] = []
        var bytes = 0
        var isTruncated = false

        /// Adds a message. Returns false if there is no room.
        mutating func add(_ text: [UInt8]?) -> Bool {
            guard let text else { return true }
            guard list.count < limit, bytes + text.count <= KeptQuery.mostBytes else {
                isTruncated = true
                return false
            }
            list.append(text)
            bytes += text.count + 1
            return true
        }
    }

    private func oldest(_ items: some RandomAccessCollection<some Keepable>) -> Texts {
        var texts = Texts(limit: limit)
        for item in items {
            // All later items are too late as well, because the items are in order of time.
            if item.time > to { break }
            guard fits(item) else { continue }
            guard frames(item).allSatisfy({ texts.add($0) }), texts.add(wantsEvents ? item.event : nil) else { break }
        }
        return texts
    }

    private func newest(_ items: some RandomAccessCollection<some Keepable>) -> Texts {
        var texts = Texts(limit: limit)
        for item in items.reversed() where fits(item) {
            // Add the event before the frame: the list is reversed below, and a `frame` message must come before the `result`
            // message about the same frame.
            guard texts.add(wantsEvents ? item.event : nil), frames(item).reversed().allSatisfy({ texts.add($0) })
            else { break }
        }
        texts.list.reverse()
        return texts
    }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first matching element, or the end index. All elements after a matching one must match. O(log n).
    fileprivate func firstIndex(by fits: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
