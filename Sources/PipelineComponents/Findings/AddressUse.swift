import Pipeline

/// An address that a configuration names: where others come to, or where it goes.
package struct AddressUse: Sendable {
    /// The `id` of the component.
    package let owner: String

    /// The option it stands under: `bind`.
    package let option: String

    /// The address as it stands there.
    package let address: String

    /// Where it stands.
    package let span: SourceSpan
}
