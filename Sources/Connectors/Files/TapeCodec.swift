import Pipeline

// The encoding of an item is one byte for its kind, followed by numbers. Numbers are written with seven bits per byte, lowest bits
// first (LEB128); in signed numbers, the sign is the lowest bit. Ordinals and times are differences from the previous value. A
// stream is the index of its name in the list of all names so far. A new index is followed by the name: its length in bytes, then
// UTF-8.
private enum TapeCode: UInt8 {
    case frame, frameAfterGap, set, globalWatermark, streamWatermark
    /// A stream and a time that earlier versions recorded, and that no task needs.
    case receipt
    case end, finished
}

/// An encoder of the items that a task takes from its edges. A frame takes two or three bytes.
struct TapeEncoder {
    private var streams: [StreamID: UInt64] = [:]
    private var ordinal: UInt32 = 0
    private var time: Int64 = 0
    /// The encoded bytes. The owner removes them after writing them to the recording.
    var bytes: [UInt8] = []

    mutating func add(_ item: TapeItem) {
        switch item {
        case .frame(let ordinal, let gap):
            put(gap == 0 ? .frame : .frameAfterGap)
            put(ordinal)
            if gap != 0 { put(Int64(gap)) }
        case .set(let parts, let gap, let time):
            put(.set)
            put(UInt64(parts.count))
            for part in parts {
                put(UInt64(part == nil ? 0 : 1))
                guard let part else { continue }
                put(part.ordinal)
                put(Int64(part.gap))
            }
            put(Int64(gap))
            put(time)
        case .bound(nil, let time):
            put(.globalWatermark)
            put(time)
        case .bound(let stream?, let time):
            put(.streamWatermark)
            put(stream)
            put(time)
        case .end(let stream):
            put(.end)
            put(stream)
        case .finished: put(.finished)
        }
    }

    private mutating func put(_ code: TapeCode) { bytes.append(code.rawValue) }

    private mutating func put(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func put(_ value: Int64) { put(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

    private mutating func put(_ value: UInt32) {
        put(Int64(Int32(bitPattern: value &- ordinal)))
        ordinal = value
    }

    private mutating func put(_ value: Timestamp) {
        put(value.rawValue &- time)
        time = value.rawValue
    }

    private mutating func put(_ stream: StreamID) {
        if let known = streams[stream] { return put(known) }
        put(UInt64(streams.count))
        streams[stream] = UInt64(streams.count)
        let name = Array(stream.name.utf8)
        put(UInt64(name.count))
        bytes += name
    }
}

/// A decoder of the bytes of a ``TapeEncoder``.
package struct TapeDecoder {
    /// The bytes are not a valid encoding.
    private struct Damage: Error {}

    private let bytes: [UInt8]
    private var place = 0
    private var streams: [StreamID] = []
    private var ordinal: UInt32 = 0
    private var time: Int64 = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Decodes all items. Returns `nil` if the bytes are damaged. O(bytes).
    package static func items(_ bytes: [UInt8]) -> [TapeItem]? {
        var decoder = TapeDecoder(bytes)
        var items: [TapeItem] = []
        do {
            while decoder.place < bytes.count {
                if let item = try decoder.item() { items.append(item) }
            }
        } catch {
            return nil
        }
        return items
    }

    private mutating func item() throws(Damage) -> TapeItem? {
        guard let code = TapeCode(rawValue: try byte()) else { throw Damage() }
        switch code {
        case .frame: return .frame(try nextOrdinal(), gap: 0)
        case .frameAfterGap: return .frame(try nextOrdinal(), gap: try gap())
        case .set:
            var parts: [TapeItem.Part?] = []
            // Each part has at least one byte, so the count is at most the number of remaining bytes.
            for _ in 0..<(try count()) {
                parts.append(try unsigned() == 0 ? nil : .init(try nextOrdinal(), gap: try gap()))
            }
            return .set(parts, gap: try gap(), at: try nextTime())
        case .globalWatermark: return .bound(nil, try nextTime())
        case .streamWatermark: return .bound(try stream(), try nextTime())
        case .receipt:
            _ = (try stream(), try nextTime())
            return nil
        case .end: return .end(try stream())
        case .finished: return .finished
        }
    }

    private mutating func byte() throws(Damage) -> UInt8 {
        guard place < bytes.count else { throw Damage() }
        place += 1
        return bytes[place - 1]
    }

    private mutating func unsigned() throws(Damage) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw Damage()
    }

    private mutating func signed() throws(Damage) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Reads a count of items that take at least one byte each. Throws if fewer bytes than items are left.
    private mutating func count() throws(Damage) -> Int {
        guard let count = Int(exactly: try unsigned()), count <= bytes.count - place else { throw Damage() }
        return count
    }

    private mutating func gap() throws(Damage) -> Int32 { Int32(clamping: try signed()) }

    private mutating func nextOrdinal() throws(Damage) -> UInt32 {
        ordinal &+= UInt32(truncatingIfNeeded: try signed())
        return ordinal
    }

    private mutating func nextTime() throws(Damage) -> Timestamp {
        time &+= try signed()
        return Timestamp(rawValue: time)
    }

    private mutating func stream() throws(Damage) -> StreamID {
        let number = try unsigned()
        guard number >= streams.count else { return streams[Int(number)] }
        guard number == streams.count else { throw Damage() }
        let length = try count()
        let name = StreamID(String(decoding: bytes[place..<place + length], as: UTF8.self))
        place += length
        streams.append(name)
        return name
    }
}
