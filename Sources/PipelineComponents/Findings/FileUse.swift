import Pipeline

/// A file that a configuration names, or is.
public struct FileUse: Sendable {
    /// What the file is for.
    public enum Purpose: Sendable {
        /// It is the configuration.
        case configuration
        /// A component reads it.
        case input
        /// A component writes it.
        case output
    }

    /// What the file is for.
    public let purpose: Purpose

    /// The `id` of the component; empty for the configuration.
    public let owner: String

    /// Where it is named.
    public let span: SourceSpan?

    /// The paths: one, unless a folder or a pattern is named. Looked up when asked for.
    package let paths: @Sendable () -> [String]

    /// Whether the component writes over nothing: a run cannot begin when the file is there.
    package internal(set) var keepsExisting = false

    /// Notes a file.
    package init(purpose: Purpose, owner: String, span: SourceSpan?, paths: @escaping @Sendable () -> [String]) {
        self.purpose = purpose
        self.owner = owner
        self.span = span
        self.paths = paths
    }

    /// What it is, behind the name of a file: `which "file" reads (demo.yaml:4:19)`.
    public var clause: String {
        let place = span.map { " (\($0.file):\($0.start.line):\($0.start.column))" } ?? ""
        return switch purpose {
        case .configuration: "which is the configuration"
        case .input: "which \"\(owner)\" reads\(place)"
        case .output: "which \"\(owner)\" writes\(place)"
        }
    }
}

/// The files and addresses that a configuration names, collected while its options are read.
package final class FileUses {
    package private(set) var all: [FileUse] = []
    package private(set) var addresses: [AddressUse] = []

    package init() {}

    package func add(_ use: FileUse) { all.append(use) }

    /// Notes that a component writes over nothing.
    func keepExisting(owner: String) {
        for index in all.indices where all[index].purpose == .output && all[index].owner == owner {
            all[index].keepsExisting = true
        }
    }

    package func add(_ use: AddressUse) { addresses.append(use) }
}

extension [FileUse] {
    /// The first use of the file at a path.
    public func using(_ path: String) -> FileUse? {
        guard let identity = FileIdentity(path) else { return nil }
        return first { use in use.paths().contains { FileIdentity($0) == identity } }
    }

    /// Reports outputs that would destroy a file which the pipeline reads, or which another output writes.
    package func reportConflicts(to findings: Findings) {
        guard contains(where: { $0.purpose == .output }) else { return }
        var uses: [FileIdentity: FileUse] = [:]
        for use in self where use.purpose != .output {
            for identity in use.paths().compactMap({ FileIdentity($0) }) where uses[identity] == nil {
                uses[identity] = use
            }
        }
        for use in self where use.purpose == .output {
            for path in use.paths() {
                guard let identity = FileIdentity(path) else { continue }
                guard let other = uses[identity] else {
                    uses[identity] = use
                    continue
                }
                let isShared = other.purpose == .output
                findings.error(
                    isShared ? "output.shared" : "output.overwrites_input",
                    "\"\(use.owner)\" would write over \(path), \(other.clause)", at: use.span,
                    help: isShared
                        ? "give each a path of its own, or let one of them take all with from: [ … ]"
                        : "give it a path of its own")
            }
        }
    }
}
