import Connectors
import Pipeline
import PipelineComponents
import PipelineTesting
import Stages
import Testing
import Thinning

@Suite("thin")
struct ThinTests {
    private func line(_ places: Double...) -> Stroke { Stroke(samples: places.map { Sample(x: $0, y: 0) }) }

    @Test("thin: samples closer than the minimum distance are removed, except the first and the last")
    func thinning() async {
        let result = await StageHarness(Thin(minDistance: 2)).run([line(0, 1, 2, 3, 3.5, 4, 9, 9.5)])
        #expect(result.payloads.map { $0.samples.map(\.x) } == [[0, 2, 4, 9, 9.5]])
        #expect(result.report.isSuccess)
    }

    @Test("thin: a stroke with a sample that is not finite is rejected, and the next stroke is processed")
    func notFinite() async {
        let result = await StageHarness(Thin(minDistance: 2)).run([line(0, .nan), line(0, 5)])
        #expect(result.errors.map(\.error.code) == ["thin.not_finite"])
        #expect(result.payloads == [line(0, 5)])
    }

    @Test("thin: the stage keeps the promises of every stage")
    func conformance() async {
        let violations = await StageConformance(Thin(minDistance: 2), isPure: true).violations()
        #expect(violations.map(String.init(describing:)) == [])
    }

    @Test("thin: the manifest is complete, and its example is a valid pipeline")
    func manifest() throws {
        var registry = Registry.standard
        registry.add(Thin.self)
        let entry = try #require(registry.entry("thin", .stage))
        let violations = ManifestConformance.violations(of: entry, in: registry, baseDirectory: ".")
        #expect(violations.map(String.init(describing:)) == [])
    }
}

/// The strokes on which the conformance suite runs a stage.
extension Stroke: @retroactive ConformancePayload {
    public static func typical(_ index: Int) -> Stroke {
        Stroke(samples: (0..<20).map { Sample(x: Double($0 * (index + 1)), y: Double($0 * $0), t: Double($0) * 1000) })
    }

    public static var hostile: [Stroke] {
        [[], [(0, 0)], [(1, 1), (1, 1)], [(.nan, 0), (1, .infinity)], [(1e30, -1e30), (-1e300, 1e300)]].map { places in
            Stroke(samples: places.map { Sample(x: $0.0, y: $0.1) })
        }
    }
}
