/// Values by channel number. Every message looks one up, so no hashing is needed.
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
