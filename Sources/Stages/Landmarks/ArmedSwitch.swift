/// What can fire once, and again only after a rest.
struct ArmedSwitch: Sendable {
    private var isArmed = true

    /// Takes notice of how things are, and says whether it fires.
    mutating func fires(isIn: Bool, isAtRest: Bool) -> Bool {
        if isIn, isArmed {
            isArmed = false
            return true
        }
        if !isIn, isAtRest { isArmed = true }
        return false
    }
}
