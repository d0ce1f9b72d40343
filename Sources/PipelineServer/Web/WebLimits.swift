/// The limits of what clients can use.
struct WebLimits {
    var connections = 64
    var headerBytes = 16_384
    var bodyBytes = 1 << 20
    var messageBytes = 1 << 16
    /// The maximum time in seconds until a request is complete, and the maximum time without progress in sending a response.
    var seconds: Int32 = 10
}
