import Pipeline

extension SenderSurvey {
    /// Returns the YAML of a pipeline that reads a file of JSON Lines, as its first messages suggest. Returns `nil` if no known format
    /// fits, or if the file cannot be read.
    ///
    /// - Parameter kinds: The kinds of frames to consider.
    package static func suggestion(forFile path: String, among kinds: [PayloadKind]) -> String? {
        guard let lines = try? LineReader(opening: path) else { return nil }
        var survey = SenderSurvey(among: kinds)
        while survey.messages < sampleSize, let line = try? lines.next() {
            guard case .bytes(let bytes) = line, !bytes.isEmpty else { continue }
            survey.take(ReceivedMessage(parts: [Array(bytes)], arrival: 0))
        }
        return survey.guess?.yaml(file: path)
    }
}
