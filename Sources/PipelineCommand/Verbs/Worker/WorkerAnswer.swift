import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration

/// The answers of a worker: one line of JSON each. The rows of the results follow the answer to a recording.
enum WorkerAnswer {
    /// Returns the answer to a job with a configuration that can be used.
    static func configured(_ path: String, _ pipeline: WorkerPipeline, _ tool: CommandLineTool) -> String {
        let inputs = pipeline.loaded.files.filter { $0.purpose == .input && $0.owner != pipeline.source }
        var found: Set<String> = []
        // A source lists the folder or pattern of its option in addition to the files there.
        let files = inputs.flatMap { $0.paths() }.filter { SystemCalls.isFile($0) && found.insert($0).inserted }
        return JSONValue.object([
            ("config", .string(path)), ("name", .string(pipeline.plan.name)),
            ("mode", .string(pipeline.plan.mode.rawValue)), ("version", .string(tool.version)),
            ("source", .optional(pipeline.source)),
            (
                "sinks",
                .array(pipeline.sinks.map { .object([("id", .string($0.id)), ("kind", .string($0.kind))]) })
            ),
            ("files", .array(files.map { .string($0) })),
            ("findings", .array(pipeline.loaded.diagnostics.map(\.json))),
        ]).line
    }

    /// Returns the answer to a job with a configuration that cannot be used.
    static func refused(_ path: String, _ error: any Error) -> String {
        let refused = error as? WorkerPipeline.Refused
        return JSONValue.object([
            ("config", .string(path)), ("error", json(refused?.error ?? PipelineError(wrapping: error))),
            ("findings", .array((refused?.diagnostics ?? []).map(\.json))),
        ]).line
    }

    /// Returns the answer to a recording that was processed: the sizes of its results, the report of the run, and the rows, sink
    /// after sink.
    static func processed(
        _ recording: String, _ results: [(sink: WorkerPipeline.ResultSink, rows: ResultRows)], _ summary: RunReportText
    ) -> String {
        let texts = results.map { ($0.sink, $0.rows.count, $0.rows.text) }
        let head = JSONValue.object([
            ("recording", .string(recording)),
            (
                "results",
                .array(
                    texts.map { sink, count, text in
                        .object([
                            ("sink", .string(sink.id)), ("kind", .string(sink.kind)), ("rows", .integer(count)),
                            ("bytes", .integer(text.utf8.count)),
                        ])
                    })
            ),
            ("report", summary.json),
        ])
        return texts.reduce(into: head.line) { $0 += $1.2 }
    }

    /// Returns the answer to a job that failed. It has no rows.
    static func failed(_ recording: String?, _ error: PipelineError, node: String? = nil, summary: RunReportText? = nil)
        -> String
    {
        JSONValue.object([
            ("recording", .optional(recording)), ("error", json(error, node: node)),
            ("report", summary?.json ?? .null),
        ]).line
    }

    private static func json(_ error: PipelineError, node: String? = nil) -> JSONValue {
        .object([
            ("category", .string(error.category.rawValue)), ("code", .string(error.code)),
            ("message", .string(error.message)), ("location", .optional(error.location)),
            ("help", .optional(error.help)), ("node", .optional(node)),
        ])
    }
}
