import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages
import Testing

@Suite("Options of stages made in Swift")
struct StageOptionTests {
    /// Returns the label of the only finding about a configuration, which lists the allowed values.
    private func label<O: ComponentOptions>(_ yaml: String, _ options: O.Type) throws -> String? {
        let findings = Findings()
        let context = DecodingContext(findings: findings, path: "", baseDirectory: ".")
        let _: O = O.decode(try #require(ConfigNode.parse(yaml: yaml)), context)
        #expect(findings.diagnostics.map(\.code) == ["option.range"])
        return findings.diagnostics.first?.label
    }

    @Test("Stages made in Swift: resampling to one point is an error in a configuration, and traps in a program")
    func resample() async throws {
        #expect(try label("{ points: 1 }", Resample.Options.self) == "allowed: 2 to 65536")
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Resample(points: 1)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("must be 2 to 65536, not 1"))
        #expect(said.contains("Resample.swift:"))
    }

    @Test("Stages made in Swift: a maximum stretch of NaN traps")
    func rasterize() async throws {
        #expect(try label("{ max_stretch: 0.5 }", Rasterize.Options.self) == "allowed: 1 to 1000000000")
        await #expect(processExitsWith: .failure) { _ = Rasterize(maxStretch: .nan) }
    }

    @Test("Stages made in Swift: a throttle to 0 Hz is an error in a configuration, and traps in a program")
    func throttle() async throws {
        #expect(try label("{ max_hz: 0 }", ThrottleComponent.Options.self) == "allowed: 1e-06 to 1000000")
        await #expect(processExitsWith: .failure) { _ = Throttle<Stroke>(maxHz: 0) }
    }

    @Test("Stages made in Swift: a sample of every 0th frame is an error in a configuration, and traps in a program")
    func sample() async throws {
        #expect(try label("{ every: 0 }", SampleFramesComponent.Options.self) == "allowed: 1 to 1000000000")
        await #expect(processExitsWith: .failure) { _ = SampleFrames<Stroke>(every: 0) }
    }

    @Test("Stages made in Swift: vectorize for strokes with layout distances traps")
    func vectorize() async {
        await #expect(processExitsWith: .failure) { _ = Vectorize(layout: .distances) }
    }
}
