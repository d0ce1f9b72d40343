/// A source, stage, or sink with a name that differs from the name of its type.
///
/// Configurations refer to the component by this name, and graphs built in Swift use it too.
public protocol NamedComponent: SendableMetatype {
    /// The component's name.
    static var componentName: String { get }
}
