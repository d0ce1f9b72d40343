import Pipeline
import Stages

/// What the verbs that change gesture libraries have in common.
enum LibraryFile {
    static let argument = Argument(
        "LIBRARY", "the gesture library, a JSON document", completion: .files([".json"]))

    static let gestureArgument = Argument("GESTURE", "the name of a gesture")

    static let dataArgument = Argument(
        "DATA", "strokes: JSON Lines, CSV or $1-family XML; a file, a folder or a glob", arity: .many,
        completion: .files([]))

    static let sampleFlag = Flag.integer("sample", in: 1...(.max), "Means the N-th sample only")

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

    /// The sample of a number, from 1.
    static func sample(_ number: Int, of gesture: GestureLibrary.Gesture) throws -> Stroke {
        guard number <= gesture.samples.count else {
            throw UsageError(
                "\(gesture.name) has no sample \(number)", help: "samples: 1 to \(gesture.samples.count)")
        }
        return gesture.samples[number - 1]
    }
}
