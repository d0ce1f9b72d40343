import Synchronization

/// A share in a slot of an edge: as long as there is one, the frame that was handed over for the slot is not finished.
///
/// It travels behind all that was made of the frame, whatever that is called by then. Where the way divides, each branch gets one
/// of its own; where edges come together, it waits behind the frames that wait there. Whoever does nothing more with the frame ends
/// it, and one that is forgotten ends by itself.
final class Credit: Sendable {
    /// What may become of one.
    enum Change: Int, Sendable {
        /// There is another one of the same slot.
        case divided
        /// What it stands behind waits where edges come together, and nobody works on it.
        case waits
        /// That has gone on.
        case goesOn
        case ended
    }

    /// What its slot is told apart by.
    let number: Int

    private weak let owner: (any CreditOwner)?

    /// Its last change. It has one holder at a time, and is let go of by whoever comes last: that needs no more order.
    private let state = Atomic<Int>(Change.goesOn.rawValue)

    init(_ number: Int, of owner: (any CreditOwner)?) {
        self.number = number
        self.owner = owner
    }

    deinit { end() }

    /// Whether another one is of a slot of the same edge.
    func hasOwner(of other: Credit) -> Bool { owner === other.owner }

    /// Another one of the same slot, for another branch.
    func divided() -> Credit {
        owner?.credit(number, .divided)
        return Credit(number, of: owner)
    }

    /// What it stands behind begins to wait for what another edge brings.
    func wait() { change(to: .waits) }

    /// What it stands behind waits no longer.
    func goOn() { change(to: .goesOn) }

    /// All that it stands behind is finished.
    func end() { change(to: .ended) }

    private func change(to change: Change) {
        let last = state.load(ordering: .relaxed)
        guard last != change.rawValue, last != Change.ended.rawValue else { return }
        state.store(change.rawValue, ordering: .relaxed)
        // One that waited may end as it is; its owner must know which it was.
        if change == .ended, last == Change.waits.rawValue { owner?.credit(number, .goesOn) }
        owner?.credit(number, change)
    }
}

/// Whose slots credits are of.
protocol CreditOwner: AnyObject, Sendable {
    /// Something became of a credit of a slot.
    func credit(_ number: Int, _ change: Credit.Change)
}

/// Credits whose slots are told nothing under a lock: they end when this goes.
struct EndedCredits {
    private var credits: [Credit] = []

    /// Takes the credit out of an item, if it is one.
    mutating func add<E: EdgeElement>(_ item: EdgeItem<E>) {
        if case .credit(let credit, _) = item { credits.append(credit) }
    }
}
