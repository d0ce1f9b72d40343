import Foundation
import MCAP
import Testing

/// A conformance file of MCAP, and the description of its records in the JSON file beside it.
struct ConformanceFile: Sendable, CustomTestStringConvertible {
    static let folder = ProcessInfo.processInfo.environment["PIPELINE_DATA"].map { "\($0)/mcap" }

    /// All conformance files, by name.
    static let all: [ConformanceFile] = {
        guard let folder, let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder) else { return [] }
        return paths.filter { $0.hasSuffix(".mcap") }.sorted().map { ConformanceFile(path: "\(folder)/\($0)") }
    }()

    let path: String

    var testDescription: String { URL(fileURLWithPath: path).lastPathComponent }

    /// The features that the file's name lists, such as `chx` (chunk indexes).
    var features: Set<String> {
        Set(testDescription.dropLast(".mcap".count).split(separator: "-").dropFirst().map(String.init))
    }

    func has(anyOf wanted: Set<String>) -> Bool { !features.isDisjoint(with: wanted) }

    func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// Returns the records in the description.
    func records() throws -> [ConformanceRecord] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path.dropLast(".mcap".count) + ".json"))
        let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (json?["records"] as? [[String: Any]] ?? []).map { record in
            var fields: [String: String] = [:]
            for field in record["fields"] as? [[Any]] ?? [] where field.count == 2 {
                fields["\(field[0])"] = Self.text(field[1])
            }
            return ConformanceRecord(type: record["type"] as? String ?? "", fields: fields)
        }
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let list as [String]: list.joined(separator: ",")
        case let map as [String: String]:
            map.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        default: "\(value)"
        }
    }
}
