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
    /// Returns the name of the format that the name of a file implies, or `nil` if it implies none.
    ///
    /// Whether options are valid depends on the file only through its format. Options that were checked for one file are therefore
    /// valid for all files of this format.
    package static func formatName(of path: String) -> String? { FileFormat.named(path)?.rawValue }
}
