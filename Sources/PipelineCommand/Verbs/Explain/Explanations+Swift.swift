extension Explanation {
    /// Codes about pipelines in Swift.
    static let swift = Family(
        "Pipelines in Swift",
        [
            Explanation(
                "graph.two_graphs", [.configuration],
                "Flows of two graphs were connected in Swift.",
                cause: """
                    Each `Graph` runs independently, so a stage cannot take frames from sources of two graphs.
                    """,
                output: """
                    flows of two graphs cannot be joined [graph.two_graphs] (add all sources to one Graph with \
                    source(_:))
                    """,
                remedy: "Add all sources to one `Graph` with `source(_:)`."),
            Explanation(
                "graph.running", [.configuration],
                "A stage was added in Swift to a graph that is already running.",
                cause: "Reading the first result starts the graph. A stage added later would miss frames.",
                output: """
                    smooth was added to a graph that runs already [graph.running] (add all stages before results \
                    are read)
                    """,
                remedy: "Add all stages before you read results."),
            Explanation(
                "graph.worker_count", [.configuration],
                "A stage was given an invalid number of workers in Swift.",
                cause: "`through(_:workers:)` accepts 1 to 256 workers.",
                output: """
                    resample has 0 workers, but must have 1 to 256 [graph.worker_count] (give it as many as the \
                    machine has cores, or fewer)
                    """,
                remedy: "Use at most as many as the machine has cores."),
            Explanation(
                "graph.edge_policy", [.configuration],
                "An edge was given an invalid policy in Swift.",
                cause: """
                    The limits of an `EdgePolicy` are the same as in a configuration: `capacity` 1 to 1000000 (from 0 with \
                    `inFlight`), `inFlight` 1 to 1000000, and times from 0.001 ms.
                    """,
                output: """
                    the edge pen → resample: capacity is 0, but must be from 1 to 1000000 [graph.edge_policy] (change its \
                    EdgePolicy)
                    """,
                remedy: "Use a value in the range that the message names."),
            Explanation(
                "graph.alignment", [.configuration],
                "A stage was given an invalid tolerance in Swift.",
                cause: "The `toleranceMs` of an `Alignment` is from 0 to 10^9, as in a configuration.",
                output: """
                    combine: toleranceMs is nan, but must be from 0 to 1000000000 [graph.alignment] (change its Alignment)
                    """,
                remedy: "Use a value in the range that the message names."),
            Explanation(
                "graph.reserved_id", [.configuration],
                "A node was given the name of an error output in Swift.",
                cause: "The frames that a node `x` cannot process are called `x.errors` in the ledger.",
                output: """
                    pen.errors cannot be an id: error outputs are called so [graph.reserved_id] (use an id that does not \
                    end in .errors)
                    """,
                remedy: "Use an id that does not end in `.errors`."),
            Explanation(
                "plan.no_input", [.configuration],
                "A stage or a sink of a plan made in Swift has no input.",
                cause: """
                    It has no edge, or an edge does not come from a node before it. A name in the `from:` of \
                    `Plan.building()` that no earlier node has adds no edge.
                    """,
                output: """
                    match receives from no node [plan.no_input] (name nodes that were added before match)
                    """,
                remedy: "Correct the name, and add the nodes in the order in which frames pass them."),
            Explanation(
                "registry.no_reader", [.configuration],
                "A component needs a file that nothing in the registry can read.",
                cause: """
                    The component was registered in a custom `Registry`, or created in Swift with the path of a file. \
                    A registry can read such a file only if it has a reader for it.
                    """,
                output: """
                    no reader is registered for GestureLibrary, to read gestures.json [registry.no_reader] (register \
                    one with Registry.add(reader:), or create the component in Swift)
                    """,
                remedy: """
                    Start from `Registry.standard`, call `Registry.add(reader:)`, or pass the value itself to the \
                    component.
                    """
            ),
            Explanation(
                "run.no_such_node", [.configuration],
                "Results were requested from a component that does not exist.",
                cause: "`Run.results(of:)` was called in Swift with an id that no source or stage of the plan has.",
                output:
                    "there is no source or stage \"macth\" [run.no_such_node] (sources and stages: file, resample, match)",
                remedy: "Use one of the ids in the message."),
            Explanation(
                "run.wrong_payload", [.configuration],
                "Results were requested as a different type than the component produces.",
                cause: "The type parameter in Swift does not fit the component.",
                output: "match makes recognition, not stroke [run.wrong_payload]",
                remedy: "Request the type in the message, or another component."),
            Explanation(
                "run.started", [.configuration],
                "Results were requested after the run had started.",
                cause: "Frames that were processed before would be missing.",
                output: "results must be requested before the run starts [run.started]",
                remedy: "Call `results` first, and then start the run."),
            Explanation(
                "plan.no_such_source", [.configuration],
                "A source to be replaced does not exist.",
                cause: "A replacement source was given in Swift with an id that the plan does not have.",
                output: "there is no source \"camra\" [plan.no_such_source]",
                remedy: "Use the id of one of the configuration's sources."),
            Explanation(
                "plan.wrong_payload", [.configuration],
                "A source would be replaced by one of another type.",
                cause: "The components after it need the type of the configuration's source.",
                output: "camera emits hands, not landmarks [plan.wrong_payload]",
                remedy: "Use a source of the type in the message."),
            Explanation(
                "edit.impossible", [.configuration],
                "A value cannot be set automatically in the text of a configuration.",
                cause: """
                    A change of this value in the text would change other values, for example because an alias refers \
                    to it.
                    """,
                output: """
                    error[edit.impossible]: the configuration is written so that these values cannot be set without \
                    changing others
                    """,
                remedy: "Set the values by hand as listed in the help."),
            Explanation(
                "edit.refused", [.configuration],
                "The text of a configuration to be changed cannot be read.",
                cause: "The text contains errors; the message is the first of them.",
                output: "error[edit.refused]: expected \":\" between a key and its value",
                remedy: "Run `pipectl validate` on the file, and correct it first."),
        ])
}
