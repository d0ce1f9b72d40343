extension Explanation {
    /// Codes about `pipectl worker`.
    static let workers = Family(
        "Workers",
        [
            Explanation(
                "worker.job", [.configuration],
                "A line that was sent to `pipectl worker` is not a job.",
                cause: """
                    A job is an object of JSON on one line, with `config`, `path`, or `name` and `bytes`. If the line cannot be \
                    read at all, the worker does not know where the next job begins, and ends.
                    """,
                output: "error[worker.job]: a job has \"config\", \"path\", or \"name\" and \"bytes\"",
                remedy: "Correct the program that sends the jobs. `pipectl worker --help` shows each of them."),
            Explanation(
                "worker.source", [.configuration],
                "It is unclear which source of a pipeline the recordings replace.",
                cause: """
                    The source `file` of the pipeline reads each recording instead of its own path. The pipeline has no such \
                    source, or several of them.
                    """,
                output: "error[worker.source]: several sources could read recordings: left, right",
                remedy: "Name the source in the job: `\"source\": \"left\"`."),
            Explanation(
                "worker.no_pipeline", [.configuration],
                "A recording was sent to `pipectl worker` when it had no pipeline.",
                cause:
                    "No job with `config` came before, or its configuration has an error, which the answer to that job contains.",
                output: "error[worker.no_pipeline]: there is no pipeline for the recording",
                remedy: "Send a job with `config` first, and send recordings only if its answer has no `error`."),
            Explanation(
                "worker.cut", [.environment],
                "The input of `pipectl worker` ended in the middle of a job.",
                cause:
                    "The program that sends the jobs has died, or sent fewer bytes of a recording than it announced.",
                output: "error[worker.cut]: the input ends in the middle of a job",
                remedy: "Send the number of bytes that the job announces, and close the input after the last job."),
        ])
}
