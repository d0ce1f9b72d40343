import Foundation
import Pipeline
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors
@testable import PipelineComponents
@testable import Stages

/// Every document of the public suites is either accepted or refused with a position, and the next good frame is processed.
@Suite(
    "Every document of the public suites", .enabled(if: PublicSuites.folder != nil, "PIPELINE_SUITES is not set"))
struct PublicSuitesTests {
    private static let good = #"{"t_us":1,"fields":"xy","pts":[1,2]}"#

    /// Checks that an error is about the message and has a position.
    private func check(_ error: any Error, _ name: String) {
        guard let error = error as? PipelineError else {
            Issue.record("\(name): \(error)")
            return
        }
        #expect(error.category == .frame && !error.message.isEmpty, "\(name): \(error)")
        // A missing value has no position.
        #expect(error.location != nil || error.code == "decode.missing", "\(name): \(error)")
    }

    /// Decodes a message. Returns `nil` if it was refused.
    private func decoded<P: WirePayload>(
        _ bytes: [UInt8], _ decoder: inout MessageDecoder<P>, _ name: String
    ) -> DecodedMessage<P>? {
        do {
            return try withPadded(bytes) { try decoder.decode($0) }
        } catch {
            check(error, name)
            return nil
        }
    }

    /// Checks that every output can write an accepted frame, that an independent reader of JSON finds its stream, and that
    /// MessagePack keeps its unknown keys.
    private func checkWritten<P: WirePayload>(_ frame: Frame<P>, _ name: String) throws {
        for format in TextFormat.allCases {
            var text = FrameText<P>(format)
            try text.add(frame)
            switch format {
            case .jsonl:
                let line = text.buffer.bytes
                #expect(line.filter { $0 == 0x0A }.count == 1 && line.last == 0x0A, "\(name)")
                let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
                #expect(object?["stream"] as? String == frame.stream.name, "\(name): \(text.buffer.text.prefix(400))")
            case .msgpack:
                var decoder = try CanonicalDecoder<P>(.messagePack, defaultStream: "")
                let read = try withPadded(text.buffer.bytes) { try decoder.decode($0) }.frame
                #expect(read?.origin?.unknown.map(\.key) == frame.origin?.unknown.map(\.key), "\(name)")
            case .csv, .pretty: break
            }
        }
    }

