import Pipeline

/// The messages of one partition that must be read again although later messages are done. A message is done when the pipeline
/// holds nothing that came from it.
///
/// A consumer group stores one offset per partition. All messages before the offset are done, but often also many after it: while
/// one pen draws a stroke, others finish theirs. So this value is stored as a text with the offset. Every message before ``next``
/// is done, except the messages of the streams in ``streams``, each from its offset on, and the messages whose offsets are in
/// ``runs``.
struct HeldMessages: Sendable, Equatable {
    /// The offset after the last message that the pipeline has taken over.
    var next: Int64
    /// The offset of a stream's first message that is not done, by the hash of the stream's name. All later messages of the stream
    /// before ``next`` are not done either.
    var streams: [UInt64: Int64] = [:]
    /// Offsets of further messages that are not done, in ascending order.
    var runs: [Range<Int64>] = []
    /// What sinks have already written for messages that are not done: for each stream of these messages, by the hash of its name,
    /// the number of the last frame of each output.
    var written: [UInt64: [OutputKey: OutputNumber]] = [:]

    /// The offset of the first message that is not done.
    var first: Int64 { min(next, streams.values.min() ?? next, runs.first?.lowerBound ?? next) }

    /// Returns whether a message is not done. `hash` is the hash of its stream's name; `nil` if it has no stream.
    func contains(_ offset: Int64, _ hash: UInt64?) -> Bool {
        if offset >= next { return true }
        if let hash, let from = streams[hash], offset >= from { return true }
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].contains(offset)
    }

    /// Adds an offset to ``runs``. It must be larger than all offsets there.
    mutating func append(_ offset: Int64) {
        if let last = runs.last, last.upperBound == offset {
            runs[runs.count - 1] = last.lowerBound..<offset + 1
        } else {
            runs.append(offset..<offset + 1)
        }
    }
}

// MARK: The hash of a stream

extension HeldMessages {
    /// The number of bits of a hash.
    static let hashBits = 40

    /// Returns the hash of a stream's name (FNV-1a, mixed and cut to 40 bits). The stored text contains hashes, so this function
    /// must never change.
    ///
    /// If two streams have the same hash, ``PartitionProgress`` lists the offsets of their messages instead.
    static func hash(_ stream: StreamID) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in stream.name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ (hash >> 32)) &* 0x9E37_79B9_7F4A_7C15
        return hash >> UInt64(64 - hashBits)
    }
}

// MARK: As text

/// The text is `p2:`, followed by these fields in base64 without padding:
///
/// 1. the distance of ``next`` from the committed offset
/// 2. the number of streams
/// 3. for each stream, ordered by offset: the distance of its offset from the previous one, and its hash in five bytes
/// 4. the number of streams with written output, and if there are any, the earliest time of their numbers
/// 5. for each of these streams, ordered by hash: its hash in five bytes, the number of outputs, and for each output, ordered by key:
///    its key in eight bytes, and its last number: the distance of its time from the earliest one, and its count
/// 6. for each run: the distance of its start from the end of the previous run, and its length minus one
/// 7. a checksum in four bytes
///
/// The first stream and the first run have distances from the committed offset. Numbers have seven bits per byte, the lowest
/// first. The checksum also covers the committed offset, so the text is valid only with the offset that it was stored with.
extension HeldMessages {
    private static let mark = "p2:"
    private static let checksumBytes = 4

    /// Reads the text that was stored with an offset. Returns `nil` if it was not written by ``text(at:limit:)``, or is damaged.
    init?(_ text: String, at offset: Int64) {
        guard offset >= 0, text.hasPrefix(Self.mark),
            let bytes = Base64Text.decode(text.utf8.dropFirst(Self.mark.utf8.count)), bytes.count > Self.checksumBytes
        else { return nil }
        let content = bytes.dropLast(Self.checksumBytes)
        guard Array(bytes.suffix(Self.checksumBytes)) == Self.checksum(content, offset) else { return nil }
        var reader = VarintReader(content)
        guard let length = reader.number(), let count = reader.number(), count <= content.count,
            let next = Self.sum(offset, length)
        else { return nil }
        self.next = next
        var last = offset
        for _ in 0..<count {
            guard let step = reader.number(), let from = Self.sum(last, step), from < next,
                let hash = reader.fixed(Self.hashBits / 8), streams[hash] == nil
            else { return nil }
            streams[hash] = from
            last = from
        }
        guard let written = Self.written(&reader) else { return nil }
        self.written = written
        last = offset
        while !reader.isAtEnd {
            guard let gap = reader.number(), let length = reader.number(), let start = Self.sum(last, gap),
                let end = Self.sum(start, length), end < next
            else { return nil }
            runs.append(start..<end + 1)
            last = end + 1
        }
    }

