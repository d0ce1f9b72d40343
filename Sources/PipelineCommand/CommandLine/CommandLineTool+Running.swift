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
    /// Does what the process's command line says, and ends the process with the exit code of that.
    public func main() async -> Never {
        // A closed pipe is a normal end, told by a write that fails rather than by a signal that kills.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that has reached the size that it may have.
        signal(SIGXFSZ, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        let console = Terminal.console()
        // Detached: a task started here would stay on the main actor, with all that it awaits.
        let code = await Task.detached { await run(words, console) }.value
        exit(code.rawValue)
    }

    /// Understands the words behind the program's name and does what they say.
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

    /// Says what went wrong, and which exit code that is.
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
            let place = error.location.map { "\($0): " } ?? ""
            // What is wrong in a configuration is a finding. This path was given on the command line, where the help of a
            // missing file, which speaks of configurations, misleads.
            let help = error.code == "file.not_found" ? nil : error.help
            console.error(place + error.message, code: error.code, help: help.map { [$0] } ?? [])
            // A frame that no run has failed on is one of the data named on the command line.
            return error.category == .frame ? .environment : ExitCode(error.category)
        default:
            console.error("\(error)")
            return .failed
        }
    }
}
