import Pipeline

extension Origin.Unknown {
    /// Creates an unknown field from a key and a value.
    public init(key: String, value: JSONValue) { self.init(key: key, json: value.text(isIndented: false)) }
}
