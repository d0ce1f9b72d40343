/// A parsed command line: the verb, its arguments and its flags.
struct Invocation: Sendable {
    /// The program that was called.
    let tool: CommandLineTool
    /// The verbs from the program down to the one called.
    let path: [Command]
    /// The values of every flag that was given, by the flag's name, in the order given.
    private(set) var values: [String: [String]] = [:]
    /// The words that are not flags, in the order given.
    private(set) var words: [String] = []

    init(_ tool: CommandLineTool, path: [Command]) {
        self.tool = tool
        self.path = path
    }

    /// The verb that was called.
    var command: Command { path[path.count - 1] }

    /// The name with all verbs: `pipectl gestures add`.
    var fullName: String { path.map(\.name).joined(separator: " ") }

    /// The value of a flag, the last one if it was given several times; `nil` if it was not given.
    subscript<Value>(flag: Flag<Value>) -> Value? {
        values[flag.description.name]?.last.flatMap(flag.read)
    }

    /// Whether a flag was given.
    subscript(flag: Flag<Bool>) -> Bool { values[flag.description.name] != nil }

    /// Returns all values of a flag that may be repeated.
    func all<Value>(_ flag: Flag<Value>) -> [Value] {
        (values[flag.description.name] ?? []).compactMap(flag.read)
    }

    /// Returns the word at an index among the arguments; `nil` if there are fewer.
    func word(_ index: Int) -> String? { index < words.count ? words[index] : nil }

    mutating func add(_ value: String, to flag: FlagDescription) { values[flag.name, default: []].append(value) }

    mutating func add(word: String) { words.append(word) }
}
