import Foundation
import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

/// The documents of public test suites for readers, in the folder that `PIPELINE_SUITES` names. `CONTRIBUTING.md` describes the
/// layout of the folder.
enum PublicSuites {
    static let folder = ProcessInfo.processInfo.environment["PIPELINE_SUITES"]

    /// A document of a suite.
    struct Document {
        let name: String
        let bytes: [UInt8]
    }

    private static func files(_ suite: String, _ ending: String) throws -> [Document] {
        let path = "\(folder ?? "")/\(suite)"
        return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(ending) }.sorted().map {
            Document(name: $0, bytes: Array(try Data(contentsOf: URL(filePath: "\(path)/\($0)"))))
        }
    }

    /// Returns JSON texts. The name of a text of `test_parsing` shows whether it is JSON (`y_`), is not JSON (`n_`), or is up to
    /// the reader (`i_`).
    static func json() throws -> [Document] { try files("json", ".json") }

    /// Returns MessagePack documents. Each is named after its group in the suite and its first bytes.
    static func messagePack() throws -> [Document] {
        try files("msgpack", ".json").flatMap { file in
            let groups = try #require(
                try JSONSerialization.jsonObject(with: Data(file.bytes)) as? [String: [[String: Any]]])
            return try groups.sorted { $0.key < $1.key }.flatMap { name, group in
                try group.flatMap { value in
                    try (value["msgpack"] as? [String] ?? []).map { digits in
                        Document(
                            name: "\(name) \(digits.prefix(40))",
                            bytes: try digits.split(separator: "-").map { try #require(UInt8($0, radix: 16)) })
                    }
                }
            }
        }
    }

    /// Returns documents of bytes as a peer may send them over ZeroMQ. Each is named after its path.
    static func zmtp() throws -> [Document] {
        let path = URL(filePath: "\(folder ?? "")/zmtp").resolvingSymlinksInPath().path
        return try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.contains("_corpus/") }.sorted().map
        {
            Document(name: $0, bytes: Array(try Data(contentsOf: URL(filePath: "\(path)/\($0)"))))
        }
    }

    /// Returns YAML texts, extracted by our own reader from the files that describe them.
    static func yaml() throws -> [Document] {
        try files("yaml", ".yaml").flatMap { file in
            let findings = Findings()
            let (string, text) = ConfigurationText.decode(
                file.bytes, file: file.name, limits: YAMLLimits(), findings: findings)
            let root = try #require(string.flatMap { YAMLComposer.compose($0, text, findings: findings) })
            #expect(findings.diagnostics.isEmpty, "\(file.name)")
            return (root.sequence ?? []).enumerated().compactMap { number, test in
                test["yaml"]?.scalar.map {
                    Document(name: "\(file.name) \(number)", bytes: Array(unescaped($0.text).utf8))
                }
            }
        }
    }

    /// Returns a text in which the suite's visible signs, such as `␣`, are replaced by the characters that they stand for.
    private static func unescaped(_ text: String) -> String {
        var text = text.replacing("␣", with: " ").replacing(/—*»/, with: "\t").replacing("←", with: "\r")
        text = text.replacing("⇔", with: "\u{FEFF}").replacing("↵", with: "")
        if text.hasSuffix("∎\n") { text.removeLast(2) }
        return text
    }
}
