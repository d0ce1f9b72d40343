/// Something that was seen, and can be asked for again.
protocol Keepable {
    var id: Int { get }
    /// When it was seen, in milliseconds.
    var time: Int64 { get }
    /// The node it was seen behind; `nil` for a drop.
    var node: String? { get }
    /// What tells of the frame, if it is one.
    var frame: [UInt8]? { get }
    /// What tells of the result or drop, if it is one.
    var event: [UInt8]? { get }
}

/// Something that was seen, as the messages that tell of it.
struct KeptItem: Keepable {
    /// A number that grows; a frame and the result that it is share one.
    let id: Int
    /// When it was seen, in milliseconds.
    let time: Int64
    /// The node it was seen behind; `nil` for a drop.
    let node: String?
    /// What tells of the frame, if it is one.
    var frame: [UInt8]?
    /// What tells of the result or drop, if it is one.
    var event: [UInt8]?

    /// The result itself, if it is one.
    var result: KeptResult?

    /// How much memory it takes, about.
    var bytes: Int { (frame?.count ?? 0) + (event?.count ?? 0) + (result?.payload?.count ?? 0) + 128 }
}
