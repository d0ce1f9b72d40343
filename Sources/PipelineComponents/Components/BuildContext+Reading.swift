import Pipeline

extension BuildContext {
    /// Reads a value from the file that an option names, with the reader registered for its type.
    ///
    /// - Throws: Errors of the reader. A configuration error (`registry.no_reader`) if no reader is registered for the type.
    public func read<Value>(_ type: Value.Type, from file: FilePath) throws -> Value {
        guard let read = decoding.known?.reader(of: type) else {
            throw PipelineError(
                .configuration, "registry.no_reader", "no reader is registered for \(type), to read \(file.path)",
                help: "register one with Registry.add(reader:), or create the component in Swift")
        }
        return try read(file.path)
    }
}
