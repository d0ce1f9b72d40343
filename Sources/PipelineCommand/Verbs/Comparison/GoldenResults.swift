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
    /// results are stored instead.
    static func test(
        _ configs: [String], on recordings: [String], updates: Bool, _ format: TestFormat, _ invocation: Invocation,
        _ console: Console
    ) async throws -> ExitCode {
        var reports: [ComparisonReport] = []
        var junit = JUnitReport()
        for config in configs {
            let pipeline = try ComparedPipeline(config, invocation, console)
            let results = try await pipeline.results(on: recordings)
            let path = path(of: config)
            guard OutputFile.exists(path), !updates else {
                try WholeFile.write(Array(results.map(line).joined().utf8), to: path)
                console.say("\(Counted.text(results.count, "result")) stored in \(path)")
                continue
            }
            let stored = try read(path)
            let report = ComparisonReport(
                comparison: ResultComparison(stored, results, tolerance: 0), names: (path, config))
            reports.append(report)
            junit.add(report.junit, of: config)
            if format == .text { try console.writeOutcome(report.text(console.resultStyle)) }
        }
        switch format {
        case .text: break
        case .json: try console.writeOutcome(JSONValue.array(reports.map(\.json)).document)
        case .junit: try console.writeOutcome(junit.xml)
        }
        let changed = reports.count { !$0.comparison.differences.isEmpty }
        if changed > 0 { console.say("--update stores the current results") }
        return changed == 0 ? .done : .failed
    }

    /// Returns a result as a line: `{"recording":"a.jsonl","summary":"circle 0.9","result":{…}}`.
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
