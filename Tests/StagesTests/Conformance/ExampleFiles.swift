import Foundation
import PipelineTesting

/// A folder of its own with the files that the examples in manifests name: copies of the samples, because some examples
/// write.
struct ExampleFiles {
    // Examples that read standard input find it empty, wherever the tests are run.
    private static let emptyInput: Void = {
        let null = open("/dev/null", O_RDONLY)
        dup2(null, 0)
        close(null)
    }()

    private let folder: TemporaryFolder

    /// Where the files are, as long as this is held.
    var path: String { folder.path + "/Samples" }

    /// Copies the files into a new folder: components of other tests may be writing to theirs.
    init() throws {
        _ = Self.emptyInput
        let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Samples").path
        folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: samples, toPath: path)
        // What the examples call a library is the library of the samples.
        if !FileManager.default.fileExists(atPath: path + "/gestures.json") {
            try FileManager.default.copyItem(atPath: path + "/shapes.json", toPath: path + "/gestures.json")
        }
    }
}
