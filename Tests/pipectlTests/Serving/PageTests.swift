import Foundation
import PipelineTesting
import Testing

/// The page of a run in a headless Chromium, which `Tests/peers/page_peer.py` drives.
@Suite(
    "The page of a run", .enabled(if: PageBrowser.isThere, "Chromium is not there, or scripts/peers has not been run"))
struct PageTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["Configs", "Samples"] {
            try FileManager.default.copyItem(atPath: "\(Repository.root)/\(name)", toPath: "\(folder.path)/\(name)")
        }
    }

    private func look(_ arguments: String...) async throws -> Program.Ending {
        try await Program.shell(
            "exec \"$0\" \"$@\"", [PageBrowser.python, "\(Repository.root)/Tests/peers/page_peer.py"] + arguments,
            folder: folder.path)
    }

    @Test("The page of every configuration shows its graph and its counters, and the console shows no error")
    func every() async throws {
        let ending = try await look("every", try Program.path(), "Configs")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
        #expect(ending.results.contains("strokes.yaml\ngraph: 3 nodes, 2 edges\ncounters: 15 as in the state\n"))
    }

    @Test("A click on a result on the page explains it, and shows its steps and the nearest templates")
    func why() async throws {
        let ending = try await look("why", try Program.path(), "Configs/strokes.yaml", "--set=file.rate=0.6")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
    }

    @Test("The page of a recording plays it, seeks and steps in it, and explains its results")
    func view() async throws {
        let ending = try await look("view", try Program.path(), "Samples/session.jsonl", "Configs/strokes.yaml")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
    }

    @Test(
        "On the page of a recording, hands are drawn with the wrist below, whichever way y points, also in an explanation"
    )
    func hands() async throws {
        try folder.write(
            "hands.yaml",
            """
            version: 1
            sources: [file: { id: camera, path: Samples/hands.jsonl, kind: landmarks, space: pixels, y: down }]
            stages:
              - convert: { id: up, flip_y: true, width: 1280, height: 720 }
              - convert: { id: down, flip_y: true, width: 1280, height: 720 }
              - recognize_hand: { custom: { library: Samples/hands.json } }
            sinks: [discard]
            """)
        let ending = try await look("hands", try Program.path(), "Samples/hands.jsonl", "hands.yaml")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
    }

    @Test(
        "The explanation on the page draws templates the same way up as the camera's hand, also if the camera's y points up"
    )
    func templates() async throws {
        // The recording is declared as y up, although its y points down, so its hands are drawn upside down.
        try folder.write(
            "templates.yaml",
            """
            version: 1
            sources: [file: { id: camera, path: Samples/hands.jsonl, kind: landmarks, space: pixels, y: up }]
            stages:
              - convert: { flip_y: true, width: 1280, height: 720 }
              - normalize_hand
              - vectorize
              - match: { library: Samples/hands.json, method: cosine }
            sinks: [discard]
            """)
        let ending = try await look("templates", try Program.path(), "Samples/hands.jsonl", "templates.yaml")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
    }

    @Test("If the server sends only a part of the frames, the page asks for more until it has those at the playhead")
    func parts() async throws {
        let ending = try await look("parts", try Program.path(), "Samples/session.jsonl", "Configs/strokes.yaml")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
    }

    @Test("The page shows large counts with three digits and the unit k, M, G or T")
    func counts() async throws {
        let ending = try await look("counts", try Program.path(), "Samples/session.jsonl")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
    }

    @Test("An error of the page itself is in the console, and the page does not say that the connection is lost")
    func broken() async throws {
        let ending = try await look("broken", try Program.path(), "Samples/session.jsonl")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
    }

    @Test("The page shows names with markup, scripts and control characters as text, and cuts them")
    func hostile() async throws {
        let ending = try await look("hostile", try Program.path())
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
    }

    @Test("On the page, a run can be paused, scrubbed and stepped through")
    func use() async throws {
        let ending = try await look("use", try Program.path(), "Configs/strokes.yaml", "--set=file.rate=0.6")
        #expect(ending.code == 0, "\(ending.results)\(ending.messages)")
    }
}

/// The Python that drives the browser, and whether the browser is there.
private enum PageBrowser {
    static let python = "\(Repository.root)/.venv/bin/python"

    static let isThere: Bool = {
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: python)
        probe.arguments = ["-c", "import browser, sys; sys.exit(0 if browser.program() else 1)"]
        probe.environment = ProcessInfo.processInfo.environment.merging(
            ["PYTHONPATH": "\(Repository.root)/Tests/peers"]
        ) { $1 }
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }()
}
