import Pipeline
import PipelineComponents

/// The sources that emit the frames of a test, and the sinks that capture frames.
extension TestParser {
    /// Returns the source that replaces `source` in the test and emits `arrivals`. Reports arrivals that cannot be read.
    func replacement<S: Source>(_ source: S, _ arrivals: TestArrivals) -> any Source {
        var events: [TimelineSource<S.Output>.Event] = []
        // All occurrences of a letter have the same fields, so an error in them is reported only once.
        var wrong: Set<SourcePosition> = []
        // The times of the frames that arrive at a moment, by stream.
        var (moment, times): (Int64, [StreamID: Timestamp]) = (0, [:])
        do {
            let reader = try registry.notation(of: S.Output.self)?.makeReader?()
            for item in arrivals.items {
                if let code = item.failure {
                    let error = PipelineError.frame(code, "the test says that this input cannot be read")
                    events.append(.init(at: item.moment, item: .failure(error)))
                    continue
                }
                guard let reader else {
                    findings.error(
                        "test.no_notation", "frames of kind \(S.Output.kind) cannot be written in tests",
                        at: item.span, path: item.path)
                    break
                }
                do {
                    let read = try reader(item.fields.json, .microseconds(item.moment))
                    if let frame = read.frame {
                        if item.moment != moment { (moment, times) = (item.moment, [:]) }
                        let isTwice = times.updateValue(frame.timestamp, forKey: frame.stream) == frame.timestamp
                        if isTwice, arrivals.isTimeline { reportTwice(frame.stream, item) }
                        events.append(.init(at: item.moment, frame))
                    }
                    if let stream = read.endedStream { events.append(.init(at: item.moment, item: .end(stream))) }
                } catch {
                    guard wrong.insert(item.fields.span.start).inserted else { continue }
                    let error = PipelineError(wrapping: error)
                    findings.error(error.code, error.message, at: item.span, path: item.path, help: error.help)
                }
            }
        } catch {
            let error = PipelineError(wrapping: error)
            findings.error(error.code, error.message, at: nil, help: error.help)
        }
        return TimelineSource(events, end: arrivals.end, output: source.output, timing: source.timing)
    }

    /// Reports the second frame of a stream in a group of a timeline.
    private func reportTwice(_ stream: StreamID, _ item: TestArrivals.Item) {
        findings.error(
            "test.timeline", "a second frame of the stream \"\(stream)\" at the same time", at: item.span,
            path: item.path,
            help: "the frames of a group must be of different streams, because timestamps of one stream increase")
    }

    /// Returns a function that creates a capturing sink for frames of a type; `nil` with a finding if they cannot be written.
    func listener(
        _ type: PortType, _ entry: ConfigNode.Entry, _ context: DecodingContext
    ) -> (@Sendable (TestCapture, Bool) -> any Sink)? {
        func make<P: Payload>(_ payload: P.Type) -> (@Sendable (TestCapture, Bool) -> any Sink)? {
            guard let write = registry.notation(of: P.self)?.write else { return nil }
            return { capture, mayBlock in TestListener<P>(capture, write: write, mayBlock: mayBlock) }
        }
        if let made = make(type.payload) { return made }
        findings.error(
            "test.no_notation", "frames of kind \(type.kind) cannot be written in tests", at: entry.keySpan,
            path: context.path)
        return nil
    }
}
