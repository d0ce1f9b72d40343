/// The first record of a file.
public struct Header: Hashable, Sendable {
    /// The profile that the messages conform to, such as `ros2`; empty for none.
    public var profile: String

    /// The program that wrote the file.
    public var library: String

    public init(profile: String = "", library: String = "") {
        self.profile = profile
        self.library = library
    }

    init(reading fields: inout FieldReader) throws(MCAPError) {
        profile = try fields.string()
        library = try fields.string()
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.record(.header) {
            $0.string(profile)
            $0.string(library)
        }
    }
}
