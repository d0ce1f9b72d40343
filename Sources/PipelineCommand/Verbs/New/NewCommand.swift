import Connectors
import Pipeline
import PipelineComponents
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Command {
    private static let draft = Flag.toggle("pipeline", "Writes a configuration of the named components")

    private static let package = Flag.text(
        "package", placeholder: "PATH|URL",
        "Where the new package finds Pipeline (default: the checkout that contains the current folder)")

    /// `pipectl new NAME`, `pipectl new --pipeline NAME…`.
    static let new: Command = Command(
        "new", "create a package for your own stages, or draft a configuration",
        details: """
            With a name, creates a folder of that name: a Swift package with two stages, a payload, their tests, and a program \
            that has all verbs of pipectl and knows these components.
            With --pipeline, writes a configuration with the named source, stages and sink. Name them in the order in which frames \
            pass them. The configuration contains all options of each component with their meanings. Options that keep their \
            defaults are comments.
            """,
        arguments: [
            Argument(
                "NAME", "the package; with --pipeline a source, stages and a sink", arity: .many,
                completion: .names { $0.registry.entries.map(\.manifest.name) })
        ],
        flags: [draft.description, package.description],
        examples: [
            Example("pipectl new my-stages", "Creates a package with stages, a payload, tests and a program"),
            Example(
                "pipectl new --pipeline zmq gate smooth recognize_hand stdout > hands.yaml",
                "Writes a configuration to start from"),
        ]
    ) { invocation, console in
        if invocation[draft] { return try writeDraft(invocation, console) }
        guard invocation.words.count == 1 else {
            throw UsageError(
                "a package has one name, found \(invocation.words.count)",
                help: "to write a configuration of components: pipectl new --pipeline …")
        }
        return try writePackage(invocation.words[0], invocation, console)
    }

    private static func writeDraft(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
        let draft = try PipelineDraft(invocation.words, invocation.tool.registry)
        let text = draft.text()
        try console.writeResult(text)
        for finding in draft.findings(of: text) {
            console.warning(finding.message, code: finding.code)
        }
        return .done
    }

    private static func writePackage(_ name: String, _ invocation: Invocation, _ console: Console) throws -> ExitCode {
        if let problem = PackageTemplate.problem(withName: name) {
            throw UsageError("\"\(name)\" cannot be the name of a package", help: problem)
        }
        guard !OutputFile.exists(name) else {
            throw PipelineError.environment("new.exists", "\(name) already exists: give another name, or remove it")
        }
        let found = checkout()
        let template = PackageTemplate(name: name, dependency: invocation[package] ?? found ?? "../pipeline")
        for (path, text) in template.files {
            let file = "\(name)/\(path)"
            // An error of `mkdir` is ignored: if a folder could not be created, writing the file fails and is reported.
            for slash in file.indices where file[slash] == "/" { mkdir(String(file[..<slash]), 0o777) }
            do { try WholeFile.write(Array(text.utf8), to: file) } catch {
                throw PipelineError.environment("new.unwritable", "\(file) cannot be written")
            }
        }
        console.say("made \(name): cd \(name) && swift test && swift run \(name) run pipeline.yaml")
        if invocation[package] == nil, found == nil {
            console.warning(
                "Package.swift looks for Pipeline in ../pipeline: correct that path, or use --package")
        }
        return .done
    }

    /// Returns the relative path from a new package to the checkout of Pipeline that contains the current folder; `nil` if the
    /// folder is not in a checkout.
    private static func checkout() -> String? {
        var (folder, path) = (".", "..")
        for _ in 0..<16 {
            let manifest = try? WholeFile.read("\(folder)/Package.swift", limit: 1 << 20)
            if let manifest, String(decoding: manifest, as: UTF8.self).contains("name: \"pipeline\",\n") { return path }
            (folder, path) = (path, path + "/..")
        }
        return nil
    }
}
