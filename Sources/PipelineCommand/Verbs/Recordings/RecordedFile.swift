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
    /// The number of files that the frames in memory were saved to.
    private let saved = Lock(0)

    init(_ path: String, _ split: RecordingSplit?, _ ring: RecordingRing?) {
        (self.path, self.split, self.ring) = (path, split, ring)
    }

    /// The names of the files that were written.
    var names: [String] { split?.files ?? [path] }

    /// Writes the frames kept in memory to a new file, and reports its name.
    ///
    /// - Throws: An environment error if the file cannot be written.
    func save(_ packing: FileSink.Packing, _ console: Console) throws {
        guard let ring else { return }
        // The lock is held during a save, so that concurrent saves get different file names.
        try saved.withLock { saved in
            let name = saved == 0 ? path : path.inserting(String(saved + 1))
            let count = try ring.save(to: name, packing, now: SystemClock().now)
            saved += 1
            console.say("\(Counted.text(count, "frame")) written to \(name)")
        }
    }

    /// Does the same as ``save(_:_:)``, but reports an error instead of throwing it, so that the recording continues.
    func say(_ packing: FileSink.Packing, _ console: Console) {
        do { try save(packing, console) } catch let error as PipelineError {
            console.error(error.message, code: error.code)
        } catch { console.error("\(error)") }
    }
}
