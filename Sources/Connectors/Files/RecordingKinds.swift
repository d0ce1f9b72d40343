import MCAP
import Pipeline

/// Which kinds of frames the channels of an MCAP file hold, as far as their schemas say it.
package enum RecordingKinds {
    /// The kinds, in the order of those that it may hold.
    ///
    /// - Throws: An environment error when the file cannot be read.
    package static func read(_ path: String, among kinds: [PayloadKind] = PayloadKind.standard) throws -> [PayloadKind]
    {
        let input = FileInput(descriptor: try SystemCalls.openToRead(path))
        var names: Set<String> = []
        func note(_ channels: [UInt16: Channel], _ schemas: [UInt16: Schema]) {
            names.formUnion(channels.values.compactMap { schemas[$0.schemaID].flatMap(FrameSchema.kind(of:)) })
        }
        do throws(MCAPError) {
            if let index = try? IndexedReader(input) {
                note(index.channels, index.schemas)
            } else {
                var reader = RecoveringReader(input)
                // A recorder opens its channels early on.
                for _ in 0..<100_000 { if try reader.next() == nil { break } }
                note(reader.channels, reader.schemas)
            }
        } catch {
            throw SystemError(number: error.systemError ?? 0).reading(path)
        }
        return kinds.filter { names.contains($0.name) }
    }
}
