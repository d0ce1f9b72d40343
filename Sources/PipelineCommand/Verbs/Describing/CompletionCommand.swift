extension Command {
    /// `pipectl completion SHELL`.
    static let completion: Command = Command(
        "completion", "write a completion script for a shell",
        arguments: [
            Argument(
                "SHELL", "bash, zsh or fish",
                completion: .names { _ in CompletionScript.Shell.allCases.map(\.rawValue) })
        ],
        examples: [
            Example("source <(pipectl completion bash)", "Completes verbs, flags and names in this shell"),
            Example(
                "pipectl completion zsh > ~/.zfunc/_pipectl",
                "Does the same in every zsh whose fpath contains that folder"),
            Example("pipectl completion fish > ~/.config/fish/completions/pipectl.fish", "Does the same in every fish"),
        ]
    ) { invocation, console in
        let name = invocation.word(0) ?? ""
        guard let shell = CompletionScript.Shell(rawValue: name) else {
            throw UsageError("no completion for \"\(name)\"", help: "shells: bash, zsh, fish")
        }
        try console.writeResult(CompletionScript.text(for: shell, invocation.tool))
        return .done
    }
}
