import Foundation

/// The built `pipectl`, run as a separate process.
struct Program {
    /// The outcome of a process and its output.
    struct Ending: Sendable {
        let code: Int32
        let results: String
        let messages: String
    }

    /// An error for something that a test needs and that is missing.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the path of the executable, which is next to the image that contains these tests.
    static func path() throws -> String {
        #if os(Linux)
            let image = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #else
            let image = Bundle(for: Session.self).bundlePath
        #endif
        var folder = URL(fileURLWithPath: image).deletingLastPathComponent()
        for _ in 0..<4 {
            let candidate = folder.appendingPathComponent("pipectl").path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        throw Missing(description: "no pipectl beside \(image); swift build makes it")
    }

    /// Runs a command line to its end.
    static func run(
        _ arguments: String..., input: String = "", environment: [String: String] = [:], folder: String? = nil
    ) async throws -> Ending {
        try await shell(
            "exec \"$0\" \"$@\"", [try path()] + arguments, input: input, environment: environment, folder: folder)
    }

    /// Runs a bash script to its end. The words are its `$0`, `$1`, and so on.
    static func shell(
        _ script: String, _ words: [String], input: String = "", environment: [String: String] = [:],
        folder: String? = nil
    ) async throws -> Ending {
        let session = try Session("/bin/bash", ["-c", script] + words, environment: environment, folder: folder)
        return await session.converse {
            // Written while the output is read: a program that echoes would fill both pipes.
            Thread.detachNewThread {
                session.write(input)
                session.closeInput()
            }
            return session.finish()
        }
    }

    /// A running process that a test interacts with.
    final class Session: Sendable {
        private let process = Process()
        private let (input, results, messages) = (Pipe(), Pipe(), Pipe())

        init(
            _ executable: String, _ arguments: [String], environment: [String: String] = [:], folder: String? = nil
        ) throws {
            process.executableURL = URL(fileURLWithPath: executable)
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
            (process.standardInput, process.standardOutput, process.standardError) = (input, results, messages)
            // Writing to a process that has ended is an error here, and must not end the tests.
            signal(SIGPIPE, SIG_IGN)
            try process.run()
        }

        func write(_ text: String) {
            // Errors are ignored, because a process need not read its input to the end.
            try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        }

        func closeInput() { try? input.fileHandleForWriting.close() }

        /// Waits for output, and returns what is available.
        func readSome() -> String { String(decoding: results.fileHandleForReading.availableData, as: UTF8.self) }

        /// Reads a line of the output, and returns it without its line feed. At the end of the output, returns the rest.
        func readLine() -> String {
            var bytes: [UInt8] = []
            while let byte = try? results.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Reads messages until they contain a text, or end, and returns them.
        func readMessages(until text: String) -> String {
            var heard = ""
            while !heard.contains(text) {
                let data = messages.fileHandleForReading.availableData
                if data.isEmpty { break }
                heard += String(decoding: data, as: UTF8.self)
            }
            return heard
        }

        /// Runs a function that interacts with the process. The function runs on a separate thread, because it may block.
        func converse<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) async -> Answer {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: body()) }
            }
        }

        var identifier: Int32 { process.processIdentifier }

        /// Waits until the process has ended. Returns its exit code.
        @discardableResult
        func waitForExit() -> Int32 {
            process.waitUntilExit()
            return process.terminationStatus
        }

        func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

        /// Reads both outputs to their ends and waits for the process.
        func finish() -> Ending {
            // Written by the thread below, and read once the group reports that it is done.
            nonisolated(unsafe) var errors = Data()
            let group = DispatchGroup()
            let handle = messages.fileHandleForReading
            group.enter()
            Thread.detachNewThread {
                errors = (try? handle.readToEnd()) ?? Data()
                group.leave()
            }
            let output = (try? results.fileHandleForReading.readToEnd()) ?? Data()
            group.wait()
            process.waitUntilExit()
            return Ending(
                code: process.terminationStatus, results: String(decoding: output, as: UTF8.self),
                messages: String(decoding: errors, as: UTF8.self))
        }
    }
}

extension String {
    /// The text without lines of progress, which only slow commands write.
    var withoutProgress: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .filter { $0.firstMatch(of: /^(?:[-0-9]{10}T[0-9:.]{12}Z\s)?[0-9]+ %  .*(?: left|\/s)$/) == nil }
            .joined(separator: "\n")
    }
}
