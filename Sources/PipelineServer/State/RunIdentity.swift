#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What is run, by what, and since when.
public struct RunIdentity: Sendable {
    /// The pipeline's name.
    public var name: String
    /// The configuration's file, as it was given.
    public var file: String
    /// The program and its version.
    public var program: (name: String, version: String)
    /// `sha256:` and the digest of the configuration's text.
    public var configuration: String

    /// States them.
    public init(name: String, file: String, program: (name: String, version: String), configuration: String) {
        (self.name, self.file, self.program, self.configuration) = (name, file, program, configuration)
    }

    /// The number of this process.
    static var process: Int { Int(getpid()) }
}
