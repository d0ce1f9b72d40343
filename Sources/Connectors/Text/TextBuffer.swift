import CSimdjson
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A buffer for text that keeps its memory from one frame to the next.
public struct TextBuffer: Sendable {
    private var storage: [UInt8]

    /// The number of bytes written.
    package private(set) var count = 0

    /// Whether a number was passed that JSON cannot represent (an infinity or NaN).
    package private(set) var hasNonFinite = false

    /// The content of the cells that payloads write into a table.
    enum Cells {
        /// The value.
        case values
        /// The name of the value's column.
        case names
    }

    /// Whether payloads write values or column names into the cells of a table.
    var cells = Cells.values

    /// The largest number of bytes written for a quoted string. A longer string is cut there and ends in an ellipsis.
    package var longestString = Int.max

    /// Creates an empty buffer.
    package init(capacity: Int = 4096) { storage = [UInt8](repeating: 0, count: max(64, capacity)) }

    /// Removes all text and keeps the memory.
    package mutating func clear() {
        count = 0
        hasNonFinite = false
    }

    /// Removes all text after the first `length` bytes, and resets ``hasNonFinite``.
    package mutating func truncate(to length: Int) {
        count = min(count, length)
        hasNonFinite = false
    }

    /// Removes the first `length` bytes.
    package mutating func removeFirst(_ length: Int) {
        let length = min(max(length, 0), count)
        storage.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            base.copyMemory(from: base + length, byteCount: count - length)
        }
        count -= length
    }

    /// Calls a closure with the bytes written so far.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[0..<count])) }
    }

    /// A copy of the bytes written so far.
    package var bytes: [UInt8] { Array(storage[0..<count]) }

    /// The text written so far.
    package var text: String { String(decoding: storage[0..<count], as: UTF8.self) }

    /// Reserves `capacity` bytes at the end and calls `body` to fill them. `body` returns the number of bytes it wrote.
    mutating func append(capacity: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        if count + capacity > storage.count { grow(by: count + capacity - storage.count) }
        let written = storage.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { body($0 + count) } ?? 0
        }
        count += written
    }

    /// Grows the memory to at least twice its size. Copies with `memcpy` because a loop over the bytes is slow in builds without
    /// optimization.
    private mutating func grow(by extra: Int) {
        let (old, size) = (storage.count, storage.count + max(storage.count, extra))
        storage = [UInt8](unsafeUninitializedCapacity: size) { memory, count in
            guard let start = memory.baseAddress else { return }
            storage.withUnsafeBufferPointer { if let from = $0.baseAddress { memcpy(start, from, old) } }
            memset(start + old, 0, size - old)
            count = size
        }
    }

    /// Writes one byte.
    package mutating func byte(_ byte: UInt8) {
        if count == storage.count { grow(by: 1) }
        storage[count] = byte
        count += 1
    }

    /// Removes the byte at an index.
    package mutating func removeByte(at index: Int) {
        guard index >= 0, index < count else { return }
        storage.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            (base + index).update(from: base + index + 1, count: count - index - 1)
        }
        count -= 1
    }

    /// Writes text without escaping it.
    package mutating func literal(_ text: StaticString) {
        append(capacity: text.utf8CodeUnitCount) { end in
            end.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
            return text.utf8CodeUnitCount
        }
    }

    /// Writes text without escaping it.
    package mutating func plain(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            guard let source = utf8.baseAddress else { return }
            append(capacity: utf8.count) { end in
                end.update(from: source, count: utf8.count)
                return utf8.count
            }
        }
    }

    /// Writes bytes without escaping them.
    package mutating func plain(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        append(capacity: bytes.count) { end in
            UnsafeMutableRawPointer(end).copyMemory(from: source, byteCount: bytes.count)
            return bytes.count
        }
    }

    /// Writes an integer.
    package mutating func integer(_ number: Int64) {
        append(capacity: Int(CSJ_NUMBER_TEXT)) { end in
            end.withMemoryRebound(to: CChar.self, capacity: Int(CSJ_NUMBER_TEXT)) { csj_write_int64(number, $0) }
        }
    }

    /// Writes a number as the shortest text that reads back as the same number. A whole number has no decimal point.
    package mutating func number(_ number: Double) {
        guard number.isFinite else {
            hasNonFinite = true
            return literal("null")
        }
        append(capacity: Int(CSJ_NUMBER_TEXT)) { end in
            end.withMemoryRebound(to: CChar.self, capacity: Int(CSJ_NUMBER_TEXT)) { csj_write_double(number, $0) }
        }
    }

    /// Writes `count` tuples, with commas between all numbers. A tuple is `stride` doubles long. Only the doubles at the offsets
    /// `slots` in each tuple are written.
    package mutating func tuples(
        _ numbers: UnsafePointer<Double>, count: Int, stride: Int, slots: [UInt8]
    ) {
        guard !slots.isEmpty else { return }
        var begin = 0
        while begin < count {
            // Writes in batches, because the reserved memory must fit the longest possible text. For a million numbers at once,
            // that would take a hundred megabytes.
            let part = min(count - begin, 4096)
            if begin > 0 { byte(UInt8(ascii: ",")) }
            let capacity = part * slots.count * Int(CSJ_NUMBER_TEXT)
            let before = self.count
            append(capacity: capacity) { end in
                end.withMemoryRebound(to: CChar.self, capacity: capacity) {
                    csj_write_tuples(numbers + begin * stride, part, stride, slots, slots.count, $0)
                }
            }
            guard self.count > before else { return hasNonFinite = true }
            begin += part
        }
    }

    /// Writes numbers separated by commas.
    package mutating func numbers(_ numbers: [Double]) {
        numbers.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            tuples(base, count: buffer.count, stride: 1, slots: [0])
        }
    }

    /// Writes bytes as a JSON string in base64 (RFC 4648).
    package mutating func base64(_ bytes: UnsafeRawBufferPointer) {
        let digits: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        byte(UInt8(ascii: "\""))
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group: UInt32 = 0
            for place in 0..<3 { group = group << 8 | (place < count ? UInt32(bytes[start + place]) : 0) }
            for place in 0..<4 {
                byte(place <= count ? digits.utf8Start[Int(group >> UInt32(18 - 6 * place)) & 63] : UInt8(ascii: "="))
            }
        }
        byte(UInt8(ascii: "\""))
    }
}
