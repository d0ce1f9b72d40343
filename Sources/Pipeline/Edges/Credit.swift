import Synchronization

/// A share of a slot of an edge. While a credit of a slot exists, the frame that holds the slot is not finished.
///
/// A credit travels after all output of the frame, whatever name the stream of this output has. At a fan-out, each branch gets its
/// own credit. In a merge or join, the credit waits after the frames that wait there. The consumer that does nothing more with the
/// frame ends its credit. A credit that is released without being ended ends itself.
final class Credit: Sendable {
    /// What can happen to a credit.
    enum Change: Int, Sendable {
        /// Another credit of the same slot was created.
        case divided
        /// The frames before the credit wait in a merge or join, and no task processes them.
        case waits
        /// The frames before the credit no longer wait.
        case goesOn
        case ended
    }

    /// The number that identifies the slot.
    let number: Int

    private weak let owner: (any CreditOwner)?

    /// The last change. A credit has one holder at a time, and the last holder releases it, so relaxed ordering is sufficient.
    private let state = Atomic<Int>(Change.goesOn.rawValue)

    init(_ number: Int, of owner: (any CreditOwner)?) {
        self.number = number
        self.owner = owner
    }

    deinit { end() }

    /// Returns whether the other credit belongs to a slot of the same edge.
    func hasOwner(of other: Credit) -> Bool { owner === other.owner }

    /// Creates another credit of the same slot, for another branch.
    func divided() -> Credit {
        owner?.credit(number, .divided)
        return Credit(number, of: owner)
    }

    /// Records that the frames before the credit have started to wait for frames of another edge.
    func wait() { change(to: .waits) }

    /// Records that the frames before the credit no longer wait.
    func goOn() { change(to: .goesOn) }

    /// Ends the credit: everything before it is finished.
    func end() { change(to: .ended) }

    private func change(to change: Change) {
        let last = state.load(ordering: .relaxed)
        guard last != change.rawValue, last != Change.ended.rawValue else { return }
        state.store(change.rawValue, ordering: .relaxed)
        // A waiting credit may end directly. Its owner counts waiting and working credits separately, so it must see it continue
        // first.
        if change == .ended, last == Change.waits.rawValue { owner?.credit(number, .goesOn) }
        owner?.credit(number, change)
    }
}

/// The owner of the slots that credits belong to.
protocol CreditOwner: AnyObject, Sendable {
    /// Records a change of a credit of a slot.
    func credit(_ number: Int, _ change: Credit.Change)
}

/// Credits that must not end while a lock is held, because ending them notifies the owners of their slots. They end when this value
/// is destroyed.
struct EndedCredits {
    private var credits: [Credit] = []

    /// Keeps the credit in an item, if the item is a credit.
    mutating func add<E: EdgeElement>(_ item: EdgeItem<E>) {
        if case .credit(let credit, _) = item { credits.append(credit) }
    }
}
