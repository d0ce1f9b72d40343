import Foundation
import Pipeline
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors
@testable import PipelineComponents
@testable import Stages

/// Damaged files give finite frames or errors that describe the problem. No reader crashes, hangs or invents data.
@Suite("Readers of damaged files")
struct FuzzTests {
    /// The number of damaged copies of each file. `make check-deep` uses thousands.
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

    /// One damaged copy, which messages show with the seed of its damage.
    private struct Input: CustomStringConvertible {
        let seed: UInt64
        let bytes: [UInt8]

        var description: String {
            "seed \(seed): \(String(decoding: bytes.prefix(2000), as: UTF8.self).debugDescription)"
        }
    }

    private func drainAny<S: Source>(_ source: S, _ input: Input) async throws -> [PipelineError] {
        let reading = try await drain(source, stopAfter: 10_000)
        for frame in reading.frames { check(frame, input) }
        return reading.failures
    }

    /// Checks that a frame that was read has a valid time and finite numbers.
    private func check<P: Payload>(_ frame: Frame<P>, _ input: Input) {
        #expect(frame.timestamp.isValid, "\(input)")
        // Numbers that are finite but too large are refused by the stages, not by the reader.
        for set in (frame.payload as? Hands)?.hands ?? (frame.payload as? Landmarks).map({ [$0] }) ?? [] {
            let numbers = set.points.flatMap { [$0.x, $0.y, $0.z] } + set.confidences
            #expect(numbers.allSatisfy { $0.isFinite }, "\(input)")
        }
        if let stroke = frame.payload as? Stroke {
            #expect(stroke.samples.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.t.isFinite }, "\(input)")
        }
        if let points = frame.payload as? Points {
            #expect(points.samples.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.t.isFinite }, "\(input)")
        }
    }

    private func check(_ error: any Error, _ input: Input) {
        guard let error = error as? PipelineError else {
            Issue.record("\(error) of \(input)")
            return
        }
        #expect(
            !error.code.isEmpty && !error.message.isEmpty && error.category != .defect, "\(error) of \(input)")
    }

    @Test(
        "Damaged files are read without a crash: files of strokes, points, landmarks and hands",
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
            let input = Input(seed: seed, bytes: damage.damaged(whole))
            let path = try folder.write(name, bytes: input.bytes)
            do {
                let source = try fileSource(path) { $0.kind = kind }
                for failure in try await drainAny(source, input) { check(failure, input) }
            } catch {
                check(error, input)
            }
        }
    }

    /// Messages of real senders, with the options of the source.
    private static let senders: [(text: String, options: @Sendable (inout DecodeOptions) throws -> Void)] = [
        (SenderMessages.mediaPipeWeb, { $0.preset = .mediapipe }),
        (SenderMessages.holistic, { $0.preset = .mediapipe }),
        (SenderMessages.openPose, { $0.preset = .openpose }), (SenderMessages.pupil, { $0.preset = .pupil }),
        (SenderMessages.flat, { $0.preset = .flat63 }),
        (
            #"{"time":1.5,"n":41,"dev":"a","what":"b","kind":"move","id":9,"end":false,"pts":[[0,0,0,1],[1,1,0.25,1]]}"#,
            {
                $0.points = [try FieldPath("pts")]
                $0.fields = try PointFields("xytp")
                ($0.t, $0.tUnit) = ([try FieldPath("time")], .s)
                ($0.seq, $0.stream) = ([try FieldPath("n")], [try FieldPath("dev")])
                ($0.label, $0.phase) = ([try FieldPath("what")], [try FieldPath("kind")])
                ($0.stroke, $0.end) = ([try FieldPath("id")], [try FieldPath("end")])
                $0.values = [try FieldPath("pts[1]")]
            }
        ),
        (
            "x,y,t,p,name\n1,2,0.5,1,a\n3,4,0.75,1,a\n",
            {
                $0.format = .csv
                $0.tUnit = .s
            }
        ),
        (
            "1 2 0.5 pen\n3 4 0.75 pen\n",
            {
                $0.format = .text
                ($0.columns.x, $0.columns.y, $0.columns.t) = (.number(1), .number(2), .number(3))
                ($0.columns.stream, $0.tUnit) = (.number(4), .s)
            }
        ),
    ]

    @Test(
        "Damaged files are read without a crash: messages of senders", arguments: senders.indices,
        [PayloadKind.hands, .landmarks, .stroke, .points, .vector])
    func messages(sender: Int, kind: PayloadKind) throws { try messages(Self.senders[sender], kind.type) }

    private func messages<P: WirePayload>(
        _ sender: (text: String, options: @Sendable (inout DecodeOptions) throws -> Void), _ type: P.Type
    ) throws {
        let text = Array(sender.text.utf8)
        var written: [([UInt8], DecodeOptions.Format?)] = [(text, nil)]
        if let packed = try? withPadded(text, { try MessagePackWriter().write($0) { Array($0) } }) {
            written.append((packed, .msgpack))
        }
        for (whole, format) in written {
            var options = DecodeOptions()
            try sender.options(&options)
            if let format { options.format = format }
            // If a message cannot contain this kind of payload, it must be refused with an error.
            var decoder: MessageDecoder<P>
            let good: String?
            do {
                decoder = try MessageDecoder<P>(options, defaultStream: "camera", landmarks: LandmarkTraits())
                good = try content(of: whole, &decoder)
            } catch {
                check(error, Input(seed: 0, bytes: whole))
                continue
            }
            for seed in 0..<Self.rounds {
                var damage = Damage(seed: seed)
                let input = Input(seed: seed, bytes: damage.damaged(whole))
                do {
                    let frame = try withPadded(input.bytes) { try decoder.decode($0, receivedAt: 7) }.frame
                    if let frame { check(frame, input) }
                } catch {
                    check(error, input)
                }
                // Errors have no effect on later messages.
                #expect(try content(of: whole, &decoder) == good, "after \(input)")
            }
        }
    }

    /// Returns the payload of a message as a canonical message.
    private func content<P: WirePayload>(of bytes: [UInt8], _ decoder: inout MessageDecoder<P>) throws -> String? {
        let message = try withPadded(bytes) { try decoder.decode($0, receivedAt: 7) }
        return try message.frame.map { try encode(Frame($0.payload, at: .zero)) }
    }

    @Test("Damaged files are read without a crash: libraries of gestures")
    func libraries() throws {
        let whole = try Self.sample("Samples/shapes.json")
        for seed in 0..<Self.rounds {
            var damage = Damage(seed: seed)
            let input = Input(seed: seed, bytes: damage.damaged(whole))
            do {
                _ = try GestureLibrary(json: input.bytes)
            } catch {
                check(error, input)
            }
        }
    }

    @Test(
        "Damaged files are read without a crash: configurations",
        arguments: ["branches", "combine", "strokes", "zmq-strokes"])
    func configurations(name: String) throws {
        let whole = try Self.sample("Configs/\(name).yaml")
        let loader = PipelineLoader(registry: .standard)
        for seed in 0..<Self.rounds {
            var damage = Damage(seed: seed)
            let input = Input(seed: seed, bytes: damage.damaged(whole))
            let loaded = loader.load(
                bytes: input.bytes, name: "damaged.yaml", baseDirectory: "\(Self.repository)/Configs")
            #expect(loaded.plan != nil || loaded.diagnostics.contains { $0.severity == .error }, "\(input)")
            // The position of every finding must be in the text; otherwise it could not be shown.
            #expect(
                DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics).isEmpty
                    == loaded.diagnostics.isEmpty, "\(input)")
        }
    }
}
