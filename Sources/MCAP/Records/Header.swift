/// What a file is: the first record.
public struct Header: Hashable, Sendable {
    /// What the messages follow (`ros2`, …); empty for nothing in particular.
    public var profile: String

    /// Which program wrote the file.
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
