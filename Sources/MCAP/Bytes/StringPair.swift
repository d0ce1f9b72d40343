/// An entry of a string map. Maps keep the order in which their entries were written.
public struct StringPair: Hashable, Sendable {
    public var key: String
    public var value: String

    public init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}
