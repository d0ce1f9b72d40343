import Connectors
import Pipeline
import PipelineComponents

/// What somebody wants to see of what is kept: `/api/kept`.
struct KeptQuery {
    private var id: Int?
    private var from = Int64.min
    private var to = Int64.max
    private var limit = 1000
    private let nodes: Set<String>
    private let wantsFrames: Bool
    private let wantsEvents: Bool
    private let keepsOldest: Bool

    private static var mostItems: Int { 5000 }
    private static var mostBytes: Int { 8 << 20 }

    /// Reads a request; `nil` when a number is none.
    init?(_ request: WebRequest) {
        nodes = Set(request.values("node").filter { $0 != "*" })
        wantsFrames = request.value("events") != "1"
        wantsEvents = request.value("frames") != "1"
        keepsOldest = request.value("keep") == "oldest"
        for (name, text) in request.query where ["id", "from_ms", "to_ms", "limit"].contains(name) {
            guard let number = Int64(text) else { return nil }
            switch name {
            case "id": id = Int(number)
            case "from_ms": from = number
            case "to_ms": to = number
            default: limit = Int(min(max(number, 1), Int64(Self.mostItems)))
            }
        }
    }

    private func fits(_ item: some Keepable) -> Bool {
        guard item.time <= to, id == nil || item.id == id else { return false }
        return item.node.map { nodes.isEmpty || nodes.contains($0) } ?? true
    }

    /// The messages that told of it, the oldest first; of too many the newest, or the oldest where these are asked for.
    ///
    /// - Parameters:
    ///   - items: All that is kept, in the order of time. O(log n) where a time is given, then O(items looked at).
    ///   - bytes: How much memory they take; `nil` where that does not matter.
    func answer<Items: RandomAccessCollection>(from items: Items, bytes kept: Int? = nil) -> WebResponse
    where Items.Element: Keepable, Items.Index == Int {
        let begin = items.firstIndex(by: { $0.time >= from })
        let texts = keepsOldest ? oldest(items[begin...]) : newest(items[begin...])
        let head = JSONValue.object([
            ("version", .integer(1)), ("from_ms", items.first.map { .count($0.time) } ?? .null),
            ("to_ms", items.last.map { .count($0.time) } ?? .null), ("now_ms", .count(WallClock.milliseconds)),
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

    /// As many messages as are wanted and fit into one answer.
    private struct Texts {
        let limit: Int
        var list: [[UInt8]] = []
        var bytes = 0
        var isTruncated = false

        /// Takes one. Returns false when there is no room.
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
            // They are in the order of time.
            if item.time > to { break }
            guard fits(item) else { continue }
            guard texts.add(wantsFrames ? item.frame : nil), texts.add(wantsEvents ? item.event : nil) else { break }
        }
        return texts
    }

    private func newest(_ items: some RandomAccessCollection<some Keepable>) -> Texts {
        var texts = Texts(limit: limit)
        for item in items.reversed() where fits(item) {
            // Turned round below: a result stands behind its frame.
            guard texts.add(wantsEvents ? item.event : nil), texts.add(wantsFrames ? item.frame : nil) else { break }
        }
        texts.list.reverse()
        return texts
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first place whose element fits, where all behind it do; the end when none does. O(log n).
    fileprivate func firstIndex(by fits: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
