import Connectors
import Pipeline
import PipelineComponents

/// A process that runs one pipeline on many recordings, one after another.
struct RecordingWorker {
    private let tool: CommandLineTool
    private let console: Console
    /// The number of threads that read a recording.
    private let threads: Int
    private let spool: RecordingSpool
    private var input: JobInput
    private var pipeline: WorkerPipeline?

    /// Creates a worker that reads jobs from a descriptor and writes its answers to the console's results.
    init(_ tool: CommandLineTool, _ console: Console, reading descriptor: Int32, threads: Int) {
        (self.tool, self.console, self.threads) = (tool, console, threads)
        // An empty TMPDIR is treated as unset.
        spool = RecordingSpool(in: console.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp")
        input = JobInput(descriptor: descriptor)
    }

    /// Answers every job, until the input ends.
    ///
    /// - Throws: A configuration error if it is unknown where the next job begins; an environment error if the input ends in the
    ///   middle of a job. These errors are also written as answers before they are thrown.
    mutating func run() async throws {
        do {
            while let (line, isEnded) = try input.line() {
                let job: WorkerJob
                do { job = try WorkerJob(line) } catch { throw isEnded ? error : JobInput.Cut() as any Error }
                try console.writeResult(await answer(job))
            }
        } catch {
            let error = Self.described(error)
            if error is OutputLost { throw error }
            try console.writeResult(WorkerAnswer.failed(nil, PipelineError(wrapping: error)))
            throw error
        }
    }

    private static func described(_ error: any Error) -> any Error {
        switch error {
        case is JobInput.Cut: PipelineError.environment("worker.cut", "the input ends in the middle of a job")
        case is JobInput.TooLong:
            PipelineError(
                .configuration, "worker.job", "a job is longer than \(JobInput.longestLine) bytes",
                help: "send a large recording as bytes after the job, with \"name\" and \"bytes\"")
        default: error
        }
    }

    private mutating func answer(_ job: WorkerJob) async throws -> String {
        switch job {
        case .configuration(let configuration):
            pipeline = nil
            do {
                let loaded = try WorkerPipeline(configuration, tool, console)
                pipeline = loaded
                return WorkerAnswer.configured(configuration.path, loaded, tool)
            } catch {
                return WorkerAnswer.refused(configuration.path, error)
            }
        case .file(let path): return await session(path, called: path)
        case .bytes(let name, let count):
            let path: String
            do { path = try spool.store(count, from: &input, as: name) } catch let error as PipelineError {
                return WorkerAnswer.failed(name, spool.named(error))
            }
            defer { spool.remove(path) }
            return await session(path, called: name)
        case .invalid(let error, let count):
            try input.bytes(count) { _ in }
            return WorkerAnswer.failed(nil, error)
        }
    }

    /// Runs the pipeline on one recording.
    private mutating func session(_ path: String, called name: String) async -> String {
        guard pipeline != nil else {
            return WorkerAnswer.failed(
                name,
                PipelineError(
                    .configuration, "worker.no_pipeline", "there is no pipeline for the recording",
                    help: "send a job with \"config\" first; its answer says whether the pipeline can be used"))
        }
        do {
            guard let session = try pipeline?.session(reading: path) else { return "" }
            var options = session.options
            options.log = console.log
            options.workers = threads
            let report = await Run(session.plan, options: options).finished()
            let summary = RunReportText(report: report, isSimulated: session.plan.mode == .live)
            if let failure = report.failures.first {
                return WorkerAnswer.failed(name, spool.named(failure.error), node: failure.node, summary: summary)
            }
            guard report.violations.isEmpty else {
                let what = report.violations.joined(separator: "; ")
                return WorkerAnswer.failed(
                    name, PipelineError(.defect, "run.ledger", "the ledger does not balance: \(what)"),
                    summary: summary)
            }
            return WorkerAnswer.processed(name, session.results, summary)
        } catch {
            return WorkerAnswer.failed(name, spool.named(PipelineError(wrapping: error)))
        }
    }
}
