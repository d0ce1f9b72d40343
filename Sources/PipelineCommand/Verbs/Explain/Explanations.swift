import Pipeline

extension Explanation {
    /// The explanations of every code of the product, by subject: first codes about configurations, then codes about runs.
    static let families: [Family] = [
        yaml, configuration, options, components, frameTypes, chains, liveMode, tests, running, files, messages,
        decoding, sockets, keys, peers, kafka, serving, recordings, workers, simulation, strokes, pictures, landmarks,
        measures,
        matching,
        libraries, evaluation, recognizers, swift, doctor,
    ]

    /// The explanations of every code of the product.
    static let all: [Explanation] = families.flatMap(\.explanations)
}

extension CommandLineTool {
    /// The explanations of every code that the program can report, by subject: first the product's, then those of the program's own
    /// components.
    var families: [Explanation.Family] { Explanation.families + explanations }

    /// Returns the explanation of a code; `nil` if the code is unknown.
    func explanation(of code: String) -> Explanation? {
        families.lazy.flatMap(\.explanations).first { $0.code == code }
    }
}
