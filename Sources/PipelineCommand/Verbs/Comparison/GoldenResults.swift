import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration

/// The results of a pipeline on recordings, stored next to the pipeline.
enum GoldenResults {
    /// Returns the path of the stored results: `strokes.golden.jsonl` for `strokes.yaml`.
    static func path(of config: String) -> String {
        let endings = [".yaml", ".yml"]
        let name = endings.first { config.hasSuffix($0) }.map { String(config.dropLast($0.count)) } ?? config
        return name + ".golden.jsonl"
    }

    /// Compares the results of pipelines with the stored results. If a pipeline has no stored results, or if `updates` is set, its
    /// results are stored instead. A pipeline that is wrong or fails does not prevent the comparison of the others.
    ///
    /// - Returns: The exit code: 2 if a pipeline is wrong; otherwise that of the first pipeline that failed, if any; otherwise 1 if
    ///   there is a difference.
    static func test(
        _ configs: [String], on recordings: [String], updates: Bool, _ format: TestFormat, _ invocation: Invocation,
        _ console: Console
    ) async throws -> ExitCode {
        var reports: [ComparisonReport] = []
        var junit = JUnitReport()
        var refusal: ExitCode?
        func refuse(_ code: ExitCode) {
            if refusal == nil || code == .configuration { refusal = code }
        }
        func note(_ error: PipelineError, of config: String) {
            console.error(error)
            let outcome = JUnitReport.Case.Outcome.error(error.message, details: error.description)
            junit.add(.init(name: "the results can be compared", outcome: outcome), of: config)
        }
        for config in configs {
            do {
                let pipeline = try ComparedPipeline(config, invocation, console)
                guard let report = try await compare(pipeline, config, on: recordings, updates: updates, console) else {
                    continue
                }
                reports.append(report)
                junit.add(report.junit, of: config)
                if format == .text { try console.writeOutcome(report.text(console.resultStyle)) }
            } catch let error as ConfigurationRefused {
                junit.add(error.junit, of: config)
                refuse(error.code)
            } catch let failure as RunFailure {
                note(failure.error, of: config)
                refuse(failure.code)
            } catch let error as PipelineError where error.code != "run.interrupted" {
                note(error, of: config)
                refuse(error.category == .frame ? .environment : ExitCode(error.category))
            }
        }
        switch format {
        case .text: break
        case .json: try console.writeOutcome(JSONValue.array(reports.map(\.json)).document)
        case .junit: try console.writeOutcome(junit.xml)
        }
        let changed = reports.count { !$0.comparison.differences.isEmpty }
        if changed > 0 { console.say("--update stores the current results") }
        return refusal ?? (changed == 0 ? .done : .failed)
    }

    /// Compares the results of a pipeline with the stored ones. Returns `nil` if the results were stored instead.
    private static func compare(
        _ pipeline: ComparedPipeline, _ config: String, on recordings: [String], updates: Bool, _ console: Console
    ) async throws -> ComparisonReport? {
        let names = GoldenRecordings(pipeline.files(of: recordings))
        let results = names.named(try await pipeline.results(on: recordings))
        let path = path(of: config)
        guard OutputFile.exists(path), !updates else {
            try WholeFile.write(Array(results.map(line).joined().utf8), to: path)
            console.say("\(Counted.text(results.count, "result")) stored in \(path)")
            return nil
        }
        let stored = names.matched(try read(path))
        return ComparisonReport(comparison: ResultComparison(stored, results, tolerance: 0), names: (path, config))
    }

    /// Returns a result as a line: `{"recording":"a.jsonl","summary":"circle 0.9","result":{…}}`. The recording has its name from
    /// ``GoldenRecordings``.
    private static func line(_ result: FoundResult) -> String {
        let head = JSONValue.object([
            ("recording", .string(result.moment.recording)), ("summary", .string(result.summary)),
        ])
        return "\(head.text(isIndented: false).dropLast()),\"result\":\(result.text)}\n"
    }

    private static func read(_ path: String) throws -> [FoundResult] {
        let text = String(decoding: try WholeFile.read(path, limit: 1 << 30), as: UTF8.self)
        return try text.split(separator: "\n").enumerated().map { number, line in
            guard let node = ConfigNode.parse(yaml: String(line)), let result = node["result"],
                let recording = node["recording"]?.scalar?.text, let summary = node["summary"]?.scalar?.text,
                let kind = result["kind"]?.scalar?.text, let stream = result["stream"]?.scalar?.text,
                let time = result["t_us"]?.scalar.flatMap({ Int64($0.text) }),
                let begin = line.range(of: ",\"result\":")
            else {
                throw PipelineError.environment(
                    "golden.unreadable", "\(path), line \(number + 1): this line is not a stored result",
                    help: "--update writes the file again")
            }
            return FoundResult(
                moment: .init(recording: recording, kind: kind, stream: stream, time: time),
                text: String(line[begin.upperBound...].dropLast()), summary: summary)
        }
    }
}

extension Substring {
    /// Returns the range of the first occurrence of a text.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
