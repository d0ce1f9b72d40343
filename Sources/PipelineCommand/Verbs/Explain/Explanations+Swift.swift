extension Explanation {
    /// Codes about pipelines in Swift.
    static let swift = Family(
        "Pipelines in Swift",
        [
            Explanation(
                "graph.two_graphs", [.configuration],
                "Flows of two graphs were joined in Swift.",
                cause: "Each `Graph` runs by itself, so a stage cannot take from sources of two of them.",
                output: """
                    flows of two graphs cannot be joined [graph.two_graphs] (add all sources to one Graph with \
                    source(_:))
                    """,
                remedy: "Add all sources to one `Graph` with `source(_:)`."),
            Explanation(
                "graph.running", [.configuration],
                "A stage was added in Swift to a graph that runs already.",
                cause: "Reading the first result starts the graph. What is added later would miss frames.",
                output: """
                    smooth was added to a graph that runs already [graph.running] (add all stages before results \
                    are read)
                    """,
                remedy: "Add all stages before you read results."),
            Explanation(
                "graph.worker_count", [.configuration],
                "A stage was given in Swift a number of workers that there cannot be.",
                cause: "`through(_:workers:)` takes 1 to 256 workers.",
                output: """
                    resample was given 0 workers, and there can be 1 to 256 [graph.worker_count] (give it as many as \
                    the machine has cores, or fewer)
                    """,
                remedy: "Give it as many as the machine has cores, or fewer."),
            Explanation(
                "registry.no_reader", [.configuration],
                "A component needs a file that nothing in the registry reads.",
                cause: """
                    The component was registered in a `Registry` of your own, or made in Swift with the path of a file. Only a \
                    registry that has been told how such files are read can read one.
                    """,
                output: """
                    nothing here reads a GestureLibrary of gestures.json [registry.no_reader] (register what does with \
                    Registry.add(reader:), or make the component in Swift)
                    """,
                remedy:
                    "Start from `Registry.standard`, call `Registry.add(reader:)`, or give the component the value itself."
            ),
            Explanation(
                "run.no_such_node", [.configuration],
                "Results were asked for of a component that is not there.",
                cause: "`Run.results(of:)` was called in Swift with an id that no source or stage of the plan has.",
                output: "there is no source or stage \"macth\" [run.no_such_node] (there are file, resample, match)",
                remedy: "Use one of the ids in the message."),
            Explanation(
                "run.wrong_payload", [.configuration],
                "Results were asked for as another type than the component makes.",
                cause: "The type parameter in Swift does not fit the component.",
                output: "match makes recognition, not stroke [run.wrong_payload]",
                remedy: "Ask for the type in the message, or for another component."),
            Explanation(
                "run.started", [.configuration],
                "Results were asked for after the run had started.",
                cause: "Frames that had come before would be missing among them.",
                output: "results must be asked for before the run starts [run.started]",
                remedy: "Call `results` first, and then start the run."),
            Explanation(
                "plan.no_such_source", [.configuration],
                "A source that was to be replaced is not there.",
                cause: "A source was put in its place in Swift under an id that the plan does not have.",
                output: "there is no source \"camra\" [plan.no_such_source]",
                remedy: "Use the id of one of the configuration's sources."),
            Explanation(
                "plan.wrong_payload", [.configuration],
                "A source was to be replaced by one of another type.",
                cause: "What takes from it needs the type that the configuration's source brings.",
                output: "camera brings hands, not landmarks [plan.wrong_payload]",
                remedy: "Give a source of the type in the message."),
            Explanation(
                "edit.impossible", [.configuration],
                "A value cannot be put into the text of a configuration by itself.",
                cause: """
                    The text is written so that a change of this value would change others, such as one that an \
                    alias stands for.
                    """,
                output: """
                    error[edit.impossible]: the configuration is written so that these values cannot be put in \
                    alone
                    """,
                remedy: "Set the values by hand, as the help lists them."),
            Explanation(
                "edit.refused", [.configuration],
                "The text of a configuration that is to be changed cannot be read.",
                cause: "It has mistakes of its own, of which the first is the message.",
                output: "error[edit.refused]: expected \":\" between a key and its value",
                remedy: "Run `pipectl validate` on the file and correct it first."),
        ])
}
