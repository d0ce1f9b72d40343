import Connectors
import Pipeline
import Stages

/// Reads the data of an evaluation.
enum EvaluationItems {
    /// Returns the labeled samples of all paths. Samples without a label are left out, with a warning.
    ///
    /// - Parameters:
    ///   - kind: The kind of samples to read. If it is `nil`, hands are read from data that contains them, and strokes from other
    ///     data.
    ///   - byFolder: Whether the gesture files of each folder form a group of their own, and whether the hands of each folder are
    ///     those of another person, if they are in several folders.
    static func read(
        _ paths: [String], _ kind: GestureLibrary.GestureKind?, _ reading: GestureReading.Reading, _ console: Console,
        byFolder: Bool
    ) async throws -> [EvaluationItem] {
        var items: [EvaluationItem] = []
        var (unlabeled, bare) = (0, 0)
        for (path, library) in try paths.flatMap(data) {
            if let library {
                bare += library.gestures.reduce(0) { $0 + $1.patterns.count }
                items += library.gestures.flatMap(EvaluationItem.items).map { item in
                    var item = item
                    item.place = "\(path), \(item.place)"
                    if byFolder, item.isHand { item.user = folder(of: path) }
                    return item
                }
                continue
            }
            let kind = try LibraryFile.kind(of: path, kind)
            if kind.isHands {
                var reading = reading
                reading.namesFiles = true
                for frame in try await GestureReading.hands(in: path, console, reading) {
                    let file = file(of: frame.origin, in: path)
                    for hand in frame.payload.hands {
                        guard var item = EvaluationItem(hand) else {
                            unlabeled += 1
                            continue
                        }
                        if byFolder, let file { item.user = folder(of: file) }
                        item.place = "\(file ?? path), \(frame.stream.name) at \(frame.timestamp)"
                        items.append(item)
                    }
                }
            } else {
                var reading = reading
                reading.rowsAreStrokes = kind == .motion
                let strokes = try await GestureReading.strokes(in: path, console, reading)
                let labeled = strokes.compactMap { frame in
                    EvaluationItem(frame.payload).map { item in
                        var item = item
                        let file = file(of: frame.origin, in: path)
                        if byFolder, let file { item.group = folder(of: file) }
                        item.place = "\(file ?? path), \(frame.stream.name) at \(frame.timestamp)"
                        return item
                    }
                }
                unlabeled += strokes.count - labeled.count
                items += labeled
            }
        }
        if unlabeled > 0 { console.warning("\(Counted.text(unlabeled, "sample")) without a label left out") }
        if bare > 0 { console.warning("\(Counted.text(bare, "bare bitmap")) left out: strokes are evaluated") }
        guard let first = items.first else {
            throw PipelineError.environment("eval.no_labels", "no labeled sample in \(paths.joined(separator: ", "))")
        }
        guard items.allSatisfy({ $0.isHand == first.isHand }) else {
            throw PipelineError.environment(
                "eval.mixed", "the data contains strokes and hands, which are not compared with each other",
                help: "evaluate strokes and hands separately")
        }
        // A folder that holds all hands does not name a person.
        if first.isHand, items.allSatisfy({ $0.user == first.user }) {
            for index in items.indices { items[index].user = "" }
        }
        return items
    }

    /// Returns the files of a path, each with its library if it is one; only the path if it names no library.
    private static func data(in path: String) throws -> [(path: String, library: GestureLibrary?)] {
        let files = try FileSource.files(of: path).map { file -> (path: String, library: GestureLibrary?) in
            guard file != path else { return (file, try LibraryFile.library(in: file)) }
            // A file of a folder that is no library counts as a recording: the source that reads it reports its errors.
            guard file.hasSuffix(".json") else { return (file, nil) }
            return (file, try? GestureLibrary(readingFrom: file))
        }
        return files.contains { $0.library != nil } ? files : [(path, nil)]
    }

    /// Returns the path of the file that a frame was read from; `nil` if it is unknown.
    private static func file(of origin: Origin?, in path: String) -> String? {
        origin?.file.map { FileListing.parent(of: path) + $0 }
    }

    private static func folder(of file: String) -> String {
        file.lastIndex(of: "/").map { String(file[..<$0]) } ?? ""
    }
}
