/// Why a frame was dropped: a short snake_case word that stands in the ledger and in the drop record.
public struct DropReason: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The word.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    public init(stringLiteral value: String) { rawValue = value }

    public var description: String { rawValue }

    /// The edge was full and its policy is to drop.
    public static let edgeFull: DropReason = "edge_full"

    /// The frame came at or before a time that its stream had already passed.
    public static let late: DropReason = "late"

    /// The timestamp did not increase, or jumped too far ahead.
    public static let disorder: DropReason = "disorder"

    /// An aligned input had no other frame to put it together with.
    public static let unmatched: DropReason = "unmatched"

    /// The run had failed or was being canceled.
    public static let cancelled: DropReason = "cancelled"

    /// The frame continues one that was dropped, or is continued by one.
    public static let interruptedStroke: DropReason = "interrupted_stroke"

    /// Nobody reads any more what would be made of the frame, or where it would be written.
    public static let readerGone: DropReason = "reader_gone"

    /// A wire lost the frame before it reached a source.
    public static let lost: DropReason = "lost"

    /// Whether a frame dropped for this reason counts as missing (it adds to the next frame's gap and makes
    /// `--fail-on-loss` fail), rather than as dropped on purpose.
    public var isLoss: Bool {
        switch self {
        case .edgeFull, .late, .disorder, .cancelled, .lost, "no_peer", "busy", "timeout", "interrupted_stroke": true
        default: false
        }
    }
}
