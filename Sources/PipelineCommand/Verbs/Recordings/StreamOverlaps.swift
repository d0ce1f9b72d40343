import Pipeline
import Synchronization

/// Finds the streams that several inputs of `convert` have at the same times.
final class StreamOverlaps: Sendable {
    private struct Place: Hashable {
        let stream: String
        let input: Int
    }

    private let times = Lock<[Place: ClosedRange<Int64>]>([:])

    /// Records that an input has a frame of a stream at a time. All times are in one unit.
    func note(_ stream: String, at time: Int64, in input: Int) {
        times.withLock { times in
            let place = Place(stream: stream, input: input)
            let known = times[place] ?? time...time
            times[place] = min(known.lowerBound, time)...max(known.upperBound, time)
        }
    }

    /// The streams whose times in one input overlap those in another, in the order of their names.
    var streams: [String] {
        let byStream = Dictionary(grouping: times.withLock { $0 }, by: \.key.stream)
        return byStream.filter { _, found in
            let ranges = found.map(\.value).sorted { $0.lowerBound < $1.lowerBound }
            return zip(ranges, ranges.dropFirst()).contains { $0.upperBound >= $1.lowerBound }
        }.keys.sorted()
    }

    /// Returns a stage that records the frames of one input, and passes them on unchanged.
    func stage(for type: PortType, input: Int) -> any Stage {
        func open<P: Payload>(_ payload: P.Type) -> any Stage { NotingStage<P>(overlaps: self, input: input) }
        return open(type.payload)
    }
}

private struct NotingStage<Passing: Payload>: Stage {
    let overlaps: StreamOverlaps
    let input: Int

    mutating func process(
        _ payload: borrowing Passing, _ header: borrowing Header, into emitter: borrowing Emitter<Passing>
    ) {
        overlaps.note(header.stream.name, at: header.timestamp.rawValue, in: input)
        emitter.emit(payload)
    }
}
