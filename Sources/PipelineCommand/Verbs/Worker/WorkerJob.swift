import Connectors
import Pipeline

/// A job of a worker: one line of JSON. The bytes of a recording may follow it.
enum WorkerJob {
    /// The pipeline for the recordings that follow.
    case configuration(WorkerConfiguration)
    /// A recording in a file.
    case file(String)
    /// A recording whose bytes follow.
    case bytes(name: String, count: Int)
    /// A job that the worker cannot do, and the reason. `count` bytes follow.
    case invalid(PipelineError, count: Int)

    /// Reads a job.
    ///
    /// - Throws: A configuration error if it is unknown where the next job begins.
    init(_ line: [UInt8]) throws {
        let document: DocumentValue
        do { document = try DocumentValue(line, .json) } catch {
            throw Self.error("a job is one object of JSON on a line: \(PipelineError(wrapping: error).message)")
        }
        guard case .object(let fields) = document else { throw Self.error("a job is an object of JSON, not a list") }
        var count: Int?
        if let value = document["bytes"] {
            guard let number = value.number, let whole = Int(exactly: number), whole >= 0 else {
                throw Self.error("\"bytes\" is the number of bytes that follow")
            }
            count = whole
        }
        do throws(PipelineError) { self = try Self.job(document, fields.map(\.key), count) } catch {
            self = .invalid(error, count: count ?? 0)
        }
    }

    private static func job(
        _ document: DocumentValue, _ keys: [String], _ count: Int?
    ) throws(PipelineError) -> WorkerJob {
        func check(_ known: [String]) throws(PipelineError) {
            guard let unknown = keys.first(where: { !known.contains($0) }) else { return }
            throw error("unknown key \"\(unknown)\"", help: suggestion(for: unknown, among: known, list: "keys"))
        }
        func text(_ key: String) throws(PipelineError) -> String? {
            guard let value = document[key], value != .null else { return nil }
            guard let text = value.string, !text.isEmpty, !text.contains("\0") else {
                throw error("\"\(key)\" is a string")
            }
            return text
        }
        if let config = try text("config") {
            try check(["config", "set", "source"])
            return .configuration(
                WorkerConfiguration(
                    path: config, overrides: try overrides(document["set"]), source: try text("source")))
        }
        if let path = try text("path") {
            try check(["path"])
            return .file(path)
        }
        guard let count, let name = try text("name") else {
            throw error("a job has \"config\", \"path\", or \"name\" and \"bytes\"")
        }
        try check(["name", "bytes"])
        // The worker stores the bytes in a file with this name, which must not lead out of the worker's folder.
        guard !name.contains("/"), name != ".", name != "..", name.utf8.count <= 255 else {
            throw error("\"\(name)\" is not the name of a file", help: "leave out the folders")
        }
        return .bytes(name: name, count: count)
    }

    private static func overrides(_ value: DocumentValue?) throws(PipelineError) -> [String] {
        guard let value, value != .null else { return [] }
        guard case .array(let elements) = value, elements.allSatisfy({ $0.string != nil }) else {
            throw error("\"set\" is a list of strings", help: "as in \"set\": [\"match.max_results=3\"]")
        }
        return elements.compactMap(\.string)
    }

    private static func error(_ message: String, help: String? = nil) -> PipelineError {
        PipelineError(.configuration, "worker.job", message, help: help)
    }
}

/// The pipeline that a job names.
struct WorkerConfiguration {
    /// The path of the configuration.
    let path: String
    /// Overrides of options, in the form of `--set`.
    let overrides: [String]
    /// The `id` of the source that recordings replace; `nil` for the only `file` source or, in a live pipeline, for all live
    /// sources.
    let source: String?
}
