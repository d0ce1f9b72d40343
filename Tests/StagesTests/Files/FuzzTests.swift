import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Stages

/// Damaged files give frames that are finite or errors that say what is wrong: no reader crashes, hangs or makes things up.
@Suite("Readers of damaged files")
struct FuzzTests {
    /// `make check-deep` makes thousands.
    static let rounds =
        ProcessInfo.processInfo.environment["PIPELINE_FUZZ_ROUNDS"].flatMap { UInt64($0) } ?? 40

    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path(percentEncoded: false)

    private static func sample(_ name: String, lines: Int = .max) throws -> [UInt8] {
        let text = try String(contentsOfFile: "\(repository)/\(name)", encoding: .utf8)
        return Array(
            text.split(separator: "\n", omittingEmptySubsequences: false).prefix(lines).joined(separator: "\n").utf8)
    }

    private static let xml = """
        <?xml version="1.0" encoding="utf-8" standalone="yes"?>
        <Gesture Name="arrow01" Subject="2" Speed="fast" Number="1">
          <Stroke index="1">
            <Point X="66" Y="252.5" T="11462293" />
            <Point X="68" Y="249" T="11462310" />
          </Stroke>
          <Stroke index="2"><Point X="1" Y="2" T="11462400" /></Stroke>
        </Gesture>
        """

    private static let csv = """
        stroke,x,y,t,"label, of it"
        1,66,252.5,0.001,"a ""b"" c"
        1,68,249,0.002,arrow
        2,1e3,-2.5e-3,0.5,
        """

    private static let hands = (0..<3).map { row in
        "open," + (0..<42).map { String(Double($0 * row) / 8) }.joined(separator: ",")
    }.joined(separator: "\n")

    private func drainAny<S: Source>(_ source: S) async throws -> [PipelineError] {
        let reading = try await drain(source, atMost: 10_000)
        for frame in reading.frames {
            #expect(frame.timestamp.isValid)
            if let hands = frame.payload as? any LandmarkSet { try hands.check() }
            if let stroke = frame.payload as? Stroke {
                #expect(stroke.samples.allSatisfy { $0.x.isFinite && $0.y.isFinite })
            }
        }
        return reading.failures
    }

    private func check(_ error: any Error, _ bytes: [UInt8]) {
        guard let error = error as? PipelineError else {
            Issue.record("\(error) of \(String(decoding: bytes, as: UTF8.self))")
            return
        }
        #expect(!error.code.isEmpty && !error.message.isEmpty && error.category != .defect, "\(error)")
    }

    @Test(
        "files of strokes and points",
        arguments: [
            ("a.jsonl", PayloadKind.stroke), ("a.jsonl", .points), ("a.csv", .stroke), ("a.xml", .stroke),
            ("a.csv", .landmarks), ("a.pbtxt", .landmarks), ("a_keypoints.json", .hands),
        ])
    func files(name: String, kind: PayloadKind) async throws {
        let whole: [UInt8] =
            switch (name, kind) {
            case ("a.csv", .landmarks): Array(Self.hands.utf8)
            case ("a.pbtxt", _): Array(LandmarkFiles.mediaPipe().utf8)
            case ("a_keypoints.json", _): Array(LandmarkFiles.openPose().utf8)
            case ("a.csv", _): Array(Self.csv.utf8)
            case ("a.xml", _): Array(Self.xml.utf8)
            case (_, .points): try Self.sample("Samples/points.jsonl", lines: 12)
            default: try Self.sample("Samples/session.jsonl", lines: 3)
            }
        let folder = try TemporaryFolder()
        for seed in 0..<Self.rounds {
            var damage = Damage(seed: seed)
            let bytes = damage.damaged(whole)
            let path = try folder.write(name, bytes: bytes)
            do {
                let source = try fileSource(path) { $0.kind = kind }
                for failure in try await drainAny(source) { check(failure, bytes) }
            } catch {
                check(error, bytes)
            }
        }
    }

    @Test("libraries of gestures")
    func libraries() throws {
        let whole = try Self.sample("Samples/shapes.json")
        for seed in 0..<Self.rounds {
            var damage = Damage(seed: seed)
            let bytes = damage.damaged(whole)
            do {
                _ = try GestureLibrary(json: bytes)
            } catch {
                check(error, bytes)
            }
        }
    }

    @Test("configurations", arguments: ["branches", "combine", "strokes", "zmq-strokes"])
    func configurations(name: String) throws {
        let whole = try Self.sample("Configs/\(name).yaml")
        let loader = PipelineLoader(registry: .standard)
        for seed in 0..<Self.rounds {
            var damage = Damage(seed: seed)
            let loaded = loader.load(
                bytes: damage.damaged(whole), name: "damaged.yaml", baseDirectory: "\(Self.repository)/Configs")
            #expect(loaded.plan != nil || loaded.diagnostics.contains { $0.severity == .error })
            // The place of every finding lies in the text, or drawing it would not end well.
            #expect(
                DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics).isEmpty == loaded.diagnostics.isEmpty
            )
        }
    }
}
