import Pipeline

/// A source that can read another file in the same way.
protocol FileReading {
    /// Returns a source with the same options that reads the file at `path`; `nil` if the source does not read files.
    func reading(_ path: String) -> (any Source)?
}

extension CompiledSource: FileReading {
    func reading(_ path: String) -> (any Source)? { (original as? any FileReading)?.reading(path) }
}
