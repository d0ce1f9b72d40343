import Pipeline
import PipelineComponents

extension FileReplay: FileReading {
    func reading(_ path: String) -> (any Source)? {
        var options = options
        options.path = FilePath(path)
        return FileSource.make(options, BuildContext(id: defaultStream.name), nil)
    }
}

extension FileSource {
    /// Returns the name of the format that the name of a file implies; `nil` if it implies none.
    ///
    /// Options are checked against the format. What was checked for one file therefore holds for all files of this format.
    package static func formatName(of path: String) -> String? { FileFormat.named(path)?.rawValue }
}
