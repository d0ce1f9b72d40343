import Connectors
import Pipeline
import Stages
import Synchronization

/// The recording of one source by `record`: one file, a series of split files, or frames that are kept in memory until they are
/// saved.
final class RecordedFile: Sendable {
    private let path: String
    private let split: RecordingSplit?
    /// The frames kept in memory, with `--last`; otherwise `nil`.
    let ring: RecordingRing?
    /// The number of the last file that the frames in memory were saved to; 0 before the first save.
    private let saved = Lock(0)

    init(_ path: String, _ split: RecordingSplit?, _ ring: RecordingRing?) {
        (self.path, self.split, self.ring) = (path, split, ring)
    }

    /// The names of the files that were written.
    var names: [String] { split?.files ?? [path] }

    /// Writes the frames kept in memory to a new file, and reports its name or the error. Returns the error.
    ///
    /// The first file has the recording's name. The name of each later file contains the next number that no existing file has.
    @discardableResult
    func saveReportingErrors(_ packing: FileSink.Packing, _ console: Console) -> PipelineError? {
        guard let ring else { return nil }
        // The lock is held during a save, so that concurrent saves get different file names.
        return saved.withLock { saved in
            var number = saved + 1
            while number > 1, OutputFile.exists(name(number)) { number += 1 }
            do {
                let count = try ring.save(to: name(number), packing, now: SystemClock().now)
                saved = number
                console.say("\(Counted.text(count, "frame")) written to \(name(number))")
                return nil
            } catch {
                let error = PipelineError(wrapping: error)
                console.error(error)
                return error
            }
        }
    }

    private func name(_ number: Int) -> String { number == 1 ? path : path.inserting(String(number)) }
}
