extension Command {
    /// Every verb of the program.
    static let pipectl: Command = Command(
        "pipectl", "streaming pipelines of points, composed in YAML",
        examples: [
            Example("pipectl stages match", "Explains a component and its options")
        ],
        subcommands: [.stages, .completion, .help])
}
