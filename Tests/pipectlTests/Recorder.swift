import Pipeline
import Synchronization

@testable import PipelineCommand

/// Keeps the output of a command.
final class Recorder: Sendable {
    private let texts = Lock((results: "", messages: ""))

    var results: String { texts.withLock { $0.results } }
    var messages: String { texts.withLock { $0.messages } }

    /// Returns a console that writes here, as if neither stream were a terminal.
    func console(environment: [String: String] = [:]) -> Console {
        Console(
            writeResult: { text in self.texts.withLock { $0.results += text } },
            writeMessage: { text in self.texts.withLock { $0.messages += text } },
            resultStyle: .plain, messageStyle: .plain, resultsAreLive: false, messagesAreLive: false, width: 80,
            environment: environment)
    }
}

extension CommandLineTool {
    /// The tool that the tests run, with the version 0.0.0.
    static let pipectl = CommandLineTool("pipectl", version: "0.0.0")
}

extension Command {
    /// All commands of `pipectl`.
    static let pipectl = Command.root(named: "pipectl")
}

/// Runs a command line inside the test's process.
func pipectl(_ words: String...) async -> (code: ExitCode, results: String, messages: String) {
    await pipectl(words)
}

/// Runs a command line, given as a list of words, inside the test's process.
func pipectl(_ words: [String]) async -> (code: ExitCode, results: String, messages: String) {
    let recorder = Recorder()
    let code = await CommandLineTool.pipectl.run(words, recorder.console())
    return (code, recorder.results, recorder.messages)
}
