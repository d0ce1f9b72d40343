extension Command {
    /// Returns the root of a program's command table, with every verb.
    static func root(named name: String) -> Command {
        Command(
            name, "streaming pipelines of points, composed in YAML",
            examples: [
                Example("pipectl run Configs/strokes.yaml", "Recognizes the gestures of a recorded session"),
                Example("pipectl validate Configs/*.yaml", "Reports everything that is wrong with pipelines"),
                Example("pipectl stages match", "Explains a component and its options"),
            ],
            subcommands: [
                .run, .worker, .top, .tap, .view, .whatif, .record, .replay, .info, .convert, .recover, .verify, .diff,
                .listen,
                .validate, .test,
                .graph,
                .stages, .explain, .doctor,
                .schema, .gestures, .eval, .tune, .draw, .keys,
                .new, .completion,
                .help,
            ])
    }
}
