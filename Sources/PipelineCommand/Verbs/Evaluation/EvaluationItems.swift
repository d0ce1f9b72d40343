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
    ///   - byFolder: Whether the strokes of each folder form a group of their own, and whether the hands of each folder are those
    ///     of another person, if they are in several folders.
    static func read(
        _ paths: [String], _ kind: GestureLibrary.GestureKind?, _ reading: GestureReading.Reading, _ console: Console,
        byFolder: Bool
    ) async throws -> [EvaluationItem] {
        var items: [EvaluationItem] = []
        var (unlabeled, bare) = (0, 0)
        for path in paths {
            if let library = try LibraryFile.library(in: path) {
                bare += library.gestures.reduce(0) { $0 + $1.patterns.count }
                items += library.gestures.flatMap(EvaluationItem.items)
                continue
            }
            let kind = try LibraryFile.kind(of: path, kind)
            if kind.isHands {
                var reading = reading
                reading.namesFiles = true
                for frame in try await GestureReading.hands(in: path, console, reading) {
                    let person = byFolder ? folder(of: frame.origin, in: path) : ""
                    for hand in frame.payload.hands {
                        guard var item = EvaluationItem(hand) else {
                            unlabeled += 1
                            continue
                        }
                        item.user = person
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
                        if byFolder { item.group = folder(of: frame.origin, in: path) }
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

    /// Returns the folder of the file that a frame was read from; empty if unknown.
    private static func folder(of origin: Origin?, in path: String) -> String {
        guard let file = origin?.file else { return "" }
        let whole = FileListing.parent(of: path) + file
        return whole.lastIndex(of: "/").map { String(whole[..<$0]) } ?? ""
    }
}
