import Pipeline
import Synchronization

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

    /// Waits for the next line that contains `marker`, and returns the text after `marker`.
    func next(_ marker: String) async -> String {
        for await line in lines {
            if let place = line.firstRange(of: marker) { return String(line[place.upperBound...]) }
        }
        return ""
    }
}
