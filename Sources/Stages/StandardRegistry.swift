import Pipeline

extension Registry {
    /// Every component that ships with the project.
    public static let standard: Registry = {
        var registry = Registry()
        // Sources
        // Stages
        // Sinks
        return registry
    }()
}
