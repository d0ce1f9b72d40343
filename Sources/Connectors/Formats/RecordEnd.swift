/// Finds the end of the last whole record in bytes that arrive in pieces. A record is a line with its line feed, or a
/// MessagePack document.
struct RecordEnd: Sendable {
    private let isBinary: Bool
    /// The bytes of a document that has not ended.
    private var unfinished: [UInt8] = []
    private var extent = MessagePackExtent()

    /// The number of bytes so far.
    private(set) var count: Int64 = 0
    /// The number of bytes before the end of the last whole record.
    private(set) var end: Int64 = 0
    /// Whether a byte does not begin any MessagePack value, or a document is larger than any that is read, so that no later record
    /// can be found.
    private(set) var isBroken = false

    /// The largest size of a document in bytes. A longer one is damage, and not the beginning of a record.
    private static var mostBytes: Int64 { 64 << 20 }

    /// Creates a search in lines, or in MessagePack documents.
    init(isBinary: Bool) { self.isBinary = isBinary }

    /// Whether the last record is whole.
    var isAtEnd: Bool { end == count }

    /// Adds bytes. O(bytes).
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        let before = count
        count += Int64(bytes.count)
        guard isBinary else {
            if let feed = bytes.lastIndex(of: 0x0A) { end = before + Int64(feed) + 1 }
            return
        }
        guard !isBroken else { return }
        unfinished.append(contentsOf: bytes)
        var begin = 0
        search: while begin < unfinished.count {
            let found = unfinished.withUnsafeBytes { extent.end(in: UnsafeRawBufferPointer(rebasing: $0[begin...])) }
            switch found {
            case .bytes(let size):
                begin += size
                end += Int64(size)
                extent.begin()
            case .unfinished: break search
            case .broken:
                isBroken = true
                break search
            }
        }
        unfinished.removeFirst(begin)
        if count - end > Self.mostBytes { isBroken = true }
        if isBroken { unfinished = [] }
    }
}
