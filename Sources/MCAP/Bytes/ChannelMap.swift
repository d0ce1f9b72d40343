/// A dictionary keyed by channel number. It is an array, because every message needs a lookup and hashing would cost time.
///
/// Its memory is proportional to the largest number, which has 16 bits.
struct ChannelMap<Value> {
    private var values: [Value?] = []

    @inline(__always)
    subscript(id: UInt16) -> Value? {
        get { Int(id) < values.count ? values[Int(id)] : nil }
        set {
            if Int(id) >= values.count {
                values += [Value?](repeating: nil, count: Int(id) + 1 - values.count)
            }
            values[Int(id)] = newValue
        }
    }
}
