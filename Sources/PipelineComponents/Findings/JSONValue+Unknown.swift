import Pipeline

extension Origin.Unknown {
    /// Pairs a key with a value.
    public init(key: String, value: JSONValue) { self.init(key: key, json: value.text(isIndented: false)) }
}
