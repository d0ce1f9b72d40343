import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages
import Testing

@Suite("Stages made in Swift take what configurations take")
struct StageOptionTests {
    /// Returns the label that a configuration sets.
    private func label<O: ComponentOptions>(_ yaml: String, _ options: O.Type) throws -> String? {
        let findings = Findings()
        let context = DecodingContext(findings: findings, path: "", baseDirectory: ".")
        let _: O = O.decode(try #require(ConfigNode.parse(yaml: yaml)), context)
        #expect(findings.diagnostics.map(\.code) == ["option.range"])
        return findings.diagnostics.first?.label
    }

    @Test("resampling to one point is an error in a configuration, and stops a program")
    func resample() async throws {
        #expect(try label("{ points: 1 }", Resample.Options.self) == "allowed: 2 to 65536")
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Resample(points: 1)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("must be 2 to 65536, not 1"))
        #expect(said.contains("Resample.swift:"))
    }

    @Test("a stretch that is no number stops a program")
    func rasterize() async throws {
        #expect(try label("{ max_stretch: 0.5 }", Rasterize.Options.self) == "allowed: 1 to 1000000000")
        await #expect(processExitsWith: .failure) { _ = Rasterize(maxStretch: .nan) }
    }

    @Test("a rate of no frames stops a program")
    func throttle() async throws {
        #expect(try label("{ max_hz: 0 }", ThrottleComponent.Options.self) == "allowed: 1e-06 to 1000000")
        await #expect(processExitsWith: .failure) { _ = Throttle<Stroke>(maxHz: 0) }
    }

    @Test("one of no frames stops a program")
    func sample() async throws {
        #expect(try label("{ every: 0 }", SampleFramesComponent.Options.self) == "allowed: 1 to 1000000000")
        await #expect(processExitsWith: .failure) { _ = SampleFrames<Stroke>(every: 0) }
    }

    @Test("distances of a stroke, which has none, stop a program")
    func vectorize() async {
        await #expect(processExitsWith: .failure) { _ = Vectorize(layout: .distances) }
    }
}
