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
///
/// A path with placeholders (`{stream}`, `{file}` or `{date}`) stands for every file whose name has a possible value in their
/// place: a day such as `2026-11-23` for `{date}`, and any name for the others. If another output has one of these names, there
/// is a warning, because the two conflict only if that value occurs. Which files exist makes no difference, except that a path
/// that can become the path of an existing input is rejected. Two paths with different placeholders are not compared.
public struct OutputPath: PathOption {
    public var path: String

    public init(_ path: String) { self.path = path }

    public static func note(_ path: String, at node: ConfigNode, _ context: DecodingContext) {
        let pattern = OutputPattern(path)
        var use = FileUse(
            purpose: .output, owner: context.owner, span: node.span, paths: { [path] + (pattern?.existing ?? []) })
        if pattern != nil {
            use.canBecome = { other in
                OutputPattern(FileIdentity.target(of: path))?.matches(FileIdentity.target(of: other)) ?? false
            }
        }
        context.files?.add(use)
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
