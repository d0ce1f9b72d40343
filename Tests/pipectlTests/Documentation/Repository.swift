import Foundation

/// The repository that contains these tests.
enum Repository {
    /// The root of the repository.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// Returns the paths of all files below a folder, relative to the root, in order.
    static func files(below folder: String, ending: String) -> [String] {
        guard let enumerator = FileManager.default.enumerator(atPath: "\(root)/\(folder)") else { return [] }
        var found: [String] = []
        while let path = enumerator.nextObject() as? String {
            // Build output is large and contains no pages.
            if path.split(separator: "/").last?.hasPrefix(".") == true { enumerator.skipDescendants() }
            if path.hasSuffix(ending) { found.append("\(folder)/\(path)") }
        }
        return found.sorted()
    }

    /// Returns the text of a file.
    static func read(_ path: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    }

    /// Every page that a reader may open.
    static let pages = read(pagePaths)

    /// The front pages of the libraries.
    static let catalogs = read(catalogPaths)

    static let pagePaths =
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"] + files(below: "Documentation", ending: ".md")
        + files(below: "Examples", ending: ".md") + ["Configs/README.md", "Samples/README.md"]
    static let catalogPaths = files(below: "Sources", ending: ".md")

    // `DocumentationTests` checks that every path was read.
    private static func read(_ paths: [String]) -> [MarkdownPage] {
        paths.compactMap { path in (try? read(path)).map { MarkdownPage(path: path, text: $0) } }
    }
}
