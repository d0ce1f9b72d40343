import Foundation
import Pipeline
import Synchronization

@testable import Connectors
@testable import Stages

/// The recorded data in the folder that the environment variable `PIPELINE_DATA` names.
enum GestureData {
    static let folder = ProcessInfo.processInfo.environment["PIPELINE_DATA"]

    static var isThere: Bool { folder != nil }

    /// The number of trials: enough to notice that a figure became worse. `scripts/check-deep.sh accuracy` uses as many trials as
    /// the papers.
    static let repetitions = repetitions(few: 20)

    /// Returns the number of trials in the environment, or `few` if none is set.
    static func repetitions(few: Int) -> Int {
        ProcessInfo.processInfo.environment["PIPELINE_EVAL_REPETITIONS"].flatMap { Int($0) } ?? few
    }

    /// Whether tests read all of the data, and not only a part.
    static var isComplete: Bool { repetitions(few: 0) > 0 }

    /// Returns all strokes of a set, in the order of their paths.
    static func load(_ set: String) throws -> [Stroke] { try loadItems(set).map(\.stroke) }

    private static let sets = Lock<[String: [EvaluationItem]]>([:])

    /// Returns all strokes of a set as samples. The user of a sample is its folder, which stands for one person at one speed.
    /// Each set is read once, because many tests use it.
    static func loadItems(_ set: String) throws -> [EvaluationItem] {
        try sets.withLock { sets in
            if let items = sets[set] { return items }
            let items = try read(set)
            sets[set] = items
            return items
        }
    }

    private static func read(_ set: String) throws -> [EvaluationItem] {
        let root = URL(fileURLWithPath: folder ?? "").appendingPathComponent(set)
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".xml") }.sorted().map { name in
            let data = try Data(contentsOf: root.appendingPathComponent(name))
            let stroke = try data.withUnsafeBytes { try GestureXML.read($0).stroke }
            let user = (name as NSString).deletingLastPathComponent
            return EvaluationItem(label: stroke.label ?? "", user: user, stroke: stroke)
        }
    }
}

extension EvaluationItem {
    /// The stroke of the sample.
    var stroke: Stroke { if case .stroke(let stroke) = sample { stroke } else { Stroke(samples: []) } }
}
