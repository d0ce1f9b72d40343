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

    @Test("pipectl test on the pipelines that ship: every test passes", arguments: files + tested)
    func behavior(path: String) async throws {
        let ending = try await Program.run("test", "-q", "\(Repository.root)/\(path)")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
        #expect(ending.results.contains("✓"))
    }

    @Test("pipectl test on the pipelines that ship: the tests cover live mode and three of the configurations")
    func areAvailable() {
        #expect(Self.files.count >= 15)
        #expect(Self.tested.count >= 3)
    }
}
