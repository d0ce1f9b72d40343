import MCAP
import Pipeline

/// The kinds of frames in the channels of an MCAP file, as declared by their schemas.
package enum RecordingKinds {
    /// Returns the kinds that the file declares, in the order of `kinds`. In the recording of a run, the frames of asynchronous
    /// stages do not count, because no source reads them.
    ///
    /// - Throws: An environment error if the file cannot be read. A configuration error if it is a pipe.
    package static func read(_ path: String, among kinds: [PayloadKind] = PayloadKind.standard) throws -> [PayloadKind]
    {
        try MCAPFile.refusePipe(path)
        let input = FileInput(descriptor: try SystemCalls.openToRead(path))
        var names: Set<String> = []
        func note(_ channels: [UInt16: Channel], _ schemas: [UInt16: Schema]) {
            let read = channels.values.filter { RunRecording.role(of: $0)?.role != .answer }
            names.formUnion(read.compactMap { schemas[$0.schemaID].flatMap(FrameSchema.kind(of:)) })
        }
        do throws(MCAPError) {
            if let index = try? IndexedReader(input) {
                note(index.channels, index.schemas)
            } else {
                var reader = RecoveringReader(input)
                // A recorder usually adds its channels at the beginning, so only the first records are read.
                for _ in 0..<100_000 { if try reader.next() == nil { break } }
                note(reader.channels, reader.schemas)
            }
        } catch {
            throw SystemError(number: error.systemError ?? 0).reading(path)
        }
        return kinds.filter { names.contains($0.name) }
    }
}
