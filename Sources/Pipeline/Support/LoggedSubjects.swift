import Synchronization

/// The subjects that a node has already logged, shared by all instances of its stage.
package final class LoggedSubjects: Sendable {
    private let subjects = Lock<Set<String>>([])

    package init() {}

    /// Adds a subject. Returns whether it is new.
    func insert(_ subject: String) -> Bool { subjects.withLock { $0.insert(subject).inserted } }
}
