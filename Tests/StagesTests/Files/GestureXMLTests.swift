import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("Gesture files")
struct GestureXMLTests {
    private func read(_ text: String) throws -> GestureXML.Gesture {
        var text = text
        return try text.withUTF8 { try GestureXML.read(UnsafeRawBufferPointer($0)) }
    }

    @Test("Gesture files hold a gesture with its label, subject and samples")
    func plain() throws {
        let gesture = try read(
            """
            \u{FEFF}<?xml version="1.0" encoding="utf-8" standalone="yes"?>
            <Gesture Name="arrow01" Subject="2" Speed="fast" Number="1">
              <Point X="66" Y="252.5" T="11462293" />
              <Point X="68" Y="249" T="11462310" />
            </Gesture>
            """)
        #expect(gesture.stroke.samples == [Sample(x: 66, y: 252.5, t: 0), Sample(x: 68, y: 249, t: 17_000)])
        #expect(gesture.stroke.label == "arrow")
        #expect(gesture.stroke.subject == "2")
        #expect(gesture.stroke.counts.isEmpty)
        #expect(gesture.stroke.fields == .time)
    }

    @Test("Gesture files give separate strokes, and times that go back are raised and counted")
    func strokes() throws {
        let gesture = try read(
            """
            <Gesture Name="half_note~08">
              <Stroke index="1">
                <Point X="1" Y="2" T="100" Pressure="128"/><Point X="3" Y="4" T="98" Pressure="128"/>
              </Stroke>
              <Stroke index="2"><Point X="5" Y="6" T="130" Pressure="64"/></Stroke>
              <Stroke index="3"/>
            </Gesture>
            """)
        #expect(gesture.stroke.label == "half_note")
        #expect(gesture.stroke.counts == [2, 1])
        #expect(gesture.stroke.samples.map(\.t) == [0, 0, 30_000])
        #expect(gesture.stroke.samples.map(\.p) == [128, 128, 64])
        #expect(gesture.raisedTimes == 1)
    }

    @Test("Gesture files give their label without the number of the sample")
    func labels() {
        for (name, label) in [
            ("arrow01", "arrow"), ("half_note~08", "half_note"), ("D~10", "D"), ("x", "x"), ("01", "01"),
            ("a~b", "a~b"),
            ("~08", "~"), ("", ""),
        ] {
            #expect(GestureXML.label(name) == label)
        }
    }

    @Test(
        "Gesture files that are invalid give errors with positions",
        arguments: [
            ("<Gesture Name='a'>\n<Point X='1' Y='b'/></Gesture>", "decode.type", "line 2, column 1"),
            ("<Gesture><Point X='nan' Y='1'/></Gesture>", "decode.type", "line 1, column 10"),
            ("<Gesture><Point X='1e999' Y='1'/></Gesture>", "decode.type", "line 1, column 10"),
            ("<Gesture><Point X='1'/></Gesture>", "decode.missing", "line 1, column 10"),
            (
                "<Gesture><Point X='1' Y='1' T='0'/>\n<Point X='2' Y='1'/></Gesture>", "decode.missing",
                "line 2, column 1"
            ),
            (
                "<Gesture><Point X='1' Y='1'/>\n<Point X='2' Y='1' Pressure='1'/></Gesture>", "decode.missing",
                "line 2, column 1"
            ),
            (
                "<Gesture><Point X='1' Y='1'/>\n<Point X='2' Y='1' T='5'/></Gesture>", "decode.missing",
                "line 2, column 1"
            ),
            (
                "<Gesture><Point X='1' Y='1' Pressure='1'/>\n<Point X='2' Y='1'/></Gesture>", "decode.missing",
                "line 2, column 1"
            ),
            ("<Gesture>\n<Point X='1' Y='1'/>", "decode.syntax", "line 2, column 21"),
            ("<Gesture></Gesture><Gesture></Gesture>", "decode.syntax", "line 1, column 20"),
            ("<html></html>", "decode.kind", "line 1, column 1"),
            ("not xml", "decode.syntax", "line 1, column 1"),
            (
                "<!DOCTYPE g [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><Gesture Name='&b;'/>", "decode.syntax",
                "line 1, column 25"
            ),
        ])
    func wrong(_ text: String, _ code: String, _ place: String) throws {
        let error = #expect(throws: PipelineError.self) { try read(text) }
        #expect(error?.code == code)
        #expect(error?.location == place)
        #expect(error?.category == .frame)
    }

    @Test("Gesture files form one stream, in which each gesture starts a second after the end of the one before")
    func timeline() async throws {
        let folder = try TemporaryFolder()
        for i in 1...3 {
            try folder.write(
                "g\(i).xml",
                "<Gesture Name='g\(i)'><Point X='0' Y='0' T='\(i)00'/><Point X='1' Y='1' T='\(i)50'/></Gesture>")
        }
        try folder.write("g2b.xml", "<Gesture Name='broken'>")
        let reading = try await readStrokes(folder.path)
        #expect(reading.frames.map(\.timestamp.rawValue) == [50_000, 1_100_000, 2_150_000])
        #expect(reading.frames.map(\.payload.start.rawValue) == [0, 1_050_000, 2_100_000])
        #expect(reading.frames.map(\.sequence) == [0, 1, 2])
        #expect(reading.frames.map(\.stream) == ["file", "file", "file"])
        // Frames name a file by the name of the given folder and the path in it. Errors name it by its full path.
        let name = folder.path.split(separator: "/").last.map(String.init) ?? ""
        #expect(reading.frames.map { $0.origin?.file } == ["g1.xml", "g2.xml", "g3.xml"].map { "\(name)/\($0)" })
        #expect(reading.failures.map(\.location) == ["\(folder.path)/g2b.xml, line 1, column 24"])
    }

    @Test(
        "Gesture files of the $1 logs are all read without errors",
        .enabled(
            if: GestureData.isThere && GestureData.isComplete, "scripts/check-deep.sh accuracy reads all of the data"))
    func dollarOne() async throws {
        let reading = try await readStrokes("\(pipelineData ?? "")/dollar1")
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.count == 2400)
        #expect(Set(reading.frames.compactMap(\.payload.label)).count == 16)
        #expect(Set(reading.frames.compactMap(\.payload.subject)).count == 5)
        #expect(reading.frames.allSatisfy { $0.payload.counts.isEmpty && $0.payload.fields == .time })
        #expect(zip(reading.frames, reading.frames.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
    }

    @Test(
        "Gesture files of the mixed multistroke logs are all read without errors",
        .enabled(
            if: GestureData.isThere && GestureData.isComplete, "scripts/check-deep.sh accuracy reads all of the data"))
    func mixedMultistroke() async throws {
        let reading = try await readStrokes("\(pipelineData ?? "")/mmg")
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.count == 2399)
        #expect(Set(reading.frames.compactMap(\.payload.label)).count == 16)
        #expect(reading.frames.contains { $0.payload.counts.count > 1 })
        #expect(zip(reading.frames, reading.frames.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
        // According to the description of the data, 581 of its files have times that go back.
        #expect(reading.log.contains { $0.hasPrefix("581 of ") }, "\(reading.log)")
    }
}
