import Pipeline
import Testing

@testable import PipelineServer

@Suite("Losses on the page")
struct PageLossesTests {
    @Test("Every drop reason that the page shows as a loss is a loss in the ledger")
    func reasons() throws {
        let file = try #require(PageFile.at("/losses.js"))
        let text = String(decoding: file.bytes, as: UTF8.self)
        let list = try #require(text.firstMatch(of: /new Set\(\[([^\]]*)\]/)?.1)
        let reasons = list.matches(of: /"([a-z_]+)"/).map { String($0.1) }
        #expect(reasons.contains("edge_full"))
        #expect(reasons.filter { !DropReason(rawValue: $0).isLoss } == [])
    }
}
