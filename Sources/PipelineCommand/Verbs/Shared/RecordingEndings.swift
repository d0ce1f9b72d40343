/// The file name endings of recordings.
enum RecordingEndings {
    /// All endings, with their dots.
    static let all = [".mcap", ".jsonl", ".ndjson", ".csv", ".msgpack", ".gz", ".zst"]
}
