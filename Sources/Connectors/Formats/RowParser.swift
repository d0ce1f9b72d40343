import Pipeline
import Stages

/// What the rows of a table are read by.
public struct TableSettings {
    let decode: DecodeOptions
    let landmarks: LandmarkTraits
    /// The stream of rows that name none.
    let defaultStream: StreamID
    let origins: FileOrigins
    /// Where what has no time is put.
    let timeline: GestureTimeline.Shared

    /// The landmarks that a row holds.
    var landmarkTopology: Topology { landmarks.topology?.topology ?? .hand21 }
}

/// Makes frames of the rows of a table. One is made for every file.
// Belongs to one source, which calls it from one thread at a time.
public class RowParser<P: Payload>: @unchecked Sendable {
    /// Whether nothing of the table can be read: one error, not one a row.
    final var isBroken = false

    /// Takes the current row; adds the frames that are complete.
    func take(_ rows: TableRows, into frames: inout [Frame<P>]) throws(PipelineError) {}

    /// Adds what is left at the end of the file.
    func finish(into frames: inout [Frame<P>]) {}
}
