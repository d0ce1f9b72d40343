import Connectors
import Foundation
import PipelineTesting
import Stages
import Testing

@testable import PipelineCommand

@Suite("gestures")
struct GesturesTests {
    /// Three strokes: two lines and one corner, each labeled.
    private let recording = """
        {"v":1,"kind":"stroke","stream":"pen","seq":0,"t_us":1000,"fields":"xy","pts":[0,0,10,0],"label":"line"}
        {"v":1,"kind":"stroke","stream":"pen","seq":1,"t_us":2000,"fields":"xy","pts":[0,0,10,0,10,10],"label":"corner"}
        {"v":1,"kind":"stroke","stream":"pen","seq":2,"t_us":3000,"fields":"xy","pts":[0,5,20,5],"label":"line"}

        """

    private func imported() async throws -> (folder: TemporaryFolder, library: String) {
        let folder = try TemporaryFolder()
        let data = try folder.write("strokes.jsonl", recording)
        let library = folder.path + "/mine.json"
        let answer = await pipectl("gestures", "import", library, data)
        #expect(answer.code == .done)
        #expect(answer.messages == "\(library): 3 samples added, 2 gestures in all\n")
        return (folder, library)
    }

    @Test(
        "pipectl gestures: a recording in the place of a library is refused, and the help says how to make a library of it"
    )
    func recordingAsLibrary() async throws {
        let folder = try TemporaryFolder()
        let data = try folder.write("strokes.jsonl", recording)
        let answer = await pipectl("gestures", "list", data)
        #expect(answer.code == .environment)
        #expect(answer.messages.contains("[library.recording]: \(data), line 1: this is a recording of frames"))
        #expect(
            answer.messages.contains("= help: pipectl gestures import LIBRARY DATA makes a library of labeled strokes")
        )
    }

    @Test("pipectl gestures: points in the place of strokes are refused, and the help says how to make strokes of them")
    func pointsAsStrokes() async throws {
        let folder = try TemporaryFolder()
        let data = try folder.write(
            "points.jsonl",
            #"{"v":1,"kind":"points","stream":"p","seq":0,"t_us":0,"phase":"begin","fields":"xy","pts":[0,0]}"# + "\n")
        let answer = await pipectl("gestures", "import", folder.path + "/mine.json", data)
        #expect(answer.code == .environment)
        #expect(answer.messages.contains("[decode.kind]"))
        #expect(
            answer.messages.contains(
                "= help: turn the points into strokes first, with a pipeline: file (kind: points), segment"))
    }

    @Test("pipectl gestures: calibrate counts strokes nearest to the none class, and notes the widest limits")
    func calibrating() async throws {
        let folder = try TemporaryFolder()
        let zigzag = #""pts":[0,0,10,60,20,0,30,60,40,0,50,60,60,0]"#
        func line(_ number: Int, _ label: String) -> String {
            #"{"v":1,"kind":"stroke","stream":"pen","seq":\#(number),"t_us":\#(number),"fields":"xy",\#(zigzag)\#(label)}"#
                + "\n"
        }
        let data = try folder.write("strokes.jsonl", recording + line(3, #","label":"none""#))
        let doodles = try folder.write("doodles.jsonl", (0..<20).map { line($0, "") }.joined())
        let library = folder.path + "/mine.json"
        #expect(await pipectl("gestures", "import", library, data).code == .done)
        let answer = await pipectl("gestures", "calibrate", library, "--false-accept=5%", "--with=" + doodles)
        #expect(answer.code == .done)
        #expect(
            answer.messages.contains(
                "; 0 % of 20 unknown strokes accepted, with the widest limits allowed: 1.3 times the usual ones\n"),
            "\(answer.messages)")
    }

    @Test("pipectl gestures: calibrate says whether a recording holds no strokes, or only those of known gestures")
    func nothingUnknown() async throws {
        let (folder, library) = try await imported()
        let empty = try folder.write("empty.jsonl", "")
        for (file, reason) in [(empty, "contains none"), (folder.path + "/strokes.jsonl", "are labeled as gestures")] {
            let answer = await pipectl("gestures", "calibrate", library, "--with=" + file)
            #expect(answer.code == .environment)
            #expect(answer.messages.contains("\(file) \(reason)"), "\(answer.messages)")
        }
    }

    @Test("pipectl gestures: labeled strokes are imported in order, each into the gesture that its label names")
    func importing() async throws {
        let (folder, library) = try await imported()
        defer { withExtendedLifetime(folder) {} }
        let answer = await pipectl("gestures", "list", library)
        #expect(
            answer.results == """
                gesture  kind    samples  points  shown as
                line     stroke        2       2
                corner   stroke        1       3

                """)
    }

    @Test("pipectl gestures show: --sample without the name of a gesture is refused")
    func sampleOfNone() async throws {
        let (folder, library) = try await imported()
        defer { withExtendedLifetime(folder) {} }
        let answer = await pipectl("gestures", "show", library, "--sample=2")
        #expect(answer.code == .configuration && answer.results == "")
        #expect(answer.messages.contains("error: --sample selects a sample of one gesture"))
    }

    @Test("pipectl gestures: a stroke is drawn so that its shape can be seen")
    func show() async throws {
        let (folder, library) = try await imported()
        defer { withExtendedLifetime(folder) {} }
        let answer = await pipectl("gestures", "show", library, "corner")
        let lines = answer.results.split(separator: "\n").map(String.init)
        #expect(lines.first == "corner")
        #expect(lines.dropFirst().first == "sample 1, 3 points")
        // A line to the right, then one down from its end: the first row is the line to the right, and every other row has one
        // mark, in the last column.
        let drawing = lines.dropFirst(2)
        let right = try #require(drawing.first).count
        #expect(drawing.allSatisfy { $0.count == right })
        #expect(drawing.dropFirst().allSatisfy { $0.filter { $0 != " " }.count == 1 })
        #expect(await pipectl("gestures", "show", library, "line", "--sample=2").results.contains("sample 2, 2 points"))
    }

    @Test("pipectl gestures: a sample is drawn as eight by eight cells, with its value")
    func grid() async throws {
        let (folder, library) = try await imported()
        defer { withExtendedLifetime(folder) {} }
        #expect(
            await pipectl("gestures", "show", library, "corner", "--grid").results == """
                corner
                sample 1, 3 points
                ■ ■ ■ ■ ■ ■ ■ ■
                · · · · · · · ■
                · · · · · · · ■
                · · · · · · · ■
                · · · · · · · ■
                · · · · · · · ■
                · · · · · · · ■
                · · · · · · · ■
                ff01010101010101 = 18374969058471772417

                """)
    }

    @Test("pipectl gestures: bitmaps are imported, shown, removed, exported and merged like strokes")
    func bitmaps() async throws {
        let folder = try TemporaryFolder()
        let library = folder.path + "/mine.json"
        let data = try folder.write(
            "bitmaps.jsonl",
            """
            {"v":1,"kind":"bitmap","stream":"pen","t_us":1,"bits":"ff01010101010101","label":"corner"}
            {"v":1,"kind":"bitmap","stream":"pen","t_us":2,"bits":"ff01010101010101","label":"corner"}
            {"v":1,"kind":"bitmap","stream":"pen","t_us":3,"bits":"0000000800000000","label":"corner"}
            {"v":1,"kind":"bitmap","stream":"pen","t_us":4,"bits":"0000000008000000"}

            """)
        let answer = await pipectl("gestures", "import", library, data, "--kind=bitmap")
        #expect(answer.code == .done)
        #expect(answer.messages.contains("2 samples added, 1 gesture in all"))
        #expect(answer.messages.contains("1 bitmap without a label left out"))
        #expect(await pipectl("gestures", "list", library).results.contains("corner   bitmap        2"))
        let shown = await pipectl("gestures", "show", library, "corner", "--sample=2").results
        #expect(shown.contains("sample 2, a bitmap\n· · · · · · · ·\n"))
        #expect(shown.contains("0000000800000000 = 34359738368"))

        let lines = await pipectl("gestures", "export", library, "--kind=bitmap")
        let again = try folder.write("again.jsonl", lines.results)
        let copy = folder.path + "/copy.json"
        #expect(await pipectl("gestures", "import", copy, again, "--kind=bitmap", "-q").code == .done)
        #expect(try GestureLibrary(readingFrom: copy) == GestureLibrary(readingFrom: library))
        #expect(await pipectl("gestures", "export", library).messages.contains("2 bare bitmaps left out"))

        #expect(await pipectl("gestures", "remove", library, "corner", "--sample=2").code == .done)
        #expect(try GestureLibrary(readingFrom: library)["corner"]?.patterns == [0xFF01_0101_0101_0101])
        #expect(await pipectl("gestures", "merge", library, copy).messages.contains("1 sample added"))
        #expect(await pipectl("gestures", "add", library, "dot", data, "--kind=bitmap").code == .done)
        #expect(try GestureLibrary(readingFrom: library)["dot"]?.patterns.count == 3)
        #expect(await pipectl("gestures", "add", library, "dot", data).code == .environment)
    }

    /// Returns one hand per line. The coordinates of the n-th hand are n times those of the first.
    private func hands(_ labels: [String?]) -> String {
        labels.enumerated().map { number, label in
            let points = (0..<42).map { String(($0 % 2 == 0 ? $0 : 3 * $0) * (number + 1)) }.joined(separator: ",")
            let label = label.map { ",\"label\":\"\($0)\"" } ?? ""
            return
                "{\"kind\":\"landmarks\",\"t_us\":\(number * 500_000),\"fields\":\"xy\",\"pts\":[\(points)],\"handedness\":\"Left\"\(label)}\n"
        }.joined()
    }

    @Test("pipectl gestures: hands are imported, shown, removed, exported and merged like strokes")
    func handLibrary() async throws {
        let folder = try TemporaryFolder()
        let library = folder.path + "/mine.json"
        let data = try folder.write("hands.jsonl", hands(["open", "fist", nil, "open"]))
        let answer = await pipectl("gestures", "import", library, data)
        #expect(answer.code == .done)
        #expect(answer.messages.contains("3 samples added, 2 gestures in all"))
        #expect(answer.messages.contains("1 hand without a label left out"))
        #expect(await pipectl("gestures", "list", library).results.contains("open     hand21        2      21"))
        let shown = await pipectl("gestures", "show", library, "open", "--sample=2").results
        #expect(shown.hasPrefix("open\nsample 2, a hand, left\n"))
        #expect(shown.unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) })

        let lines = await pipectl("gestures", "export", library, "--kind=hand21")
        let again = try folder.write("again.jsonl", lines.results)
        let copy = folder.path + "/copy.json"
        #expect(await pipectl("gestures", "import", copy, again, "-q").code == .done)
        #expect(try GestureLibrary(readingFrom: copy) == GestureLibrary(readingFrom: library))
        #expect(await pipectl("gestures", "export", library).messages.contains("3 hands left out"))

        #expect(await pipectl("gestures", "remove", library, "open", "--sample=1").code == .done)
        #expect(try GestureLibrary(readingFrom: library)["open"]?.hands.map(\.points[1].x) == [8])
        #expect(await pipectl("gestures", "merge", library, copy).messages.contains("1 sample added"))
        let strokes = try folder.write("strokes.jsonl", recording)
        let mixed = await pipectl("gestures", "add", library, "open", strokes)
        #expect(mixed.code == .environment && mixed.messages.contains("[library.kind]"))
    }

    @Test("pipectl gestures: a table whose header names the coordinates and the handedness of hands is imported")
    func handTable() async throws {
        let folder = try TemporaryFolder()
        let library = folder.path + "/mine.json"
        let header = (0..<21).map { ",x\($0),y\($0),z\($0)" }.joined()
        let row = (0..<21).map { ",\(2 * $0),\($0),0" }.joined()
        let data = try folder.write("hands.csv", "label,handedness\(header)\nfist,Left\(row)\n")
        #expect(await pipectl("gestures", "import", library, data).code == .done)
        let hands = try GestureLibrary(readingFrom: library)["fist"]?.hands
        #expect(hands?.map { $0.points.map(\.x) } == [(0..<21).map { Double(2 * $0) }])
        #expect(hands?.map(\.handedness) == ["Left"])
    }

    @Test("pipectl gestures: a part of a recording becomes samples of a gesture")
    func between() async throws {
        let folder = try TemporaryFolder()
        let library = folder.path + "/mine.json"
        let data = try folder.write("hands.jsonl", hands(Array(repeating: nil, count: 6)))
        let answer = await pipectl("gestures", "add", library, "wave", "--from=\(data)", "--between=500ms..1.5s")
        #expect(answer.messages == "\(library): 3 samples added to wave\n")
        #expect(try GestureLibrary(readingFrom: library)["wave"]?.hands.map(\.points[1].x) == [4, 6, 8])
        for words in [
            ["--between=1s..2s"], ["--from=\(data)", "--between=2s..1s"], ["--from=\(data)", "--between=9s..10s"], [],
        ] {
            #expect(await pipectl(["gestures", "add", library, "wave"] + words).code != .done, "\(words)")
        }
        #expect(TimeSpan("0.5s..1.5s") == TimeSpan("500ms..1500ms"))
        for text in ["90", "1.5m", "90000ms"] {
            #expect(DurationText.nanosecondsOrSeconds(text[...]) == 90_000_000_000)
        }
        #expect(DurationText.nanosecondsOrSeconds("2h") == 7_200_000_000_000)
        for text in ["", "s", "-1", "1d", "nan"] {
            #expect(DurationText.nanosecondsOrSeconds(text[...]) == nil, "\(text)")
        }
        for text in ["1s", "1..2", "1s...2s", "..2s", "1s..", "2s..1s", ""] {
            #expect(TimeSpan(text) == nil, "\(text)")
        }
    }

    @Test("pipectl gestures: motions are imported from the rows of a table, which begin with the number of a label")
    func motions() async throws {
        let folder = try TemporaryFolder()
        let library = folder.path + "/mine.json"
        let data = try folder.write("history.csv", "1,0,0,1,1,2,0\n0,5,5,5,5,5,5\n")
        let names = try folder.write("names.csv", "Stop\nMove\n")
        let answer = await pipectl("gestures", "import", library, data, "--kind=motion", "--labels=\(names)")
        #expect(answer.messages == "\(library): 2 samples added, 2 gestures in all\n")
        let read = try GestureLibrary(readingFrom: library)
        #expect(read.gestures.map(\.name) == ["Move", "Stop"] && read.gestures.allSatisfy { $0.kind == .motion })
        #expect(read["Move"]?.samples.first?.samples.map(\.x) == [0, 1, 2])
    }

    @Test("pipectl gestures: motions are read from a folder and from a table whose ending is in capitals")
    func motionsElsewhere() async throws {
        let folder = try TemporaryFolder()
        let rows = "1,0,0,1,1,2,0\n0,5,5,5,5,5,5\n"
        try folder.write("tables/history.csv", rows)
        let table = try folder.write("M.CSV", rows)
        for data in ["\(folder.path)/tables", table] {
            let library = "\(folder.path)/mine.json"
            try? FileManager.default.removeItem(atPath: library)
            let answer = await pipectl("gestures", "import", library, data, "--kind=motion")
            #expect(answer.messages == "\(library): 2 samples added, 2 gestures in all\n")
        }
    }

    @Test("pipectl gestures: exported samples are the same when they are imported again")
    func export() async throws {
        let (folder, library) = try await imported()
        let lines = await pipectl("gestures", "export", library).results
        #expect(lines.split(separator: "\n").count == 3)
        let data = try folder.write("exported.jsonl", lines)
        let again = folder.path + "/again.json"
        _ = await pipectl("gestures", "import", again, data)
        let (before, after) = (try GestureLibrary(readingFrom: library), try GestureLibrary(readingFrom: again))
        #expect(before.gestures.map(\.name) == after.gestures.map(\.name))
        for (a, b) in zip(before.gestures, after.gestures) {
            #expect(a.samples.map(\.samples) == b.samples.map(\.samples))
        }
    }

    @Test("pipectl gestures: add adds every stroke to the named gesture; remove removes a sample or the whole gesture")
    func addAndRemove() async throws {
        let (folder, library) = try await imported()
        let added = await pipectl("gestures", "add", library, "mark", folder.path + "/strokes.jsonl")
        #expect(added.messages == "\(library): 3 samples added to mark\n")
        #expect(await pipectl("gestures", "remove", library, "mark", "--sample=2").code == .done)
        #expect(try GestureLibrary(readingFrom: library)["mark"]?.samples.map(\.samples.count) == [2, 2])
        #expect(await pipectl("gestures", "remove", library, "line").code == .done)
        #expect(try GestureLibrary(readingFrom: library).gestures.map(\.name) == ["corner", "mark"])
    }

    @Test("pipectl gestures: merge joins gestures of the same name, and adds no sample twice")
    func merge() async throws {
        let (folder, library) = try await imported()
        let other = folder.path + "/other.json"
        _ = await pipectl("gestures", "add", other, "line", folder.path + "/strokes.jsonl")
        #expect(await pipectl("gestures", "merge", library, other).messages == "\(library): 1 sample added\n")
        #expect(await pipectl("gestures", "merge", library, other).messages == "\(library): 0 samples added\n")
    }

    @Test("pipectl gestures: a drawing as SVG is well-formed XML with a line for every stroke")
    func svg() async throws {
        let (folder, library) = try await imported()
        let file = folder.path + "/line.svg"
        #expect(await pipectl("gestures", "show", library, "line", "--svg", file).code == .done)
        let text = try folder.read("line.svg")
        #expect(text.hasPrefix("<svg ") && text.hasSuffix("</svg>\n"))
        #expect(text.split(separator: "<polyline ").count == 3)
    }

    @Test(
        "pipectl gestures: a drawing to a named pipe reaches its reader, and a drawing to a link is written to its target"
    )
    func passedOn() async throws {
        let (folder, library) = try await imported()
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        // Opened without waiting for a writer.
        let reader = FileHandle(fileDescriptor: open(pipe, O_RDONLY | O_NONBLOCK), closeOnDealloc: true)
        #expect(await pipectl("gestures", "show", library, "line", "--svg", pipe).code == .done)
        #expect(String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self).hasPrefix("<svg "))
        #expect(try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType != .typeRegular)

        _ = try folder.write("line.svg", "")
        let link = folder.path + "/link.svg"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "line.svg")
        #expect(await pipectl("gestures", "show", library, "line", "--svg", link).code == .done)
        #expect(try folder.read("line.svg").hasPrefix("<svg "))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "line.svg")
    }

    @Test("pipectl gestures: a library behind a link to itself is not written, and the link stays")
    func deadLink() async throws {
        let (folder, _) = try await imported()
        let link = folder.path + "/link.json"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "link.json")
        let answer = await pipectl("gestures", "import", link, folder.path + "/strokes.jsonl")
        #expect(answer.code == .environment)
        #expect(answer.messages.contains("error[file.unwritable]: \(link) cannot be written"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "link.json")
    }

    @Test(
        "pipectl gestures: for an unknown name, the nearest is suggested; missing files are errors of the environment"
    )
    func refusals() async throws {
        let (folder, library) = try await imported()
        let name = await pipectl("gestures", "remove", library, "cornr")
        #expect(name.code == .configuration)
        #expect(
            name.messages == """
                error: no gesture is named "cornr"
                  = help: did you mean "corner"?
                  = help: gestures: line, corner

                """)
        #expect(await pipectl("gestures", "list", folder.path + "/none.json").code == .environment)
        let none = try folder.write("label.jsonl", recording.replacingOccurrences(of: "\"line\"", with: "\"None\""))
        let label = await pipectl("gestures", "import", library, none)
        #expect(label.code != .done && label.messages.hasPrefix("error[library.name]: \(none), "), "\(label.messages)")
        for name in ["", "None"] {
            let add = await pipectl("gestures", "add", library, name, folder.path + "/strokes.jsonl")
            #expect(add.code == .configuration && add.messages.contains("help: name a gesture"), "\(add.messages)")
        }
        let standard = await pipectl("gestures", "import", "-", folder.path + "/strokes.jsonl")
        #expect(standard.code == .configuration && standard.messages.contains("LIBRARY is a file"))
        #expect(await pipectl("gestures", "import", library, folder.path + "/none.jsonl").code == .environment)
        let empty = try folder.write("empty.jsonl", "")
        let nothing = await pipectl("gestures", "import", library, empty)
        #expect(nothing.code == .environment)
        #expect(nothing.messages.hasPrefix("error[gestures.nothing]: there is no stroke in \(empty)\n"))
        let unlabeled = try folder.write(
            "unlabeled.jsonl", recording.replacingOccurrences(of: "\"label\"", with: "\"x\""))
        let before = try folder.read("mine.json")
        let answer = await pipectl("gestures", "import", library, unlabeled)
        #expect(answer.code == .environment)
        #expect(answer.messages.hasPrefix("error[gestures.no_labels]: 3 strokes read, none with a label\n"))
        #expect(try folder.read("mine.json") == before)
    }
}
