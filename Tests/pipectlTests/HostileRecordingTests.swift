import Foundation
import MCAP
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("The verbs for recordings, given hostile files")
struct HostileRecordingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// Returns a recording with every kind of record that a summary reports.
    private func recording() throws -> (bytes: [UInt8], index: IndexedReader, messages: Int) {
        var options = WriterOptions()
        options.chunkSize = 1024
        let writer = try Writer(try FileOutput(path: path("whole.mcap")), options)
        try writer.add(Schema(id: 1, name: "pipeline.stroke", encoding: "jsonschema", data: Array("{}".utf8)))
        for id in UInt16(1)...2 {
            try writer.add(Channel(id: id, schemaID: 1, topic: "pen/\(id)", messageEncoding: "json"))
        }
        try writer.add(Attachment(logTime: 1, createTime: 1, name: "a", mediaType: "text/plain", data: [1, 2, 3]))
        try writer.add(Metadata(name: "m", values: [StringPair("a", "b")]))
        let messages = 40
        for number in 0..<messages {
            let text =
                "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"pen\",\"seq\":\(number),\"t_us\":\(number * 1000),\"fields\":\"xy\",\"pts\":[1,2]}"
            try writer.write(
                Message(
                    channelID: UInt16(1 + number % 2), sequence: UInt32(number), logTime: UInt64(number) * 1_000_000,
                    publishTime: UInt64(number) * 1_000_000, data: ArraySlice(text.utf8)))
        }
        try writer.finish()
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path("whole.mcap"))))
        return (bytes, try IndexedReader(try FileInput(path: path("whole.mcap"))), messages)
    }

    @Test(
        "Hostile recordings: with any damage to the summary, every verb ends with an exit code, and recover saves all messages",
        arguments: [UInt8(0xFF), 0x00, 0x7F])
    func summary(_ value: UInt8) async throws {
        let (whole, index, messages) = try recording()
        let start = Int(index.footer.summaryStart)
        // The checksum of the summary, the last field of the footer, is removed: with it, readers would refuse any changed
        // summary.
        let checksum = whole.count - 8 - 4
        let isDeep = ProcessInfo.processInfo.environment["PIPELINE_DEEP_MCAP"] != nil
        for place in stride(from: start, to: checksum, by: isDeep ? 1 : 8) {
            var bytes = whole
            for byte in place..<min(place + 8, checksum) { bytes[byte] = value }
            bytes.replaceSubrange(checksum..<(checksum + 4), with: [0, 0, 0, 0])
            try Data(bytes).write(to: URL(fileURLWithPath: path("a.mcap")))
            let here = Comment(rawValue: "byte \(place) of \(whole.count)")
            for format in ["text", "json"] {
                let info = await pipectl("info", "--format=\(format)", path("a.mcap"))
                #expect([.done, .failed, .environment].contains(info.code), here)
            }
            for out in ["b.jsonl", "b.mcap"] {
                let converted = await pipectl("convert", "-q", "--force", path("a.mcap"), path(out))
                #expect([.done, .failed, .environment].contains(converted.code), here)
            }
            let saved = await pipectl("recover", "--force", path("a.mcap"), "-o", path("c.mcap"))
            #expect(saved.code == .done || saved.code == .partly, here)
            #expect(saved.messages.contains("\(messages) messages saved"), here)
        }
    }

    @Test(
        "Hostile recordings: an impossible time is an error of one message, and the other frames are kept",
        arguments: ["-5", "9007199254740991", "9007199254740992", "20000000000000000", "9223372036854775807"])
    func times(_ time: String) async throws {
        for key in ["t_us", "recv_us"] {
            func line(_ number: Int, _ times: String) -> String {
                "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"pen\",\"seq\":\(number),\(times),\"start_us\":5,"
                    + "\"fields\":\"xy\",\"pts\":[1,2]}\n"
            }
            let good = line(0, "\"t_us\":5,\"recv_us\":6")
            let other = line(1, key == "t_us" ? "\"t_us\":\(time)" : "\"t_us\":5,\"recv_us\":\(time)")
            try folder.write("in.jsonl", good + other)
            // The largest possible time can be written.
            let isWritten = time == "9007199254740991"
            let info = await pipectl("info", "--format=json", path("in.jsonl"))
            #expect(info.code == .done)
            #expect(info.results.contains("\"messages\": \(isWritten ? 2 : 1),"), "\(info.results)")
            #expect(info.results.contains("1 message could not be read") != isWritten)
            let there = await pipectl("convert", "--force", path("in.jsonl"), path("out.mcap"))
            #expect(there.code == (isWritten ? .done : .failed))
            #expect(await pipectl("info", path("out.mcap")).code == .done)
            #expect(await pipectl("convert", "--force", path("out.mcap"), path("back.jsonl")).code == .done)
            let back = try String(contentsOfFile: path("back.jsonl"), encoding: .utf8)
            #expect(back == (isWritten ? good + other : good))
        }
    }
}
