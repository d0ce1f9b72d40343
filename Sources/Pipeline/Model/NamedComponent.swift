/// A source, stage or sink that has a name beside that of its type: the one under which configurations know it.
///
/// Graphs that are built in Swift call it so too.
public protocol NamedComponent: SendableMetatype {
    /// The name.
    static var componentName: String { get }
}
