import Pipeline

extension Explanation {
    /// Every code by subject: first those found in a configuration, then those that occur in a run.
    static let families: [Family] = [
        yaml, configuration, options, components, frameTypes, chains, liveMode, tests, running, files, messages,
        decoding, sockets, keys, peers, serving, recordings, simulation, strokes, pictures, landmarks, measures,
        matching,
        libraries, evaluation, recognizers, swift, doctor,
    ]

    /// Every code.
    static let all: [Explanation] = families.flatMap(\.explanations)

    /// Returns the explanation of a code; `nil` if the code is unknown.
    static func of(_ code: String) -> Explanation? { all.first { $0.code == code } }
}
