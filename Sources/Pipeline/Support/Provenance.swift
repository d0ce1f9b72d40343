/// A fact about a run that is written into its recordings, for example the program's version.
package struct Provenance: Sendable, Hashable {
    /// The name of the fact.
    package let key: String

    /// The value of the fact.
    package let value: String

    /// Creates a fact.
    package init(_ key: String, _ value: String) { (self.key, self.value) = (key, value) }
}
