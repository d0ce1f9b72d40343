/// Values by the number of a channel. Every message asks for one, so that it is found without hashing.
///
/// Takes as much memory as the largest number asks for, which has 16 bits.
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
