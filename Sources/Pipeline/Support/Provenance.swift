/// Something that is said of a run in the recordings that it makes.
package struct Provenance: Sendable, Hashable {
    /// What it is.
    package let key: String

    /// What is said.
    package let value: String

    /// Says something.
    package init(_ key: String, _ value: String) { (self.key, self.value) = (key, value) }
}
