import Pipeline
import Stages

/// What the verbs that change gesture libraries have in common.
enum LibraryFile {
    static let argument = Argument(
        "LIBRARY", "the gesture library, a JSON document", completion: .files([".json"]))

    static let gestureArgument = Argument("GESTURE", "the name of a gesture")

    static let dataArgument = Argument(
        "DATA", "strokes (JSON Lines, CSV or $1-family XML) or bitmaps (JSON Lines); a file, a folder or a glob",
        arity: .many,
        completion: .files([]))

    static let sampleFlag = Flag.integer("sample", in: 1...(.max), "Means the N-th sample only")

    static let kindFlag = Flag<GestureLibrary.GestureKind>.choice(
        "kind", default: .stroke, "Reads strokes, or bitmaps as rasterize makes them")

    /// The library in a file, or an empty one when there is no such file yet.
    static func readOrNew(_ path: String) throws -> GestureLibrary {
        OutputFile.exists(path) ? try GestureLibrary(readingFrom: path) : GestureLibrary()
    }

    /// The gesture of a name; an error with the nearest name when there is none.
    static func gesture(_ name: String, of library: GestureLibrary) throws -> GestureLibrary.Gesture {
        if let gesture = library[name] { return gesture }
        let names = library.gestures.map(\.name)
        let near = nearestName(to: name, among: names).map { "did you mean \"\($0)\"?" }
        throw UsageError(
            "no gesture is named \"\(name)\"", help: near,
            names.isEmpty || names.count > 20 ? nil : "gestures: \(names.joined(separator: ", "))")
    }

    /// The gesture with the sample of a number alone, from 1: its strokes first, then its bare bitmaps.
    static func only(_ number: Int, of gesture: GestureLibrary.Gesture) throws -> GestureLibrary.Gesture {
        guard number <= gesture.sampleCount else {
            throw UsageError("\(gesture.name) has no sample \(number)", help: "samples: 1 to \(gesture.sampleCount)")
        }
        var only = gesture
        let index = number - 1 - gesture.samples.count
        only.samples = index < 0 ? [gesture.samples[number - 1]] : []
        only.patterns = index < 0 ? [] : [gesture.patterns[index]]
        return only
    }

    /// Takes every gesture of the data into a library and counts them.
    ///
    /// - Parameter name: The gesture to take them for, whatever their labels say.
    static func take(
        _ data: some Sequence<String>, of kind: GestureLibrary.GestureKind, as name: String? = nil,
        into library: inout GestureLibrary, _ console: Console
    ) async throws -> (taken: Int, known: Int, unlabelled: Int) {
        var sum = (taken: 0, known: 0, unlabelled: 0)
        for file in data {
            switch kind {
            case .stroke:
                let strokes = try await StrokeReading.strokes(in: file, console)
                let counts = library.importSamples(from: strokes, as: name)
                sum.taken += counts.taken
                sum.unlabelled += counts.unlabelled
            case .bitmap:
                let bitmaps = try await StrokeReading.bitmaps(in: file, console)
                let counts = library.importBitmaps(from: bitmaps, as: name)
                sum.taken += counts.taken
                sum.known += counts.known
                sum.unlabelled += counts.unlabelled
            }
        }
        return sum
    }
}
