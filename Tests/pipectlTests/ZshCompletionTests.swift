import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

/// The path of zsh.
private let zsh = ["/usr/bin/zsh", "/bin/zsh", "/usr/local/bin/zsh", "/opt/homebrew/bin/zsh"].first {
    FileManager.default.isExecutableFile(atPath: $0)
}

/// Types command lines into a real zsh, including TAB, and reads the commands that it runs.
@Suite("The zsh completion", .enabled(if: zsh != nil, "zsh is not installed"))
struct ZshCompletionTests {
    /// Types each line into an interactive shell, where `pipectl` only prints its arguments. Returns what the lines print.
    ///
    /// - Parameter setUp: The first commands of the shell.
    private func type(_ lines: [String], _ setUp: String, in folder: TemporaryFolder) async throws -> [String] {
        let script = """
            zmodload zsh/zpty || exit 9
            zpty shell $3 -f -i
            heard=""
            # Reads until a line begins with a word.
            await() {
                while [[ "$heard" != *$'\\n'"$1"*$'\\n'* ]]; do zpty -r shell part || exit 8; heard+="$part"; done
            }
            zpty -w shell "PS1= LISTMAX=10000; unsetopt beep; cd ${(q)1}; $2"
            zpty -w shell 'pipectl() { print -r -- "RAN:$*" }; print RE""ADY'
            await READY
            for line in "${@:4}"; do
                heard=""
                zpty -w shell "$line"
                await RAN:
                print -r -- "${${heard#*$'\\n'RAN:}%%[$'\\r\\n']*}"
            done
            zpty -d shell
            """
        let shell = zsh ?? "zsh"
        let ending = try await Program.shell(
            "exec $(command -v timeout >/dev/null && echo timeout 100) \"$0\" -f \"$@\"",
            [shell, try folder.write("type.zsh", script), folder.path, setUp, shell] + lines,
            environment: ["TERM": "vt100"])
        #expect(ending.code == 0, "\(ending.messages)")
        return ending.results.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private static let lines = [
        // Commands, subcommands, names, files, flags, and values after a flag and after an equals sign.
        ("pipectl comp\tz\t", "completion zsh"), ("pipectl gest\tim\t", "gestures import"),
        ("pipectl stages resample_\t", "stages resample_time"), ("pipectl run strok\t", "run strokes.yaml"),
        ("pipectl stages --form\tma\t", "stages --format markdown"),
        ("pipectl stages --format=ma\t", "stages --format=markdown"),
        ("pipectl run strokes.yaml --drops dro\t", "run strokes.yaml --drops drops.jsonl"),
        ("pipectl draw -o dro\t", "draw -o drops.jsonl"),
    ]

    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("strokes.yaml", "")
        try folder.write("drops.jsonl", "")
        return folder
    }

    @Test("zsh completion: TAB completes verbs, names, files, flags and their values, from the first TAB on")
    func loaded() async throws {
        let folder = try folder()
        try folder.write("functions/_pipectl", await pipectl("completion", "zsh").results)
        // zsh finds the installed script by its name in a folder of functions.
        let ran = try await type(
            Self.lines.map(\.0), "fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D", in: folder)
        #expect(ran.map { $0.trimmingCharacters(in: .whitespaces) } == Self.lines.map(\.1))
    }

    @Test("zsh completion: the script also works when it is read by source")
    func sourced() async throws {
        let folder = try folder()
        try folder.write("pipectl.zsh", await pipectl("completion", "zsh").results)
        let ran = try await type(
            Self.lines.map(\.0), "autoload -Uz compinit; compinit -u -D; source ./pipectl.zsh", in: folder)
        #expect(ran.map { $0.trimmingCharacters(in: .whitespaces) } == Self.lines.map(\.1))
    }
}
