/// Returns whether a value contains a number that is not finite, at any depth. Uses reflection, so it is for tests only.
func containsNonFinite(_ value: Any) -> Bool {
    if let number = value as? Double { return !number.isFinite }
    if let number = value as? Float { return !number.isFinite }
    if let numbers = value as? [Double] { return numbers.contains { !$0.isFinite } }
    return Mirror(reflecting: value).children.contains { containsNonFinite($0.value) }
}
