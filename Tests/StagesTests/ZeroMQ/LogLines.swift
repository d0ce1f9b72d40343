import Pipeline
import Synchronization

/// What a run says, so that a test can wait for it: `bound to tcp://127.0.0.1:40123`.
final class LogLines: Sendable {
    private let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let said = Lock<[String]>([])

    init() { (lines, continuation) = AsyncStream.makeStream() }

    /// Everything said so far.
    var all: [String] { said.withLock { $0 } }

    /// Where lines go.
    var log: Log {
        Log { [self] line in
            said.withLock { $0.append(line.text) }
            continuation.yield(line.text)
        }
    }

    /// Options of a run that speaks here.
    var options: Run.Options {
        var options = Run.Options()
        options.log = log
        return options
    }

    /// What stands behind `marker` in the first line from here on that has it.
    func next(_ marker: String) async -> String {
        for await line in lines {
            if let place = line.firstRange(of: marker) { return String(line[place.upperBound...]) }
        }
        return ""
    }
}
