#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The identity of a run: the pipeline, its configuration, and the program that runs it.
public struct RunIdentity: Sendable {
    /// The pipeline's name.
    public var name: String
    /// The path of the configuration file, as given by the user.
    public var file: String
    /// The name and version of the program.
    public var program: (name: String, version: String)
    /// `sha256:` followed by the digest of the configuration's text.
    public var configuration: String

    /// Creates an identity.
    public init(name: String, file: String, program: (name: String, version: String), configuration: String) {
        (self.name, self.file, self.program, self.configuration) = (name, file, program, configuration)
    }

    /// The id of this process.
    static var process: Int { Int(getpid()) }
}
