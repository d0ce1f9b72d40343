import Pipeline

extension Plan {
    /// The `id`s of the sources that read files.
    package var fileSources: [String] {
        nodes.filter { node in
            guard case .source(let source, _) = node.body else { return false }
            return (source as? any FileReading)?.reading("") != nil
        }.map(\.id)
    }

    /// Returns the same pipeline, in which a source reads another file with the same options.
    ///
    /// - Throws: A configuration error if there is no such source, or if it does not read files.
    package func reading(_ path: String, in id: String) throws -> Plan {
        guard let node = nodes.first(where: { $0.id == id }), case .source(let source, _) = node.body,
            let other = (source as? any FileReading)?.reading(path)
        else {
            throw PipelineError(
                .configuration, "plan.no_such_source", "there is no source \"\(id)\" that reads files",
                help: suggestion(for: id, among: fileSources, list: "sources"))
        }
        return try replacing(id, source: other)
    }
}
