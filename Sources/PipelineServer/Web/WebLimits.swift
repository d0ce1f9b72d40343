/// What clients may use up.
struct WebLimits {
    var connections = 64
    var headerBytes = 16_384
    var bodyBytes = 1 << 20
    var messageBytes = 1 << 16
    /// How long a request may take until it is whole, and how long nothing may be taken of an answer, in seconds.
    var seconds: Int32 = 10
}
