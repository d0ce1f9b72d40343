import Pipeline

/// A payload that can be written as a message or a line of text.
package protocol WireEncodable: Payload {
    /// The keys it writes beside those of the envelope. A key that came with a frame unknown to us is written again only
    /// if it is none of these.
    static var wireKeys: WireKeys { get }

    /// What makes it a value that no reader would take back; `nil` when nothing does.
    var encodingDefect: String? { get }

    /// Writes its keys and values, each with a comma in front.
    func encode(into json: inout TextBuffer)

    /// The columns it has in a CSV file, behind `stream`, `seq` and `t_us`.
    static var columns: String { get }

    /// Writes its rows, each beginning with `prefix` and ending with a line feed.
    func encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer)

    /// Writes what a person wants to see of it, without a line feed.
    func summarize(into text: inout TextBuffer)
}

extension WireEncodable {
    /// Most payloads can only be wrong in a number that is not finite, which is found while it is written.
    package var encodingDefect: String? { nil }
}

/// A payload that can be read from a message or a line of text.
package protocol WirePayload: WireEncodable {
    /// Makes one of what a message said.
    ///
    /// - Throws: A frame error for what does not fit together: counts, names, ranges.
    init(_ message: inout WireMessage) throws(PipelineError)

    /// What makes such payloads of the samples of a table; `nil` when no table holds them.
    static func rowAssembler(_ origins: FileOrigins, timeline: GestureTimeline.Shared) -> RowAssembler<Self>?

    /// Makes one of a row of a table that holds a whole set of points; `nil` when no such table holds them.
    init?(_ row: PointRow)

    /// Whether it holds landmarks: a row of a table is then always a whole set of points.
    static var holdsLandmarks: Bool { get }

    /// When it happened, if it says so itself: for messages without `t_us`.
    var impliedTime: Timestamp? { get }

    /// Whether messages of other shapes than ours can hold it.
    static var canBeMapped: Bool { get }

    /// Makes one of what a message of another shape said; `nil` when it says that there is nothing.
    ///
    /// - Throws: A frame error for what does not fit together.
    init?(_ message: FieldMessage) throws(PipelineError)

    /// When it happened, by the times of its samples, if these are told.
    var ownTime: Timestamp? { get }
}

extension WirePayload {
    /// Most payloads do not say.
    package var impliedTime: Timestamp? { nil }

    /// Most payloads are no set of points.
    package init?(_ row: PointRow) { nil }

    /// Most payloads hold none.
    package static var holdsLandmarks: Bool { false }

    /// Most payloads are only sent by us.
    package static var canBeMapped: Bool { false }

    /// Most payloads are only sent by us.
    package init?(_ message: FieldMessage) throws(PipelineError) {
        throw .frame("decode.kind", "a \(Self.kind) is read from canonical messages only")
    }

    /// Most payloads have no samples.
    package var ownTime: Timestamp? { nil }

    /// Most payloads are in no table.
    package static func rowAssembler(_ origins: FileOrigins, timeline: GestureTimeline.Shared) -> RowAssembler<Self>? {
        nil
    }
}

/// The letters that name the numbers of one point, in any order: `xyt`.
struct WireFields: Equatable, Sendable {
    /// The place of a letter in `x y z t p w`.
    enum Slot: UInt8 {
        case x, y, z, t, p, w
    }

    /// For every number of a point its slot.
    private(set) var slots: [UInt8] = []

    /// The letters read last: neighbours mostly have the same.
    private var letters = ""

    private static let known: [UInt8] = Array("xyztpw".utf8)

    /// Reads the letters; what is wrong with them, or `nil` when nothing is.
    mutating func set(_ text: UnsafeRawBufferPointer) -> String? {
        if !letters.isEmpty, letters.isSame(as: text) { return nil }
        letters = ""
        slots.removeAll(keepingCapacity: true)
        for byte in text {
            guard let slot = Self.known.firstIndex(of: byte) else { return "the letters are x, y, z, t, p and w" }
            guard !slots.contains(UInt8(slot)) else { return "a letter stands twice" }
            slots.append(UInt8(slot))
        }
        guard contains(.x), contains(.y) else { return "x and y must be there" }
        letters = String(decoding: text, as: UTF8.self)
        return nil
    }

    /// Where the number of a slot stands among those of a point; −1 when it is not there.
    func place(_ slot: Slot) -> Int { slots.firstIndex(of: slot.rawValue) ?? -1 }

    /// Whether a slot is there.
    func contains(_ slot: Slot) -> Bool { slots.contains(slot.rawValue) }
}