    /// Returns the text to store with `offset`, which must be ``first``. The text is empty if all messages before ``next`` are
    /// done. Returns `nil` if the text would have more than `limit` bytes.
    func text(at offset: Int64, limit: Int) -> String? {
        if streams.isEmpty && runs.isEmpty { return "" }
        // Each run has at least two bytes.
        guard streams.count <= limit, runs.count <= limit, written.count <= limit else { return nil }
        var bytes = VarintWriter()
        bytes.number(next - offset)
        bytes.number(Int64(streams.count))
        var last = offset
        for (hash, from) in streams.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            bytes.number(from - last)
            bytes.fixed(hash, Self.hashBits / 8)
            last = from
        }
        write(written, into: &bytes)
        last = offset
        for run in runs {
            bytes.number(run.lowerBound - last)
            bytes.number(Int64(run.count) - 1)
            last = run.upperBound
        }
        let text = Self.mark + Base64Text.encode(bytes.bytes + Self.checksum(bytes.bytes[...], offset))
        return text.utf8.count <= limit ? text : nil
    }

    private func write(_ written: [UInt64: [OutputKey: OutputNumber]], into bytes: inout VarintWriter) {
        bytes.number(Int64(written.count))
        guard !written.isEmpty else { return }
        let earliest = written.values.lazy.flatMap(\.values).map(\.time).min() ?? 0
        bytes.number(earliest)
        for (hash, outputs) in written.sorted(by: { $0.key < $1.key }) {
            bytes.fixed(hash, Self.hashBits / 8)
            bytes.number(Int64(outputs.count))
            for (key, last) in outputs.sorted(by: { $0.key < $1.key }) {
                bytes.fixed(key.hash, 8)
                bytes.number(last.time - earliest)
                bytes.number(last.count)
            }
        }
    }

    private static func written(_ reader: inout VarintReader) -> [UInt64: [OutputKey: OutputNumber]]? {
        guard let count = reader.number() else { return nil }
        var written: [UInt64: [OutputKey: OutputNumber]] = [:]
        guard count > 0 else { return written }
        guard let earliest = reader.number() else { return nil }
        for _ in 0..<count {
            guard let hash = reader.fixed(hashBits / 8), let length = reader.number(), written[hash] == nil else {
                return nil
            }
            var outputs: [OutputKey: OutputNumber] = [:]
            for _ in 0..<length {
                guard let key = reader.fixed(8), let step = reader.number(), let time = sum(earliest, step),
                    let count = reader.number()
                else { return nil }
                outputs[OutputKey(hash: key)] = OutputNumber(time: time, count: count)
            }
            written[hash] = outputs
        }
        return written
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>, _ offset: Int64) -> [UInt8] {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(bitPattern: offset)
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ (hash >> 32)) &* 0x9E37_79B9_7F4A_7C15
        return (0..<checksumBytes).map { UInt8(truncatingIfNeeded: hash >> UInt64(56 - 8 * $0)) }
    }

    private static func sum(_ one: Int64, _ other: Int64) -> Int64? {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow || sum == .max ? nil : sum
    }
}

/// Writes numbers with seven bits per byte.
private struct VarintWriter {
    var bytes: [UInt8] = []

    /// Writes a number that is not negative.
    mutating func number(_ number: Int64) {
        var rest = UInt64(max(0, number))
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func fixed(_ number: UInt64, _ count: Int) {
        for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
    }
}

/// Reads what ``VarintWriter`` writes.
private struct VarintReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() -> Int64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int64(number) }
        }
        return nil
    }

    mutating func fixed(_ count: Int) -> UInt64? {
        guard rest.count >= count else { return nil }
        var number: UInt64 = 0
        for place in 0..<count { number |= UInt64(rest.popFirst() ?? 0) << UInt64(8 * place) }
        return number
    }
}
