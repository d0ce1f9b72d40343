import Pipeline

// A payload of the project takes these as its witnesses, compiled for its type. One of another module takes them as they are: generic.

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
        return sinks
    }
}
