import Pipeline

extension Explanation {
    /// Every code, by what it is about: first what is found in a configuration, then what happens in a run.
    static let families: [Family] = [
        yaml, configuration, options, components, frameTypes, chains, liveMode, tests, running, files, messages,
        decoding, sockets, keys, peers, serving, recordings, simulation, strokes, pictures, landmarks, measures,
        matching,
        libraries, evaluation, recognizers, swift, doctor,
    ]

    /// Every code.
    static let all: [Explanation] = families.flatMap(\.explanations)

    /// What a code means.
    static func of(_ code: String) -> Explanation? { all.first { $0.code == code } }
}
