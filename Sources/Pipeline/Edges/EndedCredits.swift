/// Credits that must not end while a lock is held, because ending them notifies the owners of their slots. They end when this value
/// is destroyed.
struct EndedCredits {
    private var credits: [Credit] = []

    /// Adds the credit in an item, if the item is a credit.
    mutating func add<E: EdgeElement>(_ item: EdgeItem<E>) {
        if case .mark(.credit(let credit, _)) = item { credits.append(credit) }
    }
}
