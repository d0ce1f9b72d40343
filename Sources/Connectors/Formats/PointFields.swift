import Pipeline
import PipelineComponents

/// The meaning of the numbers of one point, in order: letters of `x y z t p c`, where `c` is confidence. `xyc` describes the
/// triples of OpenPose.
public struct PointFields: OptionValue, Hashable {
    /// The meaning of one number of a point.
    enum Slot: Int, CaseIterable {
        case x, y, z, t, p, c

        /// The name of the number in errors.
        var described: String {
            switch self {
            case .x: "x"
            case .y: "y"
            case .z: "z"
            case .t: "a time"
            case .p: "a pressure"
            case .c: "a confidence"
            }
        }
    }

    let slots: [Slot]

    /// The positions of the numbers within a point.
    let layout: PointLayout

    init(_ slots: Slot...) { self.init(slots) }

    init(_ slots: [Slot]) {
        self.slots = slots
        layout = PointLayout(slots)
    }

    /// Parses the letters.
    ///
    /// - Throws: A configuration error (`decode.fields`).
    public init(_ letters: String) throws(PipelineError) {
        var slots: [Slot] = []
        for letter in letters {
            guard let place = Array("xyztpc").firstIndex(of: letter), let slot = Slot(rawValue: place) else {
                throw Self.wrong("\"\(letter)\" is none of x, y, z, t (time), p (pressure) and c (confidence)")
            }
            guard !slots.contains(slot) else { throw Self.wrong("\"\(letter)\" occurs twice") }
            slots.append(slot)
        }
        guard slots.contains(.x), slots.contains(.y) else { throw Self.wrong("a point has x and y") }
        self.init(slots)
    }

    private static func wrong(_ message: String) -> PipelineError {
        PipelineError(.configuration, "decode.fields", message, help: "write fields: xy, xyz, xyc, xyt, …")
    }

    public static var schema: ValueSchema { .string }
    public var yaml: String? { String(slots.map { Array("xyztpc")[$0.rawValue] }) }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> PointFields? {
        guard let text = String.decode(node, context) else { return nil }
        do {
            return try PointFields(text)
        } catch {
            context.findings.error(error.code, error.message, at: node.span, path: context.path, help: error.help)
            return nil
        }
    }

    static let xy = PointFields(.x, .y)
    static let xyz = PointFields(.x, .y, .z)
    private static let xyzc = PointFields(.x, .y, .z, .c)

    /// Returns the usual meaning of a point's numbers, for messages that do not declare it. Returns `nil` if there is no usual
    /// meaning.
    ///
    /// - Parameters:
    ///   - count: The number of numbers per point.
    ///   - isSample: Whether the point is a sample of a pen. Three numbers of a sample are ambiguous.
    static func usual(_ count: Int, isSample: Bool) -> PointFields? {
        switch count {
        case 2: xy
        case 3 where !isSample: xyz
        case 4 where !isSample: xyzc
        default: nil
        }
    }
}
