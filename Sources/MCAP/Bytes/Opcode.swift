/// The opcode that begins a record and identifies its kind.
public struct Opcode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let header = Opcode(rawValue: 0x01)
    public static let footer = Opcode(rawValue: 0x02)
    public static let schema = Opcode(rawValue: 0x03)
    public static let channel = Opcode(rawValue: 0x04)
    public static let message = Opcode(rawValue: 0x05)
    public static let chunk = Opcode(rawValue: 0x06)
    public static let messageIndex = Opcode(rawValue: 0x07)
    public static let chunkIndex = Opcode(rawValue: 0x08)
    public static let attachment = Opcode(rawValue: 0x09)
    public static let attachmentIndex = Opcode(rawValue: 0x0A)
    public static let statistics = Opcode(rawValue: 0x0B)
    public static let metadata = Opcode(rawValue: 0x0C)
    public static let metadataIndex = Opcode(rawValue: 0x0D)
    public static let summaryOffset = Opcode(rawValue: 0x0E)
    public static let dataEnd = Opcode(rawValue: 0x0F)

    /// Whether the MCAP specification defines this opcode.
    var isKnown: Bool { (0x01...0x0F).contains(rawValue) }
}
