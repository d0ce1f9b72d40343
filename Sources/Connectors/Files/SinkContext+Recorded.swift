import MCAP
import Pipeline

extension SinkContext {
    /// What a recording says of the run that makes it; `nil` where nothing is known.
    var recordedRun: Metadata? {
        provenance.isEmpty
            ? nil : Metadata(name: "pipeline.run", values: provenance.map { StringPair($0.key, $0.value) })
    }

    /// What a recording says of where a stream came from.
    var recordedSources: [StringPair] {
        sources.isEmpty ? [] : [StringPair("source", sources.joined(separator: ", "))]
    }
}
