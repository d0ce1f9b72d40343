extension Command {
    /// `pipectl gestures …`: a library is a document, and every verb reads it, changes it and writes it whole.
    static let gestures: Command = Command(
        "gestures", "make and change gesture libraries",
        details:
            "A library keeps the samples of every gesture as they were drawn. A pipeline prepares them with its own stages.",
        examples: [
            Example("pipectl gestures import mine.json recorded/", "Makes a library of labeled strokes"),
            Example("pipectl gestures show mine.json star", "Draws the samples of a gesture"),
        ],
        subcommands: [
            gesturesAdd, gesturesList, gesturesShow, gesturesRemove, gesturesImport, gesturesExport, gesturesMerge,
            gesturesCalibrate,
        ])
}
