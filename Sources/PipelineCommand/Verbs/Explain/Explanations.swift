import Pipeline

extension Explanation {
    /// Every code of the product by subject: first those found in a configuration, then those that occur in a run.
    static let families: [Family] = [
        yaml, configuration, options, components, frameTypes, chains, liveMode, tests, running, files, messages,
        decoding, sockets, keys, peers, kafka, serving, recordings, workers, simulation, strokes, pictures, landmarks,
        measures,
        matching,
        libraries, evaluation, recognizers, swift, doctor,
    ]

    /// Every code of the product.
    static let all: [Explanation] = families.flatMap(\.explanations)
}

extension CommandLineTool {
    /// Every code that the program can report, by subject: those of the product, then those of its own components.
    var families: [Explanation.Family] { Explanation.families + explanations }

    /// Returns the explanation of a code; `nil` if the code is unknown.
    func explanation(of code: String) -> Explanation? {
        families.lazy.flatMap(\.explanations).first { $0.code == code }
    }
}
