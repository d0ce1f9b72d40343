import Connectors
import Pipeline
import Stages
import Synchronization

/// A file that `record` writes, in one piece or split, or keeps in memory until it is asked for.
final class RecordedFile: Sendable {
    private let path: String
    private let split: RecordingSplit?
    /// What is kept in memory.
    let ring: RecordingRing?
    /// How often that was written.
    private let saved = Lock(0)

    init(_ path: String, _ split: RecordingSplit?, _ ring: RecordingRing?) {
        (self.path, self.split, self.ring) = (path, split, ring)
    }

    /// The files there are.
    var names: [String] { split?.files ?? [path] }

    /// Writes what is kept in memory into a file of its own, and says so.
    ///
    /// - Throws: An environment error when it cannot be written.
    func save(_ packing: FileSink.Packing, _ console: Console) throws {
        guard let ring else { return }
        // One at a time, so that each has its number.
        try saved.withLock { saved in
            let name = saved == 0 ? path : path.inserting(String(saved + 1))
            let count = try ring.save(to: name, packing, now: SystemClock().now)
            saved += 1
            console.say("\(Counted.text(count, "frame")) written to \(name)")
        }
    }

    /// The same; an error is said and the recording goes on.
    func say(_ packing: FileSink.Packing, _ console: Console) {
        do { try save(packing, console) } catch let error as PipelineError {
            console.error(error.message, code: error.code)
        } catch { console.error("\(error)") }
    }
}
