import Connectors
import Pipeline
import PipelineConfiguration
import PipelineTesting
import Stages
import Testing

@Suite("A matcher behind several sources")
struct MergedInputTests {
    @Test("match: a pure stage that merges several sources also prepares the library's samples")
    func merged() async throws {
        let folder = try TemporaryFolder()
        var library = GestureLibrary()
        // The library's stroke has fewer samples than the others, so that they can only be compared after resampling.
        library.add(Stroke(samples: (0..<9).map { Sample(x: Double($0), y: 0) }), to: "line")
        try library.write(to: "\(folder.path)/lines.json")
        let loaded = PipelineLoader(registry: .standard).load(
            text: """
                version: 1
                sources:
                  - synthetic: { id: first, count: 3, shapes: [line] }
                  - synthetic: { id: second, count: 4, shapes: [line] }
                stages:
                  - resample: { points: 16 }
                  - vectorize
                  - match: { library: lines.json, rotation_tolerance_deg: 180, threshold_rad: 2 }
                sinks:
                  - "null"
                """, baseDirectory: folder.path)
        let run = Run(try #require(loaded.plan, "\(loaded.diagnostics)"))
        var count = 0
        for try await frame in try run.results(of: "match", as: Recognition.self) {
            #expect(frame.payload.best.name == "line")
            count += 1
        }
        #expect(count == 7)
    }
}
