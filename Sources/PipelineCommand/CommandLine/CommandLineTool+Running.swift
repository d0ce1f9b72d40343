import Connectors
import Pipeline
import PipelineComponents
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension CommandLineTool {
    /// Runs the process's command line, and ends the process with the resulting exit code.
    public func main() async -> Never {
        // A write to a closed pipe must fail, which ends the program normally, instead of killing the process with a signal.
        signal(SIGPIPE, SIG_IGN)
        // The same holds for a write to a file that has reached the maximum file size.
        signal(SIGXFSZ, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        let console = Terminal.console()
        // A task that is not detached would inherit the main actor, and run the whole command on it.
        let code = await Task.detached { await run(words, console) }.value
        exit(code.rawValue)
    }

    /// Parses the words that follow the program's name, and runs the command.
    func run(_ words: [String], _ console: Console) async -> ExitCode {
        var console = console
        console.program = name
        do {
            let invocation = try CommandLineParser(tool: self, root: .root(named: name)).parse(words)
            try LogFlags.apply(invocation, to: &console)
            if invocation[Flags.version] {
                try console.print("\(name) \(version)")
                return .done
            }
            guard !invocation[Flags.help], let action = invocation.command.action else {
                try console.writeResult(HelpText.text(for: invocation.path))
                return .done
            }
            return try await action(invocation, console)
        } catch {
            return report(error, console)
        }
    }

    /// Reports an error, and returns its exit code.
    private func report(_ error: any Error, _ console: Console) -> ExitCode {
        switch error {
        case let error as OutputLost:
            if error.isClosedPipe { return .done }
            console.error("standard output cannot be written: \(String(cString: strerror(error.code)))")
            return .environment
        case let error as ConfigurationRefused:
            return error.code
        case let error as UsageError:
            console.error(error.message, help: error.help)
            return .configuration
        case let error as PipelineError:
            var said = error
            // Missing files that a configuration names are reported as findings, so a missing file here was named on the command
            // line. The help of `file.not_found` is about paths in configurations, and would mislead.
            if error.code == "file.not_found" { said.help = nil }
            console.error(said)
            // Outside a run, a frame error is about a file that was named on the command line.
            return error.category == .frame ? .environment : ExitCode(error.category)
        default:
            console.error("\(error)")
            return .failed
        }
    }
}
