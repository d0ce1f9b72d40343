import Pipeline

extension Explanation {
    /// The explanations of all codes of the components and commands of this project, by subject: first codes about
    /// configurations, then codes about runs.
    static let families: [Family] = [
        yaml, configuration, options, components, frameTypes, chains, liveMode, tests, running, files, messages,
        decoding, sockets, keys, peers, kafka, serving, recordings, workers, simulation, strokes, pictures, landmarks,
        measures,
        matching,
        libraries, evaluation, recognizers, swift, doctor,
    ]

    /// The same explanations in one list.
    static let all: [Explanation] = families.flatMap(\.explanations)
}

extension CommandLineTool {
    /// The explanations of all codes that the program can report, by subject: first those of this project, then those of the
    /// program's own components.
    var families: [Explanation.Family] { Explanation.families + explanations }

    /// Returns the explanation of a code; `nil` if the code is unknown.
    func explanation(of code: String) -> Explanation? {
        families.lazy.flatMap(\.explanations).first { $0.code == code }
    }

    /// Writes the command that shows an explanation, for the first of some codes that has one. Call this only if the codes were
    /// written to a terminal.
    func suggestExplanation(of codes: [String], _ console: Console) {
        guard let code = codes.first(where: { explanation(of: $0) != nil }) else { return }
        console.say("\(name) explain \(code) says more")
    }
}
