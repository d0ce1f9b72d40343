/// An option that is the path of a file. In a configuration, the path is relative to the folder of the configuration file.
public protocol PathOption: OptionValue, Hashable, CustomStringConvertible {
    /// The path. A relative path from a configuration file already includes the folder of that file.
    var path: String { get set }

    /// Creates a path.
    init(_ path: String)

    /// Records that the component uses the file.
    static func note(_ path: String, at node: ConfigNode, _ context: DecodingContext)
}

extension PathOption {
    public static var schema: ValueSchema { .path }
    public var yaml: String? { path.isEmpty ? nil : path.yaml }
    public var description: String { path }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Self? {
        guard let path = context.path(from: node) else { return nil }
        note(path, at: node, context)
        return Self(path)
    }
}

/// The path of a file that a component reads.
public struct FilePath: PathOption {
    public var path: String

    public init(_ path: String) { self.path = path }

    public static func note(_ path: String, at node: ConfigNode, _ context: DecodingContext) {
        context.noteInput(at: node) { [path] }
    }
}

/// The path of a file with a secret that a component reads: a key, or a password. A recording of the run does not contain it.
public struct SecretPath: PathOption {
    public var path: String

    public init(_ path: String) { self.path = path }

    public static func note(_ path: String, at node: ConfigNode, _ context: DecodingContext) {
        var use = FileUse(purpose: .input, owner: context.owner, span: node.span, paths: { [path] })
        use.isSecret = true
        context.files?.add(use)
    }
}

/// The path of a file that a component writes. A configuration in which something else reads or writes the same file is rejected.
public struct OutputPath: PathOption {
    public var path: String

    public init(_ path: String) { self.path = path }

    public static func note(_ path: String, at node: ConfigNode, _ context: DecodingContext) {
        // A path with placeholders can become the path of any existing file that matches it.
        context.files?.add(
            FileUse(
                purpose: .output, owner: context.owner, span: node.span,
                paths: { [path] + (OutputPattern(path)?.existing ?? []) }))
    }
}

extension DecodingContext {
    /// Records that the component reads more files than its options name, for example the files in a folder. A configuration in
    /// which another component writes one of them is rejected.
    ///
    /// - Parameters:
    ///   - node: The node that names the files.
    ///   - paths: Returns the paths. It is called only if the configuration has outputs.
    public func noteInput(at node: ConfigNode, _ paths: @escaping @Sendable () -> [String]) {
        files?.add(FileUse(purpose: .input, owner: owner, span: node.span, paths: paths))
    }

    fileprivate func path(from node: ConfigNode) -> String? {
        guard let text = String.decode(node, self) else { return nil }
        guard !text.isEmpty else {
            mismatch(node, wanted: "a path")
            return nil
        }
        guard !text.utf8.contains(0) else {
            mismatch(node, wanted: "a path without NUL characters")
            return nil
        }
        let base = folder(of: node)
        return text.hasPrefix("/") || base.isEmpty || base == "." ? text : base + "/" + text
    }
}
