extension Explanation {
    /// Codes about evaluation, tuning and drafts.
    static let evaluation = Family(
        "Evaluation, tuning and drafts",
        [
            Explanation(
                "eval.no_labels", [.environment],
                "The evaluation data has no labeled sample.",
                cause: "Only samples with a `label` are used.",
                output: "error[eval.no_labels]: no labeled sample in session.jsonl",
                remedy: "Label the samples, or evaluate on a gesture library."),
            Explanation(
                "eval.mixed", [.environment],
                "The data contains both strokes and hands.",
                cause: "Only samples of the same kind can be compared.",
                output:
                    "error[eval.mixed]: the data contains strokes and hands, which are not compared with each other",
                remedy: "Evaluate strokes and hands separately."),
            Explanation(
                "eval.kind", [.configuration],
                "The kind of the data differs from the kind that the pipeline compares.",
                cause: """
                    The samples pass through the pure stages directly above the matcher, and these stages take another \
                    type.
                    """,
                output: "error[eval.kind]: the data holds hands, but the evaluated stages up to \"match\" take stroke",
                remedy: "Evaluate a pipeline for this kind of data."),
            Explanation(
                "eval.matcher", [.configuration],
                "It is unclear which matcher to evaluate.",
                cause: """
                    The pipeline has no matcher, or none of the name that `--matcher` gives, or it has several and \
                    `--matcher` is missing. `--truth` compares recognitions. \
                    The results of `each` do not say when a gesture began, so they cannot be compared with events.
                    """,
                output: "error[eval.matcher]: which matcher should be evaluated? There are strict, turned",
                remedy: """
                    Name the matcher: `--matcher ID`. Instead of `each`, evaluate its stages on single hands: `kind: landmarks` \
                    with `decode: { preset: canonical, points: "hands[*].pts", layout: "hands[*].fields" }` reads the first \
                    hand of each recorded message.
                    """),
            Explanation(
                "eval.method", [.configuration],
                "The method given with `--method` cannot be evaluated.",
                cause: """
                    The pipeline of the method has an error with these options; the message is its first finding.
                    """,
                output: "error[eval.method]: 1 is out of range",
                remedy: "Correct the options that you gave with the method."),
            Explanation(
                "eval.live", [.configuration],
                "A live pipeline cannot be evaluated with `--truth`.",
                cause: "The results of a live pipeline depend on the load of the machine.",
                output: "error[eval.live]: --truth cannot evaluate a live pipeline",
                remedy: "Make a copy of the pipeline with `mode: batch` and a file as its source."),
            Explanation(
                "eval.too_few", [.configuration],
                "There is not enough data for the requested evaluation.",
                cause: """
                    Each class needs one more sample than the number of templates, for the test; some designs need \
                    several people, and `open_set` needs three classes of one person, because one of them is unknown. \
                    The `subject` of a stroke names its person; hands have the person of their folder.
                    """,
                output: "error[eval.too_few]: no user has enough samples of each class for 5 templates and a test",
                remedy: "Ask for fewer templates, choose another design, or evaluate more data."),
            Explanation(
                "eval.repetitions", [.configuration],
                "The number of repetitions of an evaluation is less than 1 or more than 1,000,000.",
                cause: "A program set `EvaluationOptions.repetitions` to another number.",
                output: "error[eval.repetitions]: 0 repetitions are out of range: 1 to 1000000",
                remedy: "Set a number in this range; 100 repetitions are enough for most data."),
            Explanation(
                "eval.unknown_classes", [.configuration],
                "No sample of the data belongs to a class of the library.",
                cause: "The labels of the data and the names of the library's gestures are not the same.",
                output: "error[eval.unknown_classes]: no sample is of a class of the library",
                remedy: "Correct the labels; the help shows the names of the library."),
            Explanation(
                "truth.column", [.environment],
                "The table of true events lacks a column.",
                cause: "The first row of the table names its columns, and a required one is not among them.",
                output: "error[truth.column]: there is no column \"start_us\" among label, start, end",
                remedy: "Name the columns `label`, `start_us`, `end_us`, and `stream` if there are several."),
            Explanation(
                "truth.time", [.environment],
                "The times of a gesture in the table of true events are wrong.",
                cause: "Times are whole microseconds from 0 to 2^53 − 1, and the end is not before the start.",
                output: "error[truth.time]: line 3: a gesture from \"1.5\" to \"2.0\"",
                remedy: "Write microseconds: 1500000, not 1.5."),
            Explanation(
                "truth.counts", [.environment],
                "A cell of the column `counts` in the table of true events is invalid.",
                cause: "The column `counts` contains `yes` or `no`; an empty cell means `yes`.",
                output: "error[truth.counts]: line 3: \"0\" in the column \"counts\"",
                remedy: """
                    Write `no` for a gesture that need not be found, such as one that was drawn incorrectly.
                    """),
            Explanation(
                "tune.interrupted", [.environment],
                "`pipectl tune` was interrupted before any setting was evaluated.",
                cause:
                    "`pipectl tune` chooses among the settings that were evaluated before an interrupt, and there were none.",
                output: "error[tune.interrupted]: interrupted before anything was evaluated",
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
                "The folder for a new package already exists.",
                cause: "Existing files are never overwritten.",
                output: """
                    $ pipectl new mine
                    error[new.exists]: mine already exists: give another name, or remove it
                    """,
                remedy: "Give another name, or remove the folder."),
            Explanation(
                "new.unwritable", [.environment],
                "A file of a new package cannot be written.",
                cause: "The current folder cannot be written to, or the disk is full.",
                output: "error[new.unwritable]: mine/Package.swift cannot be written",
                remedy: "Change to a folder that you may write to."),
        ])
}
