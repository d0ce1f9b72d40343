/// A trigger with hysteresis: it fires once when its input enters the range, and is armed again when the input is at rest.
struct ArmedSwitch: Sendable {
    private var isArmed = true

    /// Updates the state, and returns whether the trigger fires.
    mutating func update(isIn: Bool, isAtRest: Bool) -> Bool {
        if isIn, isArmed {
            isArmed = false
            return true
        }
        if !isIn, isAtRest { isArmed = true }
        return false
    }
}
