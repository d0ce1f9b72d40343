import Foundation
import MCAP
import Testing

/// The public conformance files of the format, if there is a folder of recorded data.
@Suite("MCAP conformance files", .enabled(if: ConformanceFile.folder != nil, "PIPELINE_DATA is not set"))
struct ConformanceTests {
    // The folder of recorded data also serves other tests, so it may exist without these files. Without arguments, the other tests
    // of this suite would pass.
    @Test("MCAP conformance files: the folder of recorded data contains all 188, and a description of each")
    func files() throws {
        #expect(ConformanceFile.all.count == 188)
        for file in ConformanceFile.all {
            let types = try file.records().map(\.type)
            #expect(types.first == "Header" && types.contains("DataEnd") && types.last == "Footer", "\(file.path)")
        }
    }

    @Test(
        "MCAP conformance files: reading from the beginning gives the records in the description beside the file",
        arguments: ConformanceFile.all)
    func streaming(_ file: ConformanceFile) throws {
        var reader = StreamingReader(MemoryInput(try file.bytes()))
        var records: [ConformanceRecord] = []
        while let record = try reader.next() { records.append(ConformanceRecord(record)) }
        #expect(records == (try file.records()))
    }

    @Test(
        "MCAP conformance files: reading through the index gives the same messages, attachments and metadata",
        arguments: ConformanceFile.all.filter {
            $0.features.isSuperset(of: ["ch", "chx"]) || $0.has(anyOf: ["ax", "mdx"])
        })
    func indexed(_ file: ConformanceFile) throws {
        let reader = try IndexedReader(MemoryInput(try file.bytes()))
        let known = try file.records()
        #expect(ConformanceRecord(.header(reader.header)) == known.first)
        if file.features.contains("chx") {
            var cursor = try reader.messages()
            var messages: [ConformanceRecord] = []
            while let message = try cursor.next() { messages.append(ConformanceRecord(.message(message))) }
            #expect(messages == known.filter { $0.type == "Message" })
            #expect(messages.count == 1)
        }
        if file.features.contains("ax") {
            let found = try reader.attachmentIndexes.map { ConformanceRecord(.attachment(try reader.attachment($0))) }
            #expect(found == known.filter { $0.type == "Attachment" })
        }
        if file.features.contains("mdx") {
            let found = try reader.metadataIndexes.map { ConformanceRecord(.metadata(try reader.metadata($0))) }
            #expect(found == known.filter { $0.type == "Metadata" })
        }
    }

    @Test("MCAP conformance files: recovering gives all the data and reports no loss", arguments: ConformanceFile.all)
    func recovering(_ file: ConformanceFile) throws {
        let (records, losses) = try SampleFile.recover(try file.bytes())
        let known = try file.records().prefix { $0.type != "DataEnd" }.filter { $0.type != "MessageIndex" }
        #expect(records.map { ConformanceRecord($0) } == known)
        #expect(losses.isEmpty)
    }

    @Test(
        "MCAP conformance files: a file without padding is written again byte for byte",
        arguments: ConformanceFile.all.filter { !$0.has(anyOf: ["pad"]) })
    func writing(_ file: ConformanceFile) throws {
        let bytes = try file.bytes()
        var options = WriterOptions()
        options.chunkSize = file.features.contains("ch") ? 1 << 20 : nil
        options.compression = .none
        options.messageIndexes = file.features.contains("mx")
        options.summaryOffsets = file.features.contains("sum")
        options.summary = []
        for (feature, part): (String, WriterOptions.Summary) in [
            ("rsh", .schemas), ("rch", .channels), ("st", .statistics), ("chx", .chunkIndexes),
            ("ax", .attachmentIndexes), ("mdx", .metadataIndexes),
        ] where file.features.contains(feature) { options.summary.insert(part) }
        let output = MemoryOutput()
        let writer = try Writer(output, options)
        var reader = StreamingReader(MemoryInput(bytes))
        reading: while let record = try reader.next() {
            switch record {
            case .schema(let schema): try writer.add(schema)
            case .channel(let channel): try writer.add(channel)
            case .message(let message): try writer.write(message)
            case .attachment(let attachment): try writer.add(attachment)
            case .metadata(let metadata): try writer.add(metadata)
            case .dataEnd: break reading
            default: break
            }
        }
        try writer.finish()
        #expect(output.bytes == bytes)
    }
}
