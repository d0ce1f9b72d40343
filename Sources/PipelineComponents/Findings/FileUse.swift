import Pipeline

/// A file that a configuration names, or the configuration file itself.
public struct FileUse: Sendable {
    /// The purpose of a file.
    public enum Purpose: Sendable {
        /// The file is the configuration.
        case configuration
        /// A component reads the file.
        case input
        /// A component writes the file.
        case output
    }

    /// The purpose of the file.
    public let purpose: Purpose

    /// The `id` of the component; empty for the configuration. The name of a stage inside another component starts with that
    /// component's `id`: `each.recognize_hand`.
    public let owner: String

    /// The `id` of the component or, for a stage inside another component, of the outermost one.
    package var node: String { String(owner.prefix { $0 != "." }) }

    /// The location at which the configuration names the file.
    public let span: SourceSpan?

    /// Returns the paths: one, or several for a folder or a pattern. Each call looks them up again. The first path of an output is
    /// the configured one; if it has placeholders, the existing files that it can stand for follow.
    package let paths: @Sendable () -> [String]

    /// Whether the file holds a secret, such as a key, so that nothing else may keep a copy of it.
    package internal(set) var isSecret = false

    /// Returns whether the path of an output can become another path, because it has placeholders. `nil` if it has none.
    package internal(set) var canBecome: (@Sendable (String) -> Bool)?

    /// Whether the component never overwrites the file, so that a run cannot start if the file exists.
    package internal(set) var keepsExisting = false

    /// Creates the use of a file.
    package init(purpose: Purpose, owner: String, span: SourceSpan?, paths: @escaping @Sendable () -> [String]) {
        self.purpose = purpose
        self.owner = owner
        self.span = span
        self.paths = paths
    }

    /// A clause about the use, to follow the name of the file: `which "file" reads (demo.yaml:4:19)`.
    public var clause: String {
        let place = span.map { " (\($0.file):\($0.start.line):\($0.start.column))" } ?? ""
        return switch purpose {
        case .configuration: "which is the configuration"
        case .input: "which \"\(owner)\" reads\(place)"
        case .output: "which \"\(owner)\" writes\(place)"
        }
    }
}

/// What the options of several components have in common, collected while they are decoded: the files and addresses that they
/// name, and what they declare about commits.
package final class FileUses {
    package private(set) var all: [FileUse] = []
    package private(set) var addresses: [AddressUse] = []
    package private(set) var commits: [CommitUse] = []

    package init() {}

    package func add(_ use: FileUse) { all.append(use) }

    /// Records that a component never overwrites its output files.
    func keepExisting(owner: String) {
        for index in all.indices where all[index].purpose == .output && all[index].owner == owner {
            all[index].keepsExisting = true
        }
    }

    package func add(_ use: AddressUse) { addresses.append(use) }

    package func add(_ use: CommitUse) { commits.append(use) }
}

extension [FileUse] {
    /// Returns the first use of the file at a path.
    public func using(_ path: String) -> FileUse? {
        guard let identity = FileIdentity(path) else { return nil }
        return first { use in use.paths().contains { FileIdentity($0) == identity } }
    }

    /// Reports outputs that would destroy a file that the pipeline reads or that another output writes.
    package func reportConflicts(to findings: Findings) {
        let outputs = filter { $0.purpose == .output }
        guard !outputs.isEmpty else { return }
        var read: [FileIdentity: FileUse] = [:]
        for use in self where use.purpose != .output {
            for identity in use.paths().compactMap({ FileIdentity($0) }) where read[identity] == nil {
                read[identity] = use
            }
        }
        var written: [FileIdentity: FileUse] = [:]
        for use in outputs {
            let paths = use.paths()
            var overwritesInput = false
            for path in paths {
                guard let other = FileIdentity(path).flatMap({ read[$0] }) else { continue }
                overwritesInput = true
                findings.error(
                    "output.overwrites_input", "\"\(use.owner)\" would write over \(path), \(other.clause)",
                    at: use.span, help: "give it a path of its own")
            }
            guard !overwritesInput, let path = paths.first, let identity = FileIdentity(path) else { continue }
            guard let other = written[identity] else {
                written[identity] = use
                continue
            }
            findings.error(
                "output.shared", "\"\(use.owner)\" would write over \(path), \(other.clause)", at: use.span,
                help: "give each a path of its own, or give one of them all inputs with from: [ … ]")
        }
        outputs.reportPlaceholders(to: findings)
    }

    /// Warns about outputs whose path has placeholders and can become the path of another output.
    private func reportPlaceholders(to findings: Findings) {
        for use in self {
            guard let canBecome = use.canBecome, let path = use.paths().first else { continue }
            for other in self where other.canBecome == nil {
                guard let taken = other.paths().first, FileIdentity(taken) != nil, canBecome(taken) else { continue }
                findings.warning(
                    "output.shared", "\"\(use.owner)\" can write over \(taken), \(other.clause)", at: use.span,
                    help: "\(path) can become this name; give each a folder of its own")
            }
        }
    }
}
