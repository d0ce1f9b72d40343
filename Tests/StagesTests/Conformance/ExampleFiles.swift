import Foundation
import PipelineTesting

/// A separate folder with the files that the examples in manifests name: copies of the samples, because some examples write.
struct ExampleFiles {
    // Examples that read standard input find it empty, no matter where the tests run.
    private static let emptyInput: Void = {
        let null = open("/dev/null", O_RDONLY)
        dup2(null, 0)
        close(null)
    }()

    private let folder: TemporaryFolder

    /// The path of the files, valid while this object exists.
    var path: String { folder.path + "/Samples" }

    /// Copies the files into a new folder, so that tests that run at the same time do not write to the same files.
    init() throws {
        _ = Self.emptyInput
        let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Samples").path
        folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: samples, toPath: path)
        // Examples call their library gestures.json; among the samples, it is shapes.json.
        if !FileManager.default.fileExists(atPath: path + "/gestures.json") {
            try FileManager.default.copyItem(atPath: path + "/shapes.json", toPath: path + "/gestures.json")
        }
    }
}
