import Pipeline

extension BuildContext {
    /// What a file holds that an option names, read as the registry says.
    ///
    /// - Throws: What the reader throws; a configuration error (`registry.no_reader`) where nothing reads such files.
    public func read<Value>(_ type: Value.Type, from file: FilePath) throws -> Value {
        guard let read = decoding.known?.reader(of: type) else {
            throw PipelineError(
                .configuration, "registry.no_reader", "nothing here reads a \(type) of \(file.path)",
                help: "register what does with Registry.add(reader:), or make the component in Swift")
        }
        return try read(file.path)
    }
}
