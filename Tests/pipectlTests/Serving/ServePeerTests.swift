import Foundation
import PipelineTesting
import Testing

/// Third-party libraries, in the environment that `scripts/peers` creates.
@Suite("A served run and its peers", .enabled(if: ServePython.isThere, "scripts/peers has not been run"))
struct ServePeerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("prometheus_client reads the metrics, and its counters equal the report of the run")
    func metrics() async throws {
        // Stages pass, drop and absorb frames.
        try folder.write(
            "lossy.yaml",
            """
            version: 1
            name: lossy
            sources:
              - file: { path: "\(Repository.root)/Samples/session.jsonl" }
              - synthetic: { id: pen, kind: points, count: 40 }
            stages:
              - filter: { from: file, stream: [pen/1, pen/2] }
              - sample: { from: filter, every: 2 }
              - match: { from: sample, library: "\(Repository.root)/Samples/shapes.json", emit_none: false }
              - segment: { from: pen }
            sinks:
              - discard: { id: out, from: [match] }
              - discard: { id: strokes, from: [segment] }
            """)
        let served = try ServedProgram(
            "\(folder.path)/lossy.yaml", "--keep-serving", "--format=json", "--limit=300")
        _ = try await served.state { $0["phase"] as? String == "ended" }
        // The report is written when the run has ended, and the server continues to serve.
        let report = served.session.readSome()
        try folder.write("report.json", report)
        let peer = try await ServePython.run("metrics", served.url, "\(folder.path)/report.json")
        #expect(peer.code == 0 && peer.results.contains("program version"), "\(peer.messages)\(peer.results)")
        let compared = Int(peer.results.split(separator: " ").first ?? "") ?? 0
        #expect(compared >= 40, "\(peer.results)")
        _ = await served.interrupt()
    }

    @Test("A WebSocket library gets the frames of a node in the form of a recording")
    func live() async throws {
        try folder.write(
            "slow.yaml",
            """
            version: 1
            mode: live
            sources:
              - file: { path: "\(Repository.root)/Samples/live.jsonl", rate: 1, loop: true }
            sinks:
              - discard: { id: out }
            """)
        let served = try ServedProgram("\(folder.path)/slow.yaml")
        let peer = try await ServePython.run("live", served.url, "file", "5")
        #expect(peer.code == 0, "\(peer.messages)")
        let lines = peer.results.split(separator: "\n")
        let recorded = try String(contentsOfFile: "\(Repository.root)/Samples/live.jsonl", encoding: .utf8)
        let points = Set(recorded.split(separator: "\n").compactMap { $0.components(separatedBy: "\"pts\":").last })
        #expect(lines.count == 6)
        for line in lines.prefix(5) {
            let own = try #require(line.components(separatedBy: "\"pts\":").last)
            #expect(points.contains(own), "\(line)")
        }
        #expect(lines.last?.contains("\"results\"") == true)
        _ = await served.interrupt()
    }

    @Test(
        "Over the Foxglove WebSocket protocol, each source and stage has a channel, and a scene channel if it can be drawn",
        .enabled(if: ServePython.knowsFoxglove, "Foxglove's definitions are not there"))
    func foxglove() async throws {
        try folder.write(
            "hands.yaml",
            """
            version: 1
            mode: live
            sources:
              - synthetic: { id: camera, kind: hands, count: 0, rate: 1 }
              - synthetic: { id: pen, count: 0, rate_hz: 50, rate: 1 }
            stages:
              - match: { from: pen, library: "\(Repository.root)/Samples/shapes.json" }
              - filter: { id: quiet, from: pen, stream: [nobody] }
            sinks:
              - discard: { id: out, from: [camera] }
              - discard: { id: nothing, from: [quiet] }
              - discard: { id: found, from: [match] }
            """)
        let served = try ServedProgram("\(folder.path)/hands.yaml")
        for node in ["camera", "pen"] {
            let peer = try await ServePython.run("foxglove", served.url, node, "5")
            #expect(peer.code == 0, "\(peer.messages)")
            #expect(
                peer.results == """
                    /camera pipeline.hands
                    /camera/scene foxglove.SceneUpdate
                    /match pipeline.recognition
                    /pen pipeline.stroke
                    /pen/scene foxglove.SceneUpdate
                    /quiet pipeline.stroke
                    /quiet/scene foxglove.SceneUpdate

                    """)
        }
        _ = await served.interrupt()
    }

    @Test("The explanation of a result has its input, every step, the nearest templates, and a sentence")
    func why() async throws {
        try folder.write(
            "why.yaml",
            """
            version: 1
            mode: live
            sources:
              - synthetic: { id: pen, kind: points, count: 0, rate_hz: 2, rate: 1 }
            stages:
              - segment: { multi_stroke_timeout_ms: 100 }
              - match: { library: "\(Repository.root)/Samples/shapes.json" }
            sinks:
              - discard: { id: out }
            """)
        let served = try ServedProgram("\(folder.path)/why.yaml")
        let peer = try await ServePython.run("why", served.url)
        #expect(peer.code == 0 && peer.results == "3 asked\n", "\(peer.messages)\(peer.results)")
        _ = await served.interrupt()
    }
}
