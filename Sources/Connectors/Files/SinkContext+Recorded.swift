import MCAP
import Pipeline

extension SinkContext {
    /// The metadata about the run that writes the recording; `nil` if there is none.
    var recordedRun: Metadata? {
        provenance.isEmpty
            ? nil : Metadata(name: "pipeline.run", values: provenance.map { StringPair($0.key, $0.value) })
    }

    /// The channel metadata that names the sources of the streams.
    var recordedSources: [StringPair] {
        sources.isEmpty ? [] : [StringPair("source", sources.joined(separator: ", "))]
    }
}
