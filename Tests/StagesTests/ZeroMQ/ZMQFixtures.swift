import Connectors
import Pipeline
import PipelineComponents
import PipelineTesting
import Stages
import Testing

/// Returns strokes of one stream, 1 ms apart, whose first sample is their number.
func zmqStrokes(_ count: Int, stream: StreamID, from first: Int = 0) -> [Frame<Stroke>] {
    (first..<(first + count)).map { index in
        let samples = (0..<5).map { Sample(x: Double(index), y: Double($0)) }
        return Frame(
            Stroke(samples: samples), at: .microseconds(Int64(index) * 1000), stream: stream, sequence: Int64(index))
    }
}

/// Returns an endpoint to which a receiver can bind. Every call gives another address: for `tcp`, the system chooses the port
/// when the receiver binds. The file of an `ipc` endpoint is in the folder.
func zmqEndpoint(_ transport: ZMQEndpoint.Transport, _ folder: TemporaryFolder) throws -> ZMQEndpoint {
    let number = UInt32.random(in: 0 ... .max)
    return switch transport {
    case .tcp: try ZMQEndpoint("tcp://127.0.0.1:*")
    case .ipc: try ZMQEndpoint("ipc://\(folder.path)/\(number).sock")
    case .inproc: try ZMQEndpoint("inproc://test-\(number)")
    }
}

/// Returns a pull source named `camera`. `change` sets further options.
func zmqSource(_ change: (inout ZMQSource.Options) throws -> Void) throws -> any Source {
    var options = ZMQSource.Options()
    options.socket = .pull
    try change(&options)
    return try ZMQSource.make(options, BuildContext(id: "camera"))
}

/// Returns a push sink for strokes, named `out`. `change` sets further options.
func zmqSink(_ change: (inout ZMQSink.Options) throws -> Void) throws -> any Sink {
    var options = ZMQSink.Options()
    options.socket = .push
    try change(&options)
    return try ZMQSink.make(options, for: PortType(Stroke.self), BuildContext(id: "out"))
}

/// Returns a run that sends strokes.
func zmqSending(
    _ items: [FramesSource<Stroke>.Item], to sink: any Sink, shutdownTimeoutMs: Int = 5000,
    options: Run.Options = Run.Options()
) -> Run {
    var plan = Plan.building()
    plan.shutdownTimeoutMs = shutdownTimeoutMs
    plan.add("in", source: FramesSource<Stroke>(items: items))
    plan.add("out", sink: sink)
    return Run(plan, options: options)
}

/// Returns a run that receives strokes.
func zmqReceiving(
    _ source: any Source, into collector: Collector<Stroke>, onError: ErrorPolicy = .fail,
    options: Run.Options = Run.Options()
) -> Run {
    var plan = Plan.building()
    plan.add("camera", source: source, onError: onError)
    plan.add("keep", sink: collector.sink())
    return Run(plan, options: options)
}
