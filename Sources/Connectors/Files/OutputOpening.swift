import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The path and mode with which a sink opens its file or pipe.
struct OutputOpening {
    let path: String
    let ifExists: FileSink.IfExists
    /// What to do about a file that already exists; `nil` for the advice to set `if_exists`.
    var existingHelp: String?

    private var flags: Int32 {
        switch ifExists {
        case .fail: O_WRONLY | O_CREAT | O_EXCL
        case .overwrite: O_WRONLY | O_CREAT | O_TRUNC
        case .append: O_WRONLY | O_CREAT | O_APPEND
        }
    }

    /// Opens the file without waiting for a reader.
    func descriptorAtOnce() throws -> Int32 {
        switch SystemCalls.openToWrite(path, flags) {
        case .success(let opened): return opened
        case .failure(let error): throw refusal(error)
        }
    }

    private func refusal(_ error: SystemError) -> PipelineError {
        guard error.number == EEXIST else { return error.writing(path) }
        return PipelineError.environment(
            "file.exists", "\(path) is already there",
            help: existingHelp ?? "set if_exists to overwrite or append, or choose another path")
    }

    /// Opens the file. For a named pipe, waits until a reader opens it. Returns `nil` if the run must stop before that.
    func descriptor(_ context: SinkContext) async throws -> Int32? {
        var isWaiting = false
        while !context.stop.isRequested {
            switch SystemCalls.openToWrite(path, flags) {
            case .success(let opened): return opened
            case .failure(let error) where error.number == ENXIO && SystemCalls.isPipe(path):
                if !isWaiting { context.log(.info, "waiting for a reader of \(path)") }
                isWaiting = true
                try await context.clock.sleep(until: context.clock.now + Self.pipePause)
            case .failure(let error): throw refusal(error)
            }
        }
        return nil
    }

    /// The interval between checks whether a pipe has a reader, in nanoseconds.
    private static let pipePause: Int64 = 20_000_000
}
