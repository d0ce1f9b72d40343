extension Explanation {
    /// Codes about evaluation, tuning and drafts.
    static let evaluation = Family(
        "Evaluating, tuning and beginning",
        [
            Explanation(
                "eval.no_labels", [.environment],
                "The data to evaluate on has no labeled sample.",
                cause: "A sample counts when it says what it is meant to be (`label`).",
                output: "error[eval.no_labels]: no labeled sample in session.jsonl",
                remedy: "Label the samples, or evaluate on a gesture library."),
            Explanation(
                "eval.mixed", [.environment],
                "The data holds strokes and hands.",
                cause: "Strokes and hands are not compared with one another.",
                output: "error[eval.mixed]: the data holds strokes and hands, which are not compared",
                remedy: "Evaluate them one at a time."),
            Explanation(
                "eval.kind", [.configuration],
                "The data is of another kind than the pipeline compares.",
                cause: """
                    Between the samples and the matcher only pure stages may stand, and these begin with another \
                    type.
                    """,
                output: "error[eval.kind]: the data holds hands, and what \"match\" compares is made of stroke",
                remedy: "Evaluate a pipeline for this kind of data."),
            Explanation(
                "eval.matcher", [.configuration],
                "It is not clear which matcher is evaluated.",
                cause: "The pipeline has none, or several and none is named.",
                output: "error[eval.matcher]: which matcher is evaluated? There is strict, turned",
                remedy: "Name it: `--matcher ID`."),
            Explanation(
                "eval.method", [.configuration],
                "A method that was given by name cannot be evaluated.",
                cause: """
                    The pipeline that stands for the method has a mistake with these options; the message is its \
                    first finding.
                    """,
                output: "error[eval.method]: 1 is out of range",
                remedy: "Correct the options that you gave beside the method."),
            Explanation(
                "eval.live", [.configuration],
                "A live pipeline is to be evaluated by what happened.",
                cause: "What a live pipeline makes depends on how busy the machine is.",
                output: "error[eval.live]: a live pipeline is not evaluated by what happened",
                remedy: "Add `--set mode=batch`, with a file as its source."),
            Explanation(
                "eval.too_few", [.configuration],
                "There is not enough data for the evaluation that was asked for.",
                cause: """
                    Each class needs as many samples as are used as templates, and one more to test with; some \
                    designs need several people.
                    """,
                output: "error[eval.too_few]: no user has enough samples of each class for 5 templates and a test",
                remedy: "Ask for fewer templates, choose another design, or evaluate more data."),
            Explanation(
                "eval.unknown_classes", [.configuration],
                "No sample of the data is of a class of the library.",
                cause: "The labels of the data and the names of the library's gestures are not the same.",
                output: "error[eval.unknown_classes]: no sample is of a class of the library",
                remedy: "Correct the labels; the help shows the names of the library."),
            Explanation(
                "truth.unreadable", [.environment],
                "The table of what happened cannot be read.",
                cause: "It is no CSV, or its text is damaged.",
                output: "error[truth.unreadable]: the table cannot be read",
                remedy: """
                    Write a table with the columns `label`, `start_us`, `end_us`, and `stream` if there are several.
                    """),
            Explanation(
                "truth.column", [.environment],
                "A column is missing in the table of what happened.",
                cause: "Its first row names the columns, and this one is not among them.",
                output: "error[truth.column]: there is no column \"start_us\" among label, start, end",
                remedy: "Name the columns `label`, `start_us`, `end_us`, and `stream` if there are several."),
            Explanation(
                "truth.time", [.environment],
                "The times of a gesture in the table of what happened are wrong.",
                cause: "Times are whole microseconds, and the end is not before the start.",
                output: "error[truth.time]: line 3: a gesture from \"1.5\" to \"2.0\"",
                remedy: "Write microseconds: 1500000, not 1.5."),
            Explanation(
                "truth.counts", [.environment],
                "The table of what happened does not say whether a gesture counts.",
                cause: "The column `counts` says `yes` or `no`; an empty cell is a `yes`.",
                output: "error[truth.counts]: line 3: \"0\" in the column \"counts\"",
                remedy: "Write no for a gesture that need not be found, as one that was drawn wrongly."),
            Explanation(
                "tune.interrupted", [.environment],
                "`pipectl tune` was interrupted before anything was judged.",
                cause: "Interrupted later, it chooses among what has been judged so far.",
                output: "error[tune.interrupted]: interrupted before anything was judged",
                remedy: "Let it run longer, or vary fewer values."),
            Explanation(
                "tune.none", [.verdict],
                "No setting meets the limits.",
                cause: """
                    Every combination of values names more unknown gestures than `--max-false-accept`, or takes \
                    longer than `--max-time-us`. The exit code is 1.
                    """,
                output: "error[tune.none]: no setting meets the limits",
                remedy: "Allow more, or try other values."),
            Explanation(
                "new.exists", [.environment],
                "The folder for a new package is already there.",
                cause: "Nothing is written over.",
                output: """
                    $ pipectl new mine
                    error[new.exists]: mine is there already: give another name, or remove it
                    """,
                remedy: "Give another name, or remove the folder."),
            Explanation(
                "new.unwritable", [.environment],
                "A file of a new package cannot be written.",
                cause: "The current folder cannot be written to, or the disk is full.",
                output: "error[new.unwritable]: mine/Package.swift cannot be written",
                remedy: "Go to a folder that you may write to."),
        ])
}
