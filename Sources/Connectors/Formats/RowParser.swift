import Pipeline
import Stages

/// The settings for reading the rows of a table.
public struct TableSettings {
    let decode: DecodeOptions
    let landmarks: LandmarkTraits
    /// The stream of rows that do not name one.
    let defaultStream: StreamID
    let origins: FileOrigins
    /// The timeline that places rows without a time.
    let timeline: GestureTimeline.Shared

    /// The topology of the landmarks in a row.
    var landmarkTopology: Topology { landmarks.topology?.topology ?? .hand21 }

    /// Returns the stream of a row that could not be read. Its name is empty if the cell is missing or unreadable.
    ///
    /// - Parameter column: The column of the stream, from 0; −1 if there is none.
    func stream(of rows: TableRows, _ column: Int) -> StreamID {
        column < 0 ? defaultStream : StreamID((try? rows.text(column)) ?? "")
    }
}

/// Creates frames from the rows of a table. There is one parser for each file.
// Belongs to one source, which calls it from one thread at a time.
public class RowParser<P: Payload>: @unchecked Sendable {
    /// Whether no row of the table can be read. This is reported as one error, not one for every row.
    final var isBroken = false

    /// Reads the current row and appends the frames that are complete.
    func take(_ rows: TableRows, into frames: inout [Frame<P>]) throws(PipelineError) {}

    /// Notes that the current row could not be read, and appends the frames that end before it.
    ///
    /// - Returns: The stream of the frame that is lost, or `nil` if that frame is already lost because of an earlier row.
    func skip(_ rows: TableRows, into frames: inout [Frame<P>]) -> StreamID? { "" }

    /// Appends the remaining frames at the end of the file.
    func finish(into frames: inout [Frame<P>]) {}
}
