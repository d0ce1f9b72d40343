import Pipeline
import PipelineComponents
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes dropped frames to a file, one JSON object per line.
final class DropFile: Sendable {
    private struct State {
        var pending = ""
        var error: Int32 = 0
    }

    private let path: String
    private let descriptor: Int32
    private let state = Lock(State())

    /// Creates the file, or truncates an existing one.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw OutputFile.unwritable(path, errno) }
    }

    /// Adds a line for a dropped frame. Any task may call this. An error of a write is kept until ``close()``, which throws it.
    func write(_ drop: DropRecord) {
        var members: [(key: String, value: JSONValue)] = [
            ("stream", .string("\(drop.stream)")), ("t_us", .integer(Int(drop.timestamp.rawValue))),
            ("seq", .integer(Int(drop.sequence))), ("where", .string(drop.place)),
            ("why", .string(drop.reason.rawValue)),
        ]
        // One record can stand for several consecutive frames that the network lost; `seq` is the number of the first.
        if drop.count != 1 { members.append(("count", .integer(Int(drop.count)))) }
        // The age is the time from the frame's arrival to the drop. It is known only in live mode.
        if let age = drop.age { members.append(("age_us", .integer(Int(age / 1000)))) }
        let line = JSONValue.object(members).line
        state.withLock { state in
            state.pending += line
            if state.pending.utf8.count > 1 << 16 { flush(&state) }
        }
    }

    /// Writes the remaining lines and closes the file.
    ///
    /// - Throws: An environment error if a write failed.
    func close() throws {
        let error = state.withLock { state in
            flush(&state)
            return state.error
        }
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
        if error != 0 { throw OutputFile.unwritable(path, error) }
    }

    private func flush(_ state: inout State) {
        if let error = DescriptorOutput.write(state.pending, to: descriptor), state.error == 0 { state.error = error }
        state.pending = ""
    }
}
