/// Whether a value holds a number that is not finite, anywhere inside. By reflection: for tests only.
func holdsNonFinite(_ value: Any) -> Bool {
    if let number = value as? Double { return !number.isFinite }
    if let number = value as? Float { return !number.isFinite }
    if let numbers = value as? [Double] { return numbers.contains { !$0.isFinite } }
    return Mirror(reflecting: value).children.contains { holdsNonFinite($0.value) }
}