    /// Checks that the good frames before and after a document in a file are read, and the one after it if the document begins
    /// the file.
    private func checkFile(_ before: [UInt8], _ document: [UInt8], _ after: [UInt8], _ ending: String, _ name: String)
        async throws
    {
        let folder = try TemporaryFolder()
        for isFirst in [false, true] {
            let path = try folder.write(
                "\(isFirst).\(ending)", bytes: (isFirst ? [] : before) + document + after)
            for block in [64, 1 << 20] {
                let reading = try await readStrokes(path, blockSize: block)
                #expect(reading.frames.last?.payload.samples == [Sample(x: 7, y: 8)], "\(name)")
                if !isFirst { #expect(reading.frames.first?.payload.samples == [Sample(x: 1, y: 2)], "\(name)") }
                for failure in reading.failures {
                    check(failure, name)
                    #expect(failure.location?.hasPrefix("\(path), ") == true, "\(name): \(failure)")
                }
            }
        }
    }

    @Test("Public suites of JSON: good lines before and after each document in a file are read")
    func jsonLines() async throws {
        let documents = try PublicSuites.json()
        #expect(documents.count > 300)
        let (first, last) = (
            Array("\(Self.good)\n".utf8), Array("\n\(Self.good.replacing("[1,2]", with: "[7,8]"))\n".utf8)
        )
        for document in documents { try await checkFile(first, document.bytes, last, "jsonl", document.name) }
    }

    @Test("Public suites of JSON: after each document as a message, a good message is read")
    func jsonMessages() throws {
        for document in try PublicSuites.json() {
            try check(DecodeOptions(), document) { String(decoding: Self.good.utf8, as: UTF8.self) }
            var mapped = DecodeOptions()
            mapped.points = [try FieldPath("a.b[*]")]
            mapped.t = [try FieldPath("t")]
            try check(mapped, document) { #"{"t":1,"a":{"b":[[[1,2]]]}}"# }
        }
    }

    private func check(_ options: DecodeOptions, _ document: PublicSuites.Document, good: () -> String) throws {
        var decoder = try MessageDecoder<Stroke>(options, defaultStream: "pen")
        if let frame = decoded(document.bytes, &decoder, document.name)?.frame {
            try checkWritten(frame, document.name)
        }
        let next = decoded(Array(good().utf8), &decoder, "the next message")
        #expect(next?.frame?.payload.samples == [Sample(x: 1, y: 2)], "\(document.name)")
    }

    @Test(
        "Public suites of JSON: as the value of an unknown key, valid JSON is kept and written by every output"
    )
    func jsonKept() throws {
        var decoder = try MessageDecoder<Stroke>(DecodeOptions(), defaultStream: "pen")
        for document in try PublicSuites.json() {
            let message = Array(#"{"t_us":1,"fields":"xy","pts":[1,2],"zz":"#.utf8) + document.bytes + [0x7D]
            let frame = decoded(message, &decoder, document.name)?.frame
            if document.name.hasPrefix("y_") { #expect(frame != nil, "\(document.name)") }
            if document.name.hasPrefix("n_") { #expect(frame == nil, "\(document.name)") }
            if let frame { try checkWritten(frame, document.name) }
            #expect(decoded(Array(Self.good.utf8), &decoder, "next")?.frame != nil, "\(document.name)")
        }
    }

    @Test(
        "Public suites of JSON: each document as the value of each known key is read or refused with a position",
        arguments: PayloadKind.standard)
    func jsonKnown(kind: PayloadKind) throws {
        func check<P: WirePayload>(_ payload: P.Type, _ document: PublicSuites.Document) throws {
            var decoder = try MessageDecoder<P>(DecodeOptions(), defaultStream: "pen")
            for key in WireKey.allCases {
                let message = Array("{\"t_us\":1,\"\(key.name)\":".utf8) + document.bytes + [0x7D]
                let frame = decoded(message, &decoder, "\(key.name): \(document.name)")?.frame
                if let frame { try checkWritten(frame, document.name) }
            }
        }
        let payload: any WirePayload.Type = kind.type
        for document in try PublicSuites.json() where document.bytes.count < 1000 { try check(payload, document) }
    }

    @Test("Public suites of MessagePack: good documents before and after each document in a file are read")
    func packedFile() async throws {
        let documents = try PublicSuites.messagePack()
        #expect(documents.count > 150)
        let (first, last) = (try packed(Self.good), try packed(Self.good.replacing("[1,2]", with: "[7,8]")))
        for document in documents { try await checkFile(first, document.bytes, last, "msgpack", document.name) }
    }

    @Test(
        "Public suites of MessagePack: each document is refused as a message, kept as an unknown value, tried for each key"
    )
    func packedMessages() throws {
        var options = DecodeOptions()
        options.format = .msgpack
        var decoder = try MessageDecoder<Stroke>(options, defaultStream: "pen")
        let good = try packed(Self.good)
        for document in try PublicSuites.messagePack() {
            let whole = decoded(document.bytes, &decoder, document.name)
            #expect(whole?.frame == nil, "\(document.name)")
            // A map of four entries, the last of which is the document.
            let kept = decoded(
                [good[0] + 1] + good.dropFirst() + [0xA2, 0x7A, 0x7A] + document.bytes, &decoder, document.name)
            let frame = try #require(kept?.frame, "\(document.name)")
            try checkWritten(frame, document.name)
            for key in WireKey.allCases {
                let name = Array(key.name.utf8)
                // A map of two entries: a time, and the document.
                var message: [UInt8] = [0x82, 0xA4] + Array("t_us".utf8)
                message += [0x01, 0xA0 | UInt8(name.count)]
                message += name + document.bytes
                if let frame = decoded(message, &decoder, "\(key.name): \(document.name)")?.frame {
                    try checkWritten(frame, document.name)
                }
            }
            #expect(decoded(good, &decoder, "next")?.frame != nil, "\(document.name)")
        }
    }

    @Test(
        "Public suites of YAML: each document as a configuration gives a plan, or findings with a position and a message"
    )
    func yaml() throws {
        let documents = try PublicSuites.yaml()
        #expect(documents.count > 350)
        let loader = PipelineLoader(registry: .standard)
        let good = "version: 1\nsources: [synthetic]\nsinks: [stdout]\n"
        for document in documents {
            // As the whole configuration, and as the value of an option.
            let text = String(decoding: document.bytes, as: UTF8.self)
            let indented = text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }.joined(
                separator: "\n")
            for bytes in [document.bytes, Array("\(good)x:\n\(indented)".utf8)] {
                let loaded = loader.load(bytes: bytes, name: "p.yaml")
                #expect(loaded.plan != nil || !loaded.diagnostics.isEmpty, "\(document.name)")
                let lines = SourceText(file: "p.yaml", text: String(decoding: bytes, as: UTF8.self))
                for finding in loaded.diagnostics {
                    #expect(!finding.message.isEmpty && !finding.code.isEmpty, "\(document.name)")
                    let start = try #require(finding.span?.start, "\(document.name): \(finding.message)")
                    #expect(start.line >= 1 && start.line <= lines.lineCount && start.column >= 1, "\(document.name)")
                }
                let shown = DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics)
                #expect(shown.isEmpty == loaded.diagnostics.isEmpty, "\(document.name)")
            }
            #expect(loader.load(text: good).plan != nil, "\(document.name)")
        }
    }

    /// Returns JSON text as MessagePack.
    private func packed(_ json: String) throws -> [UInt8] {
        let inList = try withPadded("[\(json)]".utf8) { try MessagePackWriter().write($0) { Array($0) } }
        return Array(inList.dropFirst())
    }
}
