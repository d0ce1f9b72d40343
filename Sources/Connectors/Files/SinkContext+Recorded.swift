import MCAP
import Pipeline

extension SinkContext {
    /// The metadata of a recording about the run that writes it; `nil` if nothing is known.
    var recordedRun: Metadata? {
        provenance.isEmpty
            ? nil : Metadata(name: "pipeline.run", values: provenance.map { StringPair($0.key, $0.value) })
    }

    /// The metadata of a recording about the sources of its streams.
    var recordedSources: [StringPair] {
        sources.isEmpty ? [] : [StringPair("source", sources.joined(separator: ", "))]
    }
}
