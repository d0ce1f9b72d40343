import Connectors
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Command {
    private static let workers = Flag.integer(
        "workers", in: 1...256, defaultText: "1",
        "Reads a recording with N threads; the results do not depend on N")

    /// `pipectl worker`.
    static let worker: Command = Command(
        "worker", "run a pipeline on many recordings, for another program",
        details: """
            Reads jobs from standard input and answers each on standard output, in order. A job is an object of JSON on a line:

              {"config": "strokes.yaml"}: the pipeline for the next recordings; \
            "set": ["ID.OPTION=VALUE"] overrides options, as --set does
              {"path": "a.jsonl"}: a recording
              {"name": "b.jsonl", "bytes": 5000}: a recording whose bytes follow the line

            The pipeline's "file" source reads the recording instead of its own path. If there are several such sources, \
            "source": "ID" in the job with "config" selects one. In a live pipeline, the recording replaces the live sources, in \
            simulated time, as with run --simulate. Sinks are not opened: the frames that they would receive are the result.

            An answer is an object of JSON on a line. The answer to a recording contains the report of the run, and for each sink \
            the number of "rows" and "bytes". The rows follow the answer, sink after sink: the lines that the sink stdout with \
            format: jsonl would write. The answer to a recording that could not be processed contains "error", and no rows follow. \
            The worker continues with the next job, until the input ends.
            """,
        flags: [workers.description] + LogFlags.all,
        examples: [
            Example("pipectl worker --workers=4", "Reads each recording with four threads"),
            Example(
                #"echo '{"config": "Configs/strokes.yaml"}' | pipectl worker"#,
                "Shows the source, the sinks and the files of a pipeline"),
        ]
    ) { invocation, console in
        var worker = RecordingWorker(
            invocation.tool, console, reading: STDIN_FILENO, threads: invocation[workers] ?? 1)
        try await worker.run()
        return .done
    }
}
