import Connectors
import Pipeline
import Stages

extension GestureLibrary.GestureKind {
    /// The word for one sample of this kind.
    var noun: String { self == .hand21 ? "hand" : rawValue }
}

/// The arguments, flags and functions that the verbs for gesture libraries share.
enum LibraryFile {
    static let argument = Argument(
        "LIBRARY", "the gesture library, a JSON document", completion: .files([".json"]))

    static let gestureArgument = Argument("GESTURE", "the name of a gesture")

    static let dataArgument = Argument(
        "DATA",
        "strokes (JSON Lines, CSV or $1-family XML), hands (JSON Lines, CSV, MediaPipe's protobuf text or OpenPose's JSON) or bitmaps (JSON Lines); a file, a folder or a glob",
        arity: .many,
        completion: .files([]))

    static let sampleFlag = Flag.integer("sample", in: 1...(.max), "Selects only the N-th sample")

    static let kindFlag = Flag<GestureLibrary.GestureKind>.choice(
        "kind", default: nil,
        "Reads strokes, bitmaps as rasterize creates them, hands, or motions, which are strokes in the rows of a table; by default, hands if the data contains hands, otherwise strokes"
    )

    static let labelsFlag = Flag.text(
        "labels", placeholder: "FILE",
        "A file with the names of the classes that a table gives as numbers: one name per line")

    /// Throws a usage error if `--labels` was given, but none of the data can be a table.
    static func checkLabels(for data: some Sequence<String>, _ invocation: Invocation) throws {
        guard invocation[labelsFlag] != nil, !data.contains(where: FileSource.canBeTable) else { return }
        throw UsageError(
            "--labels has an effect only on tables (CSV)",
            help: "leave it out: other files contain the names themselves")
    }

    /// Returns the kind of samples to read from data: `wanted` if given, hands if the data contains hands, otherwise strokes.
    static func kind(of data: String, _ wanted: GestureLibrary.GestureKind?) throws -> GestureLibrary.GestureKind {
        if let wanted { return wanted }
        let found = try PayloadKind.recorded(in: data)
        return found == .hands || found == .landmarks ? .hand21 : .stroke
    }

    /// Returns the gesture library in a file whose name ends in `.json`. Returns `nil` for any other name, or if the file contains
    /// messages.
    ///
    /// - Throws: An environment error if the name ends in `.json`, but the file contains neither a library nor messages.
    static func library(in data: String) throws -> GestureLibrary? {
        guard data.hasSuffix(".json") else { return nil }
        try MCAPFile.refusePipe(data)
        do {
            return try GestureLibrary(readingFrom: data)
        } catch {
            // The check for messages comes second, because a library with one line per gesture would pass it.
            let declared = Result { try PayloadKind.declared(in: data) }
            if case .success(.some) = declared { return nil }
            if case .failure(let refusal as PipelineError) = declared, refusal.code == "file.array" { throw refusal }
            throw error
        }
    }

    /// Returns the library in a file, or an empty one if the file does not exist yet.
    ///
    /// - Throws: A usage error for `-`, which is not a file. An environment error if the file is no library.
    static func readOrNew(_ path: String) throws -> GestureLibrary {
        guard path != "-" else {
            throw UsageError("LIBRARY is a file, not standard output", help: "name a file, such as mine.json")
        }
        return OutputFile.exists(path) ? try GestureLibrary(readingFrom: path) : GestureLibrary()
    }

    /// Returns the gesture with a name. If there is none, throws a usage error that suggests the most similar name.
    static func gesture(_ name: String, of library: GestureLibrary) throws -> GestureLibrary.Gesture {
        if let gesture = library[name] { return gesture }
        let names = library.gestures.map(\.name)
        let near = nearestName(to: name, among: names).map { "did you mean \"\($0)\"?" }
        throw UsageError(
            "no gesture is named \"\(name)\"", help: near,
            names.isEmpty || names.count > 20 ? nil : "gestures: \(names.joined(separator: ", "))")
    }

    /// Returns the gesture with only one of its samples.
    ///
    /// - Parameter number: The number of the sample, from 1: strokes come first, then hands, then bare bitmaps.
    static func only(_ number: Int, of gesture: GestureLibrary.Gesture) throws -> GestureLibrary.Gesture {
        guard number <= gesture.sampleCount else {
            throw UsageError("\(gesture.name) has no sample \(number)", help: "samples: 1 to \(gesture.sampleCount)")
        }
        var only = gesture
        let index = number - 1
        let (strokes, hands) = (gesture.samples.count, gesture.samples.count + gesture.hands.count)
        only.samples = index < strokes ? [gesture.samples[index]] : []
        only.hands = (strokes..<hands).contains(index) ? [gesture.hands[index - strokes]] : []
        only.patterns = index < hands ? [] : [gesture.patterns[index - hands]]
        return only
    }

    /// Adds every sample of the data to a library. Returns how many samples were added, were already there, and had no label. The
    /// error of a sample names its file, stream and time.
    ///
    /// - Parameters:
    ///   - kind: The kind of samples to read. If it is `nil`, hands are read from data that contains them, and strokes from other
    ///     data.
    ///   - name: The gesture to add all samples to, regardless of their labels; `nil` to use their labels.
    static func importSamples(
        _ data: some Sequence<String>, of kind: GestureLibrary.GestureKind?, as name: String? = nil,
        into library: inout GestureLibrary, _ console: Console, _ reading: GestureReading.Reading
    ) async throws -> ImportCounts {
        var sum = ImportCounts()
        for file in data {
            func naming(_ add: () throws -> ImportCounts) throws -> ImportCounts {
                do { return try add() } catch let error as PipelineError { throw error.located(in: file) }
            }
            let kind = try Self.kind(of: file, kind)
            var reading = reading
            reading.rowsAreStrokes = kind == .motion
            switch kind {
            case .stroke, .motion:
                let strokes = try await GestureReading.strokes(in: file, console, reading)
                sum += try naming { try library.importSamples(from: strokes, as: name, kind: kind) }
            case .bitmap:
                let bitmaps = try await GestureReading.bitmaps(in: file, console, reading)
                sum += try naming { try library.importBitmaps(from: bitmaps, as: name) }
            case .hand21:
                let hands = try await GestureReading.hands(in: file, console, reading)
                sum += try naming { try library.importHands(from: hands, as: name) }
            }
        }
        return sum
    }
}
