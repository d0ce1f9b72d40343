/// Words of commands that messages show.
enum ShellWord {
    /// Returns a text as one word of a shell command: in single quotes if the shell would change it or take it apart.
    static func quoted(_ text: String) -> String {
        let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "._-+/:@%,".contains($0) }
        return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
