import Foundation

/// A folder of its own with the files that the examples in manifests name: copies of the samples, because some examples
/// write.
enum ExampleFiles {
    // Examples that read standard input find it empty, wherever the tests are run.
    private static let emptyInput: Void = {
        let null = open("/dev/null", O_RDONLY)
        dup2(null, 0)
        close(null)
    }()

    /// A new folder: components of other tests may be writing to theirs.
    static func directory() throws -> String {
        _ = emptyInput
        let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Samples")
        let folder = FileManager.default.temporaryDirectory.appending(path: "pipeline-examples-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: samples, to: folder)
        // What the examples call a library is the library of the samples.
        let library = folder.appending(path: "gestures.json")
        if !FileManager.default.fileExists(atPath: library.path(percentEncoded: false)) {
            try FileManager.default.copyItem(at: folder.appending(path: "shapes.json"), to: library)
        }
        return folder.path(percentEncoded: false)
    }
}
