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
    ///
    /// Call it first, and not from asynchronous code: Swift's runtime opens files for asynchronous code, which would get the
    /// numbers of standard descriptors that are closed.
    public func main() -> Never {
        // A write to a closed pipe must fail, which ends the program normally, instead of killing the process with a signal.
        signal(SIGPIPE, SIG_IGN)
        // The same holds for a write to a file that has reached the maximum file size.
        signal(SIGXFSZ, SIG_IGN)
        keepStandardDescriptors()
        let words = Array(CommandLine.arguments.dropFirst())
        let console = Terminal.console()
        Task.detached { exit(await run(words, console).rawValue) }
        // This thread handles the signals. They may be blocked if the parent process has blocked them.
        var none = sigset_t()
        sigemptyset(&none)
        while true { sigsuspend(&none) }
    }

    /// Opens the standard descriptors that are closed, so that no file or socket of the program gets their numbers. Reading from
    /// them or writing to them still fails, because they are opened for the opposite direction.
    private func keepStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // A new descriptor gets the lowest free number.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
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
    func report(_ error: any Error, _ console: Console) -> ExitCode {
        switch error {
        case let error as OutputLost:
            if error.isClosedPipe { return .done }
            console.error("standard output cannot be written: \(String(cString: strerror(error.code)))")
            return .environment
        case let error as ConfigurationRefused:
            return error.code
        case let failure as RunFailure:
            say(failure.error, console)
            return failure.code
        case let error as UsageError:
            console.error(error.message, help: error.help)
            return .configuration
        case let error as PipelineError:
            say(error, console)
            // Outside a run, a frame error is about a file that was named on the command line.
            return error.category == .frame ? .environment : ExitCode(error.category)
        default:
            console.error("\(error)")
            return .failed
        }
    }

    private func say(_ error: PipelineError, _ console: Console) {
        console.error(error)
        if console.showsStatus { suggestExplanation(of: [error.code], console) }
    }
}
