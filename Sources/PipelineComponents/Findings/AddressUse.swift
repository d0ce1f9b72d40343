import Pipeline

/// An address in a configuration, to which a component binds or connects.
package struct AddressUse: Sendable {
    /// The `id` of the component.
    package let owner: String

    /// The option that contains the address: `bind`.
    package let option: String

    /// The address as written.
    package let address: String

    /// The location of the address in the configuration.
    package let span: SourceSpan
}
