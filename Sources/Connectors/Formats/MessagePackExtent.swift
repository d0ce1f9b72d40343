/// Finds the end of a MessagePack document while its bytes arrive in pieces.
///
/// Each call continues where the previous one stopped, so every value is examined once, regardless of the number of pieces.
/// O(values) in total.
struct MessagePackExtent: Sendable {
    /// The result of a search for the end of a document.
    enum End: Equatable {
        /// The document ends after the given number of bytes.
        case bytes(Int)
        /// The document ends after the bytes that have arrived.
        case unfinished
        /// The end is unknown: a byte does not begin any value.
        case broken
    }

    /// The number of values examined so far, in all documents.
    private(set) var examinedValues = 0

    /// The position of the next value, in bytes from the beginning of the document, and the number of values that remain.
    private var at = 0
    private var left = 1

    /// Starts the search in the next document.
    mutating func begin() { (at, left) = (0, 1) }

    /// Searches for the end of the document.
    ///
    /// - Parameter bytes: All bytes of the document that have arrived: those passed before, followed by new ones.
    mutating func end(in bytes: UnsafeRawBufferPointer) -> End {
        while left > 0 {
            guard at < bytes.count else { return .unfinished }
            examinedValues += 1
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

    /// Drops the bytes that have been examined, so that later positions are counted from there.
    ///
    /// - Parameter count: The number of bytes that have arrived.
    /// - Returns: The number of bytes dropped, at most `count`.
    mutating func pass(_ count: Int) -> Int {
        let passed = min(at, count)
        at -= passed
        return passed
    }

    /// Adds to the number of remaining values. Nested lists that each claim billions of values would overflow the count, so it
    /// saturates.
    private mutating func add(_ values: Int) {
        let (sum, overflow) = left.addingReportingOverflow(values)
        left = overflow ? .max : sum
    }

    /// Returns the number of bytes before the content of a value, and the number of bytes after the first that encode the size of
    /// the content.
    private static func head(_ first: UInt8) -> (bytes: Int, count: Int) {
        switch first {
        case 0xCC, 0xD0: (2, 0)
        case 0xCD, 0xD1: (3, 0)
        case 0xCA, 0xCE, 0xD2: (5, 0)
        case 0xCB, 0xCF, 0xD3: (9, 0)
        case 0xC4, 0xD9: (2, 1)
        case 0xC5, 0xDA, 0xDC, 0xDE: (3, 2)
        case 0xC6, 0xDB, 0xDD, 0xDF: (5, 4)
        // An extension has one more byte, for its type.
        case 0xC7: (3, 1)
        case 0xC8: (4, 2)
        case 0xC9: (6, 4)
        case 0xD4...0xD8: (2 + 1 << Int(first - 0xD4), 0)
        default: (1, 0)
        }
    }

    /// Returns the bits of a first byte that encode the size of the value.
    private static func inlineMask(_ first: UInt8) -> UInt8 {
        switch first {
        case 0x80...0x9F: 15
        case 0xA0...0xBF: 31
        default: 0
        }
    }
}
