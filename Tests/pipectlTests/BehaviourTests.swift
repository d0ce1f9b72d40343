import Foundation
import Testing

@testable import PipelineCommand

/// The tests that the pipelines in `Tests/Behaviour` and `Configs` contain.
@Suite("Pipelines with tests")
struct BehaviourTests {
    private static let files = Repository.files(below: "Tests/Behaviour", ending: ".yaml")
    private static let tested = Repository.files(below: "Configs", ending: ".yaml").filter {
        (try? Repository.read($0))?.contains("\ntests:") ?? false
    }

    @Test("pipectl test: every test of the pipelines in Tests/Behaviour and Configs passes", arguments: files + tested)
    func behavior(path: String) async throws {
        let ending = try await Program.run("test", "\(Repository.root)/\(path)")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
        #expect(ending.results.contains("✓"))
        // The frames were dropped for the reasons that the tests name, so no reason can be unknown.
        #expect(!ending.messages.contains("test.unknown_reason"), "\(ending.messages)")
    }

    @Test("pipectl test: at least fifteen pipelines in Tests/Behaviour and three in Configs have tests")
    func areAvailable() {
        #expect(Self.files.count >= 15)
        #expect(Self.tested.count >= 3)
    }
}
