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

    private static var mostItems: Int { 5000 }
    private static var mostBytes: Int { 8 << 20 }

    /// Reads a request; `nil` when a number is none.
    init?(_ request: WebRequest) {
        nodes = Set(request.values("node").filter { $0 != "*" })
        wantsFrames = request.value("events") != "1"
        wantsEvents = request.value("frames") != "1"
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

    private func fits(_ item: KeptItem) -> Bool {
        guard item.time >= from, item.time <= to, id == nil || item.id == id else { return false }
        return item.node.map { nodes.isEmpty || nodes.contains($0) } ?? true
    }

    /// The messages that told of it, the oldest first; of too many the newest.
    func answer(from kept: KeptItems) -> WebResponse {
        var (texts, bytes, isTruncated): ([[UInt8]], Int, Bool) = ([], 0, false)
        scan: for item in kept.all.reversed() where fits(item) {
            // Turned round below: a result stands behind its frame.
            for text in [wantsEvents ? item.event : nil, wantsFrames ? item.frame : nil].compactMap({ $0 }) {
                guard texts.count < limit, bytes + text.count <= Self.mostBytes else {
                    isTruncated = true
                    break scan
                }
                texts.append(text)
                bytes += text.count + 1
            }
        }
        let head = JSONValue.object([
            ("version", .integer(1)), ("from_ms", kept.all.first.map { .count($0.time) } ?? .null),
            ("to_ms", kept.all.last.map { .count($0.time) } ?? .null), ("now_ms", .count(WallClock.milliseconds)),
            ("bytes", .integer(kept.bytes)), ("truncated", .boolean(isTruncated)),
        ])
        var body = Array(head.text(isIndented: false).utf8.dropLast()) + Array(",\"items\":[".utf8)
        body.reserveCapacity(body.count + bytes + 4)
        for (index, text) in texts.reversed().enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += text
        }
        return WebResponse(type: "application/json", body + Array("]}\n".utf8))
    }
}
