import Pipeline

extension Registry {
    /// Every component that ships with the project.
    public static let standard: Registry = {
        var registry = Registry()
        // Sources
        // Stages
        registry.add(Resample.self)
        registry.add(Normalize.self)
        registry.add(Vectorize.self)
        registry.add(Match.self)
        // Sinks
        return registry
    }()
}
