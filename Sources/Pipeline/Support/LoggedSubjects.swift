import Synchronization

/// The subjects that a node has already logged, shared by all instances of its stage.
package final class LoggedSubjects: Sendable {
    private let matters = Lock<Set<String>>([])

    package init() {}

    /// Adds a subject. Returns whether it is new.
    func insert(_ matter: String) -> Bool { matters.withLock { $0.insert(matter).inserted } }
}
