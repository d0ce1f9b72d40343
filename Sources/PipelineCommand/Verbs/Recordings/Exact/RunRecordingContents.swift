import Connectors
import MCAP
import Pipeline

/// The contents of a recording that `run --record` wrote.
struct RunRecordingContents {
    /// A file stored in the recording.
    struct KeptFile {
        let name: String
        let bytes: [UInt8]
    }

    let path: String
    private(set) var files: [KeptFile] = []
    /// The key-value pairs of the manifest, in file order.
    private(set) var manifest: [(key: String, value: String)] = []
    /// The frames that the sinks received, in order of log time.
    private(set) var results: [FoundResult] = []
    /// The items that each task of the run took, in order, by the `id` of the task's first node.
    private(set) var tapes: [String: [TapeItem]] = [:]
    /// The log time of the first input, in nanoseconds; 0 if there was none.
    private(set) var origin: UInt64 = 0
    /// The number of messages of each role and node and their SHA-256 digest, computed from the messages in the recording. The key
    /// `input camera` has a value such as `120 9f86…`.
    private(set) var digests: [String: String] = [:]

    /// Reads a recording.
    ///
    /// - Throws: An environment error if the file cannot be read or is not the recording of a run.
    init(_ path: String) throws {
        self.path = path
        do throws(MCAPError) {
            let index = try IndexedReader(try FileInput(path: path))
            for attachment in index.attachmentIndexes {
                let kept = try index.attachment(attachment)
                files.append(KeptFile(name: kept.name, bytes: kept.data))
            }
            for metadata in index.metadataIndexes where metadata.name == RunRecording.manifest {
                manifest = try index.metadata(metadata).values.map { ($0.key, $0.value) }
            }
            var cursor = try index.messages()
            var sums: [String: (count: Int, digest: SHA256)] = [:]
            var first: UInt64?
            var packed: [String: [UInt8]] = [:]
            while let message = try cursor.next() {
                guard let channel = cursor.channels[message.channelID] else { continue }
                func value(_ key: String) -> String { channel.metadata.first { $0.key == key }?.value ?? "" }
                let (role, node) = (value("role"), value("node"))
                sums["\(role) \(node)", default: (0, SHA256())].count += 1
                sums["\(role) \(node)"]?.digest.add(message.data)
                sums["\(role) \(node)"]?.digest.add([0x0A])
                switch RunRecording.Role(rawValue: role) {
                case .input, .answer: first = min(first ?? .max, message.logTime)
                case .tape: packed[node, default: []] += message.data
                case .result:
                    let text = String(decoding: message.data, as: UTF8.self)
                    let kind = cursor.schemas[channel.schemaID]?.name.split(separator: ".").last.map(String.init) ?? ""
                    results.append(
                        FoundResult(
                            moment: .init(
                                recording: node, kind: kind, stream: channel.topic,
                                time: Int64(clamping: message.publishTime / 1000)), text: text, summary: ""))
                case .failure, .drop, nil: break
                }
            }
            origin = first ?? 0
            digests = sums.mapValues { "\($0.count) \($0.digest.hex)" }
            // A tape that cannot be decoded is left out. Its digest differs from the one in the manifest, which ``problems``
            // reports.
            tapes = packed.compactMapValues(TapeDecoder.items)
        } catch {
            throw error.reading(path)
        }
        guard !manifest.isEmpty else {
            throw PipelineError.environment(
                "box.unfinished", "\(path) is not a recording of a run, or its end was never written",
                help: "pipectl run CONFIG --record FILE makes one")
        }
    }

    /// The failures that ended the run, the root cause first; empty if nothing failed.
    var failures: [RecordedFailure] {
        manifest.filter { $0.key == RecordedFailure.key }.compactMap { RecordedFailure(manifest: $0.value) }
    }

    /// The differences between the recording and its manifest: the name of a file or of a role and node, the value found in the
    /// recording, and the value in the manifest.
    var problems: [(name: String, found: String, declared: String)] {
        let kept = Dictionary(files.map { ("file \($0.name)", SHA256.hex($0.bytes)) }, uniquingKeysWith: { $1 })
        let found = kept.merging(digests) { $1 }
        let prefixes = ["file "] + RunRecording.Role.allCases.map { "\($0.rawValue) " }
        let declared = Dictionary(manifest.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
            .filter { entry in prefixes.contains { entry.key.hasPrefix($0) } }
        return Set(found.keys).union(declared.keys).sorted().compactMap { name in
            found[name] == declared[name] ? nil : (name, found[name] ?? "missing", declared[name] ?? "nothing")
        }
    }
}
