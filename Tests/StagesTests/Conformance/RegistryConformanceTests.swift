import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Stages
import Testing

/// Every registered component follows the rules of its kind. Components are found through the registry, so that none can be
/// forgotten. Each one is created as in the example of its manifest.
@Suite struct RegistryConformanceTests {
    private let files: ExampleFiles

    init() throws { files = try ExampleFiles() }

    static let registry = Registry.standard
    static func names(_ role: Plan.Role) -> [String] { registry.names(role) }

    /// Returns an example that binds to ports chosen by the system, because the example's ports may be in use, and that does not
    /// wait for peers.
    private static func standingAlone(_ example: String) -> String {
        example.replacing(", wait_for_subscribers: 1", with: "")
            .replacing(/bind: "tcp:\/\/127\.0\.0\.1:[0-9]+"/, with: "bind: \"tcp://127.0.0.1:*\"")
    }

    private func example(
        _ name: String, _ role: Plan.Role, overrides: [String] = []
    ) throws -> Plan.Body? {
        let entry = try #require(Self.registry.entry(name, role))
        let loaded = PipelineLoader(registry: Self.registry, overrides: overrides)
            .load(
                text: Self.standingAlone(entry.manifest.example), name: name,
                baseDirectory: files.path)
        let plan = try #require(loaded.plan, "the example of \(name) is not valid")
        return plan.nodes.first { $0.component == name }?.body
    }

    @Test("Every registered component: a manifest is complete, and its example is valid", arguments: Plan.Role.allCases)
    func manifests(role: Plan.Role) throws {
        #expect(!Self.names(role).isEmpty)
        for entry in Self.registry.entries where entry.role == role {
            let found = ManifestConformance.violations(
                of: entry, in: Self.registry, baseDirectory: files.path)
            #expect(found == [], "\(entry.manifest.name)")
        }
    }

    @Test("Every registered component: a stage follows the rules of stages", arguments: names(.stage))
    func stage(name: String) async throws {
        let entry = try #require(Self.registry.entry(name, .stage))
        switch try example(name, .stage) {
        case .stage(let stage):
            #expect(await ErasedConformance.violations(of: stage, isPure: entry.manifest.isPure) == [])
        case .asyncStage:
            // The stage sends requests to a worker, so the test provides one.
            let worker = RawWorker { _, _, _ in "{\"categories\":[{\"name\":\"circle\",\"score\":1}]}" }
            defer { worker.stop() }
            let connected = try example(name, .stage, overrides: ["\(name).connect=\(worker.endpoint)"])
            guard case .asyncStage(let stage) = connected else {
                Issue.record("with a worker, the example of \(name) has no asynchronous stage")
                return
            }
            #expect(await ErasedConformance.violations(of: stage) == [])
        default: Issue.record("the example of \(name) has no such stage")
        }
    }

    @Test("Every registered component: a source follows the rules of sources", arguments: names(.source))
    func source(name: String) async throws {
        // There is no broker, so do not wait for one.
        let overrides = name == "kafka" ? ["kafka.connect_ms=100"] : []
        let violations = try await SourceConformance {
            guard case .source(let source, _) = try example(name, .source, overrides: overrides) else {
                throw PipelineError(.defect, "test.no_source", "the example of \(name) has no such source")
            }
            return source
        }.violations()
        #expect(violations == [])
    }

    @Test("Every registered component: a sink follows the rules of sinks", arguments: names(.sink))
    func sink(name: String) async throws {
        // Brokers inside of the process take the place of those that the example names.
        let overrides = name == "kafka" ? ["kafka.client={ test.mock.num.brokers: 1 }"] : []
        guard case .sink(let sink) = try example(name, .sink, overrides: overrides) else {
            Issue.record("the example of \(name) has no such sink")
            return
        }
        #expect(await ErasedConformance.violations(of: sink) == [])
    }
}
