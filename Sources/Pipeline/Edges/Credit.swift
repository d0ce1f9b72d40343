import Synchronization

/// A share of one slot of an edge. An edge with `in_flight: n` has n slots, and each frame in flight holds one. A frame is
/// finished, and its slot free, when all credits of the slot have ended.
///
/// A credit follows all output of its frame, even if the output belongs to streams with other names. At a fan-out, each branch gets
/// its own credit. In a merge or join, the credit waits behind the frames that wait there. The last consumer ends the credit. A
/// credit that is deallocated before that ends itself.
final class Credit: Sendable {
    /// A change of a credit.
    enum Change: Int, Sendable {
        /// Another credit of the same slot was created.
        case divided
        /// The frames before the credit wait in a merge or join, so that no task processes them.
        case waits
        /// The frames before the credit no longer wait.
        case goesOn
        case ended
    }

    /// The number that identifies the slot.
    let number: Int

    /// The edge whose slot it is.
    private weak let owner: (any CreditOwner)?

    /// The last change. Relaxed ordering is sufficient, because a credit has one holder at a time.
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
        owner?.note(number, .divided)
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
        // A credit may end while it waits. The owner counts waiting and working credits separately, so report first that the credit
        // continues.
        if change == .ended, last == Change.waits.rawValue { owner?.note(number, .goesOn) }
        owner?.note(number, change)
    }
}

/// An edge with slots, which is notified about changes of their credits.
protocol CreditOwner: AnyObject, Sendable {
    /// Records a change of a credit of the slot with this number.
    func note(_ number: Int, _ change: Credit.Change)
}
