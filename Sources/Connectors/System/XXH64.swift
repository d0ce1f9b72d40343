/// The digest XXH64 (seed 0) of bytes that arrive in pieces. The checksum of a Zstandard frame is its lower half.
///
/// - Note: The algorithm is that of Yann Collet's specification, "xxHash fast digest algorithm".
struct XXH64: Sendable {
    private static let first: UInt64 = 11_400_714_785_074_694_791
    private static let second: UInt64 = 14_029_467_366_897_019_727
    private static let third: UInt64 = 1_609_587_929_392_839_161
    private static let fourth: UInt64 = 9_650_029_242_287_828_579
    private static let fifth: UInt64 = 2_870_177_450_012_600_261
    private static let stripe = 32

    private var lanes = (first &+ second, second, UInt64(0), 0 &- first)
    /// The bytes behind the last whole stripe.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    /// Adds bytes. O(bytes).
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var at = 0
        if !rest.isEmpty {
            at = min(Self.stripe - rest.count, bytes.count)
            rest.append(contentsOf: bytes[..<at])
            guard rest.count == Self.stripe else { return }
            let whole = rest
            whole.withUnsafeBytes { take($0, at: 0) }
            rest.removeAll(keepingCapacity: true)
        }
        while bytes.count - at >= Self.stripe {
            take(bytes, at: at)
            at += Self.stripe
        }
        rest.append(contentsOf: bytes[at...])
    }

    /// The digest of the bytes so far.
    var digest: UInt64 {
        var hash = Self.fifth
        if count >= UInt64(Self.stripe) {
            hash = Self.turned(lanes.0, 1) &+ Self.turned(lanes.1, 7)
            hash = hash &+ Self.turned(lanes.2, 12) &+ Self.turned(lanes.3, 18)
            for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
                hash = (hash ^ Self.round(0, lane)) &* Self.first &+ Self.fourth
            }
        }
        hash = hash &+ count
        return rest.withUnsafeBytes { rest in
            var at = 0
            while rest.count - at >= 8 {
                hash ^= Self.round(0, Self.word(rest, at))
                hash = Self.turned(hash, 27) &* Self.first &+ Self.fourth
                at += 8
            }
            if rest.count - at >= 4 {
                let half = UInt64(UInt32(littleEndian: rest.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
                hash ^= half &* Self.first
                hash = Self.turned(hash, 23) &* Self.second &+ Self.third
                at += 4
            }
            for byte in rest[at...] {
                hash ^= UInt64(byte) &* Self.fifth
                hash = Self.turned(hash, 11) &* Self.first
            }
            hash = (hash ^ hash >> 33) &* Self.second
            hash = (hash ^ hash >> 29) &* Self.third
            return hash ^ hash >> 32
        }
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer, at place: Int) {
        lanes.0 = Self.round(lanes.0, Self.word(bytes, place))
        lanes.1 = Self.round(lanes.1, Self.word(bytes, place + 8))
        lanes.2 = Self.round(lanes.2, Self.word(bytes, place + 16))
        lanes.3 = Self.round(lanes.3, Self.word(bytes, place + 24))
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        turned(lane &+ word &* second, 31) &* first
    }

    private static func turned(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}
