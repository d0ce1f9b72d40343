import Foundation
import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

/// An invalid configuration on a page of `Diagnostics/`, and what a user sees.
///
/// A page has a heading for each configuration, followed by the configuration, the complete text of the findings, and the lines
/// that the fixes of the findings change. In a block ` ```yaml escapes`, a byte can be written as `\x00`. A block ` ```yaml utf16`
/// is read in that encoding. Comments at the start of a configuration can set variables and options: `# env: NAME=value`, `# set:
/// ID.OPTION=VALUE`.
///
/// After a change of wording, run `UPDATE_GOLDEN=1 swift test --filter DiagnosticGoldenTests`, and read every difference.
struct GoldenFindings: Sendable, CustomTestStringConvertible {
    /// The name of the page, and the heading.
    let page, heading: String
    /// The text from the heading to the end of the configuration.
    let head: String
    /// The text after the configuration.
    let shown: String
    /// The configuration.
    let bytes: [UInt8]

    var testDescription: String { "\(page): \(heading)" }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Diagnostics")

    /// The configurations of all pages, and the places that cannot be read: pages, and headings without a configuration.
    static let all = pages.configurations
    static let unreadable = pages.unreadable

    /// Reads all pages. With `UPDATE_GOLDEN=1`, the pages whose configurations can all be read are rewritten first.
    private static let pages: (configurations: [GoldenFindings], unreadable: [String]) = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"
        var (all, unreadable): ([GoldenFindings], [String]) = ([], [])
        for name in files.filter({ $0.hasSuffix(".md") }).sorted() {
            let file = folder.appending(path: name)
            guard let page = try? String(contentsOf: file, encoding: .utf8) else {
                unreadable.append(name)
                continue
            }
            let (head, cases, bad) = read(page, name)
            unreadable += bad
            guard isUpdating, bad.isEmpty else {
                all += cases
                continue
            }
            let text = head + cases.map { "\n\($0.head)\n\($0.found)" }.joined()
            do { try Data(text.utf8).write(to: file) } catch { unreadable.append("\(name): \(error)") }
            all += read(text, name).configurations
        }
        return (all, unreadable)
    }()

    /// Returns the text before the first heading of a page, the configurations, and the headings without a configuration.
    static func read(_ text: String, _ page: String) -> (
        head: String, configurations: [GoldenFindings], unreadable: [String]
    ) {
        let parts = text.components(separatedBy: "\n## ")
        var (all, unreadable): ([GoldenFindings], [String]) = ([], [])
        for part in parts.dropFirst() {
            if let golden = GoldenFindings(page: page, "## " + part) {
                all.append(golden)
            } else {
                unreadable.append("\(page): \(part.prefix { $0 != "\n" })")
            }
        }
        return (parts[0], all, unreadable)
    }

    private init?(page: String, _ text: String) {
        let text = text.hasSuffix("\n") ? text : text + "\n"
        guard let info = text.firstMatch(of: /\n```yaml(.*)\n/),
            let end = text.range(of: "\n```\n", range: info.range.upperBound..<text.endIndex)
        else { return nil }
        self.page = page
        heading = String(text.prefix { $0 != "\n" }.dropFirst(3))
        head = String(text[..<end.upperBound])
        shown = String(text[end.upperBound...].drop { $0 == "\n" })
        let configuration = text[info.range.upperBound..<end.lowerBound] + "\n"
        switch info.output.1 {
        case " escapes": bytes = Self.unescaped(Array(configuration.utf8))
        case " utf16": bytes = "\u{FEFF}\(configuration)".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        default: bytes = Array(configuration.utf8)
        }
    }

    private static func unescaped(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.first {
            let digits = String(decoding: rest.dropFirst(2).prefix(2), as: UTF8.self)
            if rest.starts(with: Array("\\x".utf8)), let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(4)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return bytes
    }

    /// The loaded and checked configuration.
    var loaded: LoadedPipeline {
        var environment: [String: String] = [:]
        var settings: [String] = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("# env: "), let equals = line.firstIndex(of: "=") {
                environment[String(line[..<equals].dropFirst(7))] = String(line[line.index(after: equals)...])
            } else if line.hasPrefix("# set: ") {
                settings.append(String(line.dropFirst(7)))
            } else {
                break
            }
        }
        return PipelineLoader(registry: .small, environment: environment, overrides: settings)
            .load(bytes: bytes, name: "pipeline.yaml")
    }

    /// The text that belongs after the configuration: its findings, and the lines that their fixes change.
    var found: String {
        let loaded = loaded
        let findings = DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics)
        let fixes = Self.lines(changedBy: loaded)
        return "```text\n\(findings)```\n" + (fixes.isEmpty ? "" : "\n```diff\n\(fixes)```\n")
    }

    /// Returns the lines that the fixes change, before and after.
    private static func lines(changedBy loaded: LoadedPipeline) -> String {
        guard let text = loaded.texts.first(where: { $0.file == "pipeline.yaml" }) else { return "" }
        let fixes = loaded.diagnostics.compactMap(\.fix).filter { $0.span.file == text.file }
        return Dictionary(grouping: fixes) { $0.span.start.line }.sorted { $0.key < $1.key }.map { line, fixes in
            var scalars = Array(text.line(line))
            let before = String(String.UnicodeScalarView(scalars))
            for fix in fixes.sorted(by: { $0.span.start.column > $1.span.start.column }) {
                let end = fix.span.end.line == line ? fix.span.end.column - 1 : scalars.count
                scalars.replaceSubrange(fix.span.start.column - 1..<end, with: fix.replacement.unicodeScalars)
            }
            let after = String(String.UnicodeScalarView(scalars)).split(separator: "\n")
            return "-\(before)\n" + after.map { "+\($0)\n" }.joined()
        }.joined()
    }
}
