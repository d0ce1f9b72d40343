import Foundation
import PipelineTesting
import Stages
import Testing

@testable import Connectors
@testable import Pipeline
@testable import PipelineCommand
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("The documentation")
struct DocumentationTests {
    /// The reference and the page of errors are written by the program; their examples have their own tests.
    private static let written = Repository.pages.filter {
        !["Documentation/Reference.md", "Documentation/Errors.md"].contains($0.path)
    }

    @Test("Every pipeline that a page shows is valid, and is the file it is said to be", arguments: written)
    func pipelines(page: MarkdownPage) throws {
        for block in page.blocks where block.language == "yaml" && !block.words.contains("fragment") {
            let folder = block.fileName.map { ($0 as NSString).deletingLastPathComponent } ?? ""
            if let name = block.fileName, !folder.isEmpty {
                #expect(try Repository.read(name) == block.text, "\(page):\(block.line) is not \(name)")
            }
            let loaded = PipelineLoader(registry: .standard, environment: ["PIPELINE_DATA": "."])
                .load(text: block.text, baseDirectory: "\(Repository.root)/\(folder)")
            let findings = DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics)
            #expect(findings == "", "\(page):\(block.line)")
        }
    }

    @Test("Code that a page shows of a file stands in that file", arguments: written)
    func code(page: MarkdownPage) throws {
        for block in page.blocks where block.language == "swift" {
            guard let name = block.fileName else { continue }
            #expect(try Repository.read(name).contains(block.text), "\(page):\(block.line) is not in \(name)")
        }
    }

    @Test("Swift code on the front page of a library is part of an example or a test", arguments: Repository.catalogs)
    func catalogCode(page: MarkdownPage) throws {
        func lines(_ text: String) -> String {
            text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
                .joined(separator: "\n")
        }
        let programs = try ["Examples", "Tests"].flatMap { Repository.files(below: $0, ending: ".swift") }
            .map { lines(try Repository.read($0)) }
        for block in page.blocks where block.language == "swift" {
            #expect(programs.contains { $0.contains(lines(block.text)) }, "\(page):\(block.line)")
        }
    }

    /// A page's commands are run in order, in a folder that is like a fresh clone: what one writes the next can read.
    @Test("Every command that a page shows does what the page says", arguments: written)
    func commands(page: MarkdownPage) async throws {
        let folder = try TemporaryFolder()
        for name in ["Configs", "Samples"] {
            try? FileManager.default.copyItem(atPath: "\(Repository.root)/\(name)", toPath: "\(folder.path)/\(name)")
        }
        let program = (try Program.path() as NSString).deletingLastPathComponent
        for block in page.blocks {
            if let name = block.fileName, !name.contains("/") {
                try folder.write(name, block.text)
            }
            guard block.language == "console", !block.words.contains("unchecked") else { continue }
            for command in MarkdownPage.commands(of: block) {
                let ending = try await Program.shell(
                    "exec 2>&1; PATH=\"$0:$PATH\"; set -o pipefail; \(command.text)", [program],
                    environment: ["NO_COLOR": "1", "PIPELINE_DATA": ""], folder: folder.path)
                #expect(ending.code == command.code, "\(page):\(command.line): \(command.text)\n\(ending.results)")
                if !command.output.isEmpty {
                    // Pages show what one sees on a terminal, where messages have no times. How far it has come is said only where it
                    // takes long.
                    let lines = ending.results.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                        .map { $0.trimmingPrefix(/[-0-9]{10}T[0-9:.]{12}Z\s/) }
                        .filter { $0.firstMatch(of: /^[0-9]+ %  .* left$/) == nil }
                    #expect(
                        ShownOutput.matches(Array(lines), command.output[...]),
                        "\(page):\(command.line): \(command.text)\nprinted:\n\(ending.results)")
                }
            }
        }
    }

    @Test("Every link leads to a file that is there, and to a heading that it has", arguments: Repository.pages)
    func links(page: MarkdownPage) throws {
        let folder = (page.path as NSString).deletingLastPathComponent
        for (line, target) in page.links {
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            // Only of a path from the root are the steps to the folder above taken out.
            let path = parts[0].isEmpty ? page.path : (("/\(folder)/\(parts[0])" as NSString).standardizingPath)
            let relative = path.hasPrefix("/") ? String(path.dropFirst()) : path
            let exists = FileManager.default.fileExists(atPath: "\(Repository.root)/\(relative)")
            #expect(exists, "\(page):\(line): \(target)")
            if parts.count == 2, exists, relative.hasSuffix(".md") {
                let other = try #require(Repository.pages.first { $0.path == relative })
                #expect(other.anchors.contains(String(parts[1])), "\(page):\(line): \(target)")
            }
        }
    }

    @Test("Every pipeline in Configs is valid", arguments: Repository.files(below: "Configs", ending: ".yaml"))
    func configurations(path: String) async throws {
        let loaded = PipelineLoader(registry: .standard, environment: ["PIPELINE_DATA": "."])
            .load(file: "\(Repository.root)/\(path)")
        #expect(DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics) == "")
    }

    @Test("The files that the examples of the help name are there")
    func help() throws {
        func examples(of command: Command) -> [String] {
            command.examples.map(\.command) + command.subcommands.flatMap(examples)
        }
        let words = examples(of: .pipectl).flatMap { $0.split(separator: " ") }
        let paths = words.filter { ($0.hasPrefix("Configs/") || $0.hasPrefix("Samples/")) && !$0.contains("*") }
        #expect(!paths.isEmpty)
        for path in paths {
            #expect(FileManager.default.fileExists(atPath: "\(Repository.root)/\(path)"), "\(path)")
        }
    }

    @Test("Every key of a configuration stands on its page")
    func configurationKeys() throws {
        let page = try Repository.read("Documentation/Configuration.md")
        let names =
            TopLevelOptions.options.map(\.name) + ComponentKeys.options.map(\.name)
            + SourceKeys.options.map(\.name) + EdgeOptions.options.map(\.name)
            + TestOptions.options.map(\.name) + TestDropOptions.options.map(\.name)
        for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
    }

    @Test("The reference is what the program writes")
    func reference() async throws {
        let ending = try await Program.run("stages", "--format=markdown")
        #expect(
            try Repository.read("Documentation/Reference.md").hasSuffix(ending.results),
            "scripts/make-reference.sh writes it anew")
    }

    @Test(
        "The samples and the pictures are what the project's scripts draw, byte for byte",
        arguments: [("make-samples.sh", "Samples"), ("make-pictures.sh", "Documentation/Pictures")])
    func drawn(script: String, shown: String) async throws {
        let folder = try TemporaryFolder()
        let ending = try await Program.shell(
            "exec 2>&1; cd \"$0\" && PIPECTL=\"$1\" \"scripts/$2\" \"$3\"",
            [Repository.root, try Program.path(), script, folder.path])
        #expect(ending.code == 0, "\(ending.results)")
        let names = Repository.files(below: shown, ending: "").filter { !$0.hasSuffix(".md") }
        #expect(!names.isEmpty)
        for name in names {
            let isSame = try folder.read((name as NSString).lastPathComponent) == Repository.read(name)
            #expect(isSame, "\(name) is not what scripts/\(script) draws")
        }
    }
}
