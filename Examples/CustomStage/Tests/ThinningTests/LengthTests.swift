import Connectors
import Pipeline
import PipelineComponents
import PipelineTesting
import Stages
import Testing
import Thinning

@Suite("measure_length")
struct LengthTests {
    @Test("measure_length: the length of every stroke is the sum of its steps, without the gaps between strokes")
    func lengths() async {
        let places: [(Double, Double)] = [(0, 0), (3, 4), (3, 5), (9, 9), (9, 10)]
        let stroke = Stroke(samples: places.map { Sample(x: $0.0, y: $0.1) }, counts: [3, 2], label: "hook")
        let result = await StageHarness(MeasureLength()).run([stroke])
        #expect(result.payloads == [Length(7, label: "hook")])
    }

    @Test("measure_length: the stage keeps the promises of every stage")
    func conformance() async {
        let violations = await StageConformance(MeasureLength(), isPure: true).violations()
        #expect(violations.map(String.init(describing:)) == [])
    }

    @Test("spirals, measure_length, ruler: every manifest is complete, and its example is a valid pipeline")
    func manifests() throws {
        var registry = Registry.standard
        registry.add(Spirals.self)
        registry.add(MeasureLength.self)
        registry.add(Ruler.self)
        for entry in try [
            #require(registry.entry("spirals", .source)), #require(registry.entry("measure_length", .stage)),
            #require(registry.entry("ruler", .sink)),
        ] {
            let violations = ManifestConformance.violations(of: entry, in: registry, baseDirectory: ".")
            #expect(violations.map(String.init(describing:)) == [])
        }
    }
}
