/// Credits that must not end while a lock is held, because ending them notifies the owners of their slots, which take the lock.
///
/// Whoever gets this value calls ``end()`` after the unlock. A credit ends by itself when it is deallocated, but the optimizer may
/// deallocate it as soon as nothing refers to it any more, which can be before the unlock.
struct EndedCredits {
    private var credits: [Credit] = []

    /// Adds the credit in an item, if the item is a credit.
    mutating func add<E: EdgeElement>(_ item: EdgeItem<E>) {
        if case .mark(.credit(let credit, _)) = item { credits.append(credit) }
    }

    /// Ends the credits.
    func end() {
        for credit in credits { credit.end() }
    }
}
