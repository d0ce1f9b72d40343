import Pipeline
import Synchronization
import Testing

/// The log of a run. A test can wait for a line, such as `bound to tcp://127.0.0.1:40123`.
final class LogLines: Sendable {
    private let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let said = Lock<[String]>([])

    init() { (lines, continuation) = AsyncStream.makeStream() }

    /// Everything logged so far.
    var all: [String] { said.withLock { $0 } }

    /// The log that writes here.
    var log: Log {
        Log { [self] line in
            said.withLock { $0.append(line.text) }
            continuation.yield(line.text)
        }
    }

    /// The options of a run that logs here.
    var options: Run.Options {
        var options = Run.Options()
        options.log = log
        return options
    }

    /// Waits for the next line that contains `marker`, and returns the text after `marker`. If there is none within two minutes,
    /// records an issue and returns an empty text.
    func next(_ marker: String, sourceLocation: SourceLocation = #_sourceLocation) async -> String {
        let limit = Task { [continuation] in
            try await Task.sleep(for: .seconds(120))
            continuation.finish()
        }
        defer { limit.cancel() }
        for await line in lines {
            if let place = line.firstRange(of: marker) { return String(line[place.upperBound...]) }
        }
        Issue.record("no line contains \"\(marker)\": \(all)", sourceLocation: sourceLocation)
        return ""
    }
}
