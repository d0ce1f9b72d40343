extension Command {
    /// `pipectl gestures …`: the verbs for gesture libraries. The verbs that change a library write the whole document again.
    static let gestures: Command = Command(
        "gestures", "create and change gesture libraries",
        details:
            "A library stores the samples of every gesture as they were drawn. A pipeline prepares them with its own stages.",
        examples: [
            Example("pipectl gestures import mine.json recorded/", "Creates a library of labeled strokes"),
            Example("pipectl gestures show mine.json star", "Draws the samples of a gesture"),
        ],
        subcommands: [
            gesturesAdd, gesturesList, gesturesShow, gesturesRemove, gesturesImport, gesturesExport, gesturesMerge,
            gesturesCalibrate,
        ])
}
