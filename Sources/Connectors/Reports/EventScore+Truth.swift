import Pipeline
import Stages

extension EventScore.Event {
    /// Reads the true gestures from a CSV file.
    ///
    /// The columns are `label`, `start_us` and `end_us`. Two columns are optional: `stream`, and `counts`, which is `no` for a
    /// gesture that need not be found. Other columns are ignored.
    ///
    /// - Throws: A frame error if a required column is missing. A frame error with the line if a time is not a number, or if
    ///   `counts` is neither yes nor no.
    public static func truth(csv bytes: [UInt8]) throws(PipelineError) -> [EventScore.Event] {
        try bytes.withUnsafeBufferPointer { text throws(PipelineError) in try read(UnsafeRawBufferPointer(text)) }
    }

    private static func read(_ text: UnsafeRawBufferPointer) throws(PipelineError) -> [EventScore.Event] {
        var row = RowCells(delimiter: UInt8(ascii: ","))
        func cell(_ index: Int?) -> String { index.map { String(decoding: row[$0], as: UTF8.self) } ?? "" }
        let hasMark = text.starts(with: [0xEF, 0xBB, 0xBF])
        var place = try row.takeRow(of: text, at: hasMark ? 3 : 0)
        let header = (0..<row.count).map { cell($0) }
        func column(_ name: String) throws(PipelineError) -> Int {
            guard let index = header.firstIndex(of: name) else {
                throw PipelineError.frame(
                    "truth.column",
                    "there is no column \"\(name)\""
                        + (header.isEmpty ? ": the table is empty" : " among \(shortList(header))"),
                    help:
                        "the table of true gestures needs the columns label, start_us, end_us, and stream if there are several streams"
                )
            }
            return index
        }
        let (label, start, end) = (try column("label"), try column("start_us"), try column("end_us"))
        let (stream, counts) = (header.firstIndex(of: "stream"), header.firstIndex(of: "counts"))
        var events: [EventScore.Event] = []
        // The number of the line on which the row begins, and the position of that line.
        var (line, begin) = (1, 0)
        while place < text.count {
            line += text[begin..<place].count { $0 == 0x0A }
            begin = place
            place = try row.takeRow(of: text, at: place)
            if row.count == 0 || row.count == 1 && row[0].isEmpty { continue }
            let began = Int64(cell(start)).map(Timestamp.init(rawValue:))
            let ended = Int64(cell(end)).map(Timestamp.init(rawValue:))
            guard let began, let ended, began.isValid, ended.isValid, began <= ended else {
                throw PipelineError.frame(
                    "truth.time", "a gesture from \"\(cell(start))\" to \"\(cell(end))\"", location: "line \(line)",
                    help: "times are whole microseconds from 0 to 2^53 − 1, the end not before the start")
            }
            guard ["", "yes", "no"].contains(cell(counts)) else {
                throw PipelineError.frame(
                    "truth.counts", "\"\(cell(counts))\" in the column \"counts\"", location: "line \(line)",
                    help:
                        "write no for a gesture that need not be found, for example a mistake of the user, and yes for the others"
                )
            }
            events.append(
                EventScore.Event(
                    label: cell(label), stream: cell(stream), start: began, end: ended, counts: cell(counts) != "no"))
        }
        return events
    }
}
