import Synchronization

/// The matters of which a node has told a person, for all copies of its stage.
package final class SaidMatters: Sendable {
    private let matters = Lock<Set<String>>([])

    package init() {}

    /// Notes a matter. Returns whether it is new.
    func insert(_ matter: String) -> Bool { matters.withLock { $0.insert(matter).inserted } }
}
