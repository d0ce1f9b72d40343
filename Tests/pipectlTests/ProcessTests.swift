import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("The program as a process")
struct ProcessTests {
    @Test("pipectl: a wrong command line ends with 2, and only standard error says why")
    func usage() async throws {
        let ending = try await Program.run("stages", "--formt=json")
        #expect(ending.code == 2)
        #expect(ending.results == "")
        #expect(ending.messages.hasPrefix("error: unknown flag \"--formt\"\n  = help: did you mean \"--format\"?\n"))
    }

    @Test("pipectl: if the reader of the output leaves early, the program ends successfully and prints no message")
    func closedPipe() async throws {
        let ending = try await Program.shell(
            "\"$0\" completion fish | head -n 1; echo ${PIPESTATUS[0]}", [try Program.path()])
        #expect(ending.results == "# Written by: pipectl completion\n0\n")
        #expect(ending.messages == "")
    }

    @Test("pipectl: a reader that leaves early ends a run successfully, even if frames in flight would take long")
    func closedPipeOfRun() async throws {
        let folder = try TemporaryFolder()
        // Processing the frames that wait in the edges when the reader leaves would take many times as long as a shutdown may
        // take.
        try folder.write(
            "slow.yaml",
            """
            version: 1
            shutdown_timeout_ms: 500
            sources:
              - synthetic: { count: 2000 }
            stages:
              - resample: { id: fine, points: 65536 }
              - resample: { id: again, points: 65535 }
              - resample: { points: 16 }
            sinks:
              - stdout: { format: jsonl }
            """)
        let ending = try await Program.shell(
            "\"$0\" run slow.yaml | head -n 1; echo ${PIPESTATUS[0]}", [try Program.path()], folder: folder.path)
        let lines = ending.results.split(separator: "\n")
        #expect(lines.count == 2 && lines.last == "0")
        #expect(lines.first?.hasPrefix(#"{"v":1,"kind":"stroke""#) ?? false)
        #expect(ending.messages.contains("ledger: every frame is accounted for"))
        #expect(!ending.messages.contains("error"))
    }

    @Test("pipectl: the exit code is the same if the reader of the results has left")
    func verdicts() async throws {
        let folder = try TemporaryFolder()
        try folder.write("wrong.yaml", "version: 1\nsources: [synthetc]\nsinks: [stdout]\n")
        try folder.write("right.yaml", "version: 1\nsources: [synthetic: { count: 1 }]\nsinks: [stdout]\n")
        try folder.write(
            "failing.yaml",
            """
            version: 1
            sources: [stdin]
            sinks: [stdout]
            tests:
              - name: a stroke comes out twice
                legend: { a: { fields: xy, pts: [0, 0, 1, 1] } }
                in: { stdin: "a" }
                out: { stdout: "aa" }

            """)
        try folder.write("lossy.yaml", "version: 1\nsources: [stdin]\nsinks: [discard]\n")
        // The reader leaves before anything is written.
        let script = """
            exec 3> >(exit); wait $!
            for words in "validate wrong.yaml" "validate --format=json wrong.yaml" "validate right.yaml" "test failing.yaml" \
                "test --format=json failing.yaml" "run --format=json lossy.yaml"; do
                echo '{' | "$0" $words >&3 2>errors.txt; echo $?
            done
            """
        let ending = try await Program.shell(script, [try Program.path()], folder: folder.path)
        #expect(ending.results.split(separator: "\n") == ["2", "2", "0", "1", "1", "1"])
    }

    @Test("pipectl: names in a library cannot break lines or control the terminal")
    func names() async throws {
        let folder = try TemporaryFolder()
        let evil = "a\u{1B}]0;x\u{7}\n\u{9B}2J\u{202E}b"
        let name = String(decoding: try JSONSerialization.data(withJSONObject: [evil]), as: UTF8.self).dropFirst()
            .dropLast()
        let sample = "{\"fields\":\"xy\",\"pts\":[0,0,1,1,2,0],\"subject\":\(name)}"
        let library = folder.path + "/evil.json"
        try folder.write(
            "evil.json",
            "{\"version\":1,\"gestures\":[{\"name\":\(name),\"display_names\":{\"de\":\(name)},\"kind\":\"stroke\","
                + "\"samples\":[\(Array(repeating: sample, count: 3).joined(separator: ","))]}]}")
        for words in [
            ["list", library], ["list", library, "--format=json"], ["show", library], ["show", library, evil],
            ["show", library, "other"], ["show", library, evil, "--sample=9"], ["export", library],
            ["merge", library, library], ["add", library, evil, "none.jsonl"], ["remove", library, "c" + evil],
            ["remove", library, evil, "--sample=1"], ["remove", library, evil],
        ] {
            let answer = await pipectl(["gestures"] + words)
            let lines = (answer.results + answer.messages).split(separator: "\n").map(String.init)
            #expect(!lines.isEmpty)
            #expect(lines.allSatisfy { $0.shown == $0 }, "\(words): \(lines)")
        }
    }

    @Test("pipectl: the bash completion offers verbs, flags, choices and names")
    func completion() async throws {
        let script = """
            source <("$0" completion bash)
            offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _pipectl; echo "${COMPREPLY[*]}"; }
            offer pipectl comp
            offer pipectl stages --f
            offer pipectl stages --format ''
            offer pipectl stages --format = m
            offer pipectl completion ''
            offer pipectl replay --kind str
            offer pipectl info --kind = bit
            """
        let ending = try await Program.shell(script, [try Program.path()])
        #expect(ending.messages == "")
        #expect(ending.results == "completion\n--format\ntext json markdown\nmarkdown\nbash zsh fish\nstroke\nbitmap\n")
    }
}
