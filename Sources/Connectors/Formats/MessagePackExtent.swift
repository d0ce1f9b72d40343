/// Finds where a MessagePack document ends, while it comes piece by piece.
///
/// It goes on where it stopped: every value is looked at once, however many pieces there are. O(values) in all.
struct MessagePackExtent: Sendable {
    /// Where a document ends.
    enum End: Equatable {
        /// After so many bytes.
        case bytes(Int)
        /// Behind what has come.
        case unfinished
        /// Nobody knows: a byte begins no value.
        case broken
    }

    /// How many values have been looked at, in all documents.
    private(set) var looks = 0

    /// Where the next value begins, in bytes from the document's beginning, and how many values there are still to come.
    private var at = 0
    private var left = 1

    /// Begins with the next document.
    mutating func begin() { (at, left) = (0, 1) }

    /// Where the document ends of which these bytes have come: those given before, and more.
    mutating func end(in bytes: UnsafeRawBufferPointer) -> End {
        while left > 0 {
            guard at < bytes.count else { return .unfinished }
            looks += 1
            let first = bytes[at]
            guard first != 0xC1 else { return .broken }
            let (head, count) = Self.head(first)
            guard at + head <= bytes.count else { return .unfinished }
            var size = Int(first & Self.inlineMask(first))
            if count > 0 {
                size = 0
                for place in (at + 1)..<(at + 1 + count) { size = size << 8 | Int(bytes[place]) }
            }
            at += head
            left -= 1
            switch first {
            case 0x80...0x8F, 0xDE, 0xDF: add(2 * size)
            case 0x90...0x9F, 0xDC, 0xDD: add(size)
            case 0xA0...0xBF, 0xC4...0xC6, 0xC7...0xC9, 0xD9...0xDB: at += size
            default: break
            }
        }
        return at <= bytes.count ? .bytes(at) : .unfinished
    }

    /// Forgets as many of `count` bytes that have come as have been looked at; how many. What comes next is counted from there.
    mutating func pass(_ count: Int) -> Int {
        let passed = min(at, count)
        at -= passed
        return passed
    }

    /// Adds values to come. Billions of lists that each claim billions of values would be more than can be counted.
    private mutating func add(_ values: Int) {
        let (sum, overflow) = left.addingReportingOverflow(values)
        left = overflow ? .max : sum
    }

    /// How many bytes a value has before its content, and how many of them, behind the first, say how large that is.
    private static func head(_ first: UInt8) -> (bytes: Int, count: Int) {
        switch first {
        case 0xCC, 0xD0: (2, 0)
        case 0xCD, 0xD1: (3, 0)
        case 0xCA, 0xCE, 0xD2: (5, 0)
        case 0xCB, 0xCF, 0xD3: (9, 0)
        case 0xC4, 0xD9: (2, 1)
        case 0xC5, 0xDA, 0xDC, 0xDE: (3, 2)
        case 0xC6, 0xDB, 0xDD, 0xDF: (5, 4)
        // Of an extension the type is a byte of its own.
        case 0xC7: (3, 1)
        case 0xC8: (4, 2)
        case 0xC9: (6, 4)
        case 0xD4...0xD8: (2 + 1 << Int(first - 0xD4), 0)
        default: (1, 0)
        }
    }

    /// The bits of a first byte that say how large the value is.
    private static func inlineMask(_ first: UInt8) -> UInt8 {
        switch first {
        case 0x80...0x9F: 15
        case 0xA0...0xBF: 31
        default: 0
        }
    }
}
