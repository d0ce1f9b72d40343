import Pipeline

// These are the default witnesses of `WirePayload` and `WireEncodable`. Payloads of this project get a version that is compiled for
// their type. Payloads of other modules use these generic versions.

extension WirePayload {
    public static var _sources: CompiledSources {
        var sources = CompiledSources()
        sources.add(FileSource.Maker.self) { $0.make(Self.self) }
        sources.add(StdinSource.Maker.self) { $0.make(Self.self) }
        sources.add(ZMQSource.Maker.self) { $0.make(Self.self) }
        sources.add(Simulation.Maker.self) { $0.make(Self.self) }
        sources.add(BoxMaker.self) { $0.make(Self.self) }
        return sources
    }
}

extension WireEncodable {
    public static var _sinks: CompiledSinks {
        var sinks = CompiledSinks()
        sinks.add(FileSink.Maker.self) { $0.make(Self.self) }
        sinks.add(StdoutSink.Maker.self) { $0.make(Self.self) }
        sinks.add(ZMQSink.Maker.self) { $0.make(Self.self) }
        sinks.add(RecordingBox.Maker.self) { $0.make(Self.self) }
        sinks.add(ResultRows.Maker.self) { $0.make(Self.self) }
        return sinks
    }
}
