/// The reason for dropping a frame: a short word in snake_case, shown in the ledger and in drop records.
public struct DropReason: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The reason, in snake_case.
    public let rawValue: String

    /// Creates a reason from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    public init(stringLiteral value: String) { rawValue = value }

    public var description: String { rawValue }

    /// The edge was full and its policy is to drop.
    public static let edgeFull: DropReason = "edge_full"

    /// The frame's timestamp was at or before a time that its stream had already passed.
    public static let late: DropReason = "late"

    /// The frame was out of order: its timestamp did not increase, or jumped too far ahead.
    public static let disorder: DropReason = "disorder"

    /// An aligned input did not use the frame in any set.
    public static let unmatched: DropReason = "unmatched"

    /// The run had failed or was being canceled.
    public static let cancelled: DropReason = "cancelled"

    /// The frame belongs to a stroke that lost another frame.
    public static let interruptedStroke: DropReason = "interrupted_stroke"

    /// No reader or sink uses the output any more.
    public static let readerGone: DropReason = "reader_gone"

    /// Another process continues with the frame's stream, and reads the frame again.
    public static let released: DropReason = "released"

    /// The network lost the frame before it reached a source.
    public static let lost: DropReason = "lost"

    /// The reasons for which the engine itself drops frames.
    package static let ofEngine: [DropReason] = [
        .edgeFull, .late, .disorder, .unmatched, .cancelled, .interruptedStroke, .readerGone, .released, .lost,
    ]

    /// Whether a frame dropped for this reason counts as lost.
    ///
    /// A lost frame adds to the next frame's gap and makes a run with `--fail-on-loss` fail. A frame that was dropped on purpose,
    /// for example by a filter, is not lost.
    public var isLoss: Bool {
        switch self {
        case .edgeFull, .late, .disorder, .cancelled, .lost, "no_peer", "busy", "timeout", "interrupted_stroke": true
        default: false
        }
    }
}
