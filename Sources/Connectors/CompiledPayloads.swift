import Pipeline

// The default implementations of `WirePayload._sources` and `WireEncodable._sinks`. The compiler specializes them for each payload
// of this project. Payloads of other modules use the generic code.

extension WirePayload {
    public static var _sources: CompiledSources {
        var sources = CompiledSources()
        sources.add(FileSource.Maker.self) { $0.make(Self.self) }
        sources.add(StdinSource.Maker.self) { $0.make(Self.self) }
        sources.add(ZMQSource.Maker.self) { $0.make(Self.self) }
        sources.add(KafkaSource.Maker.self) { $0.make(Self.self) }
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
        sinks.add(KafkaSink.Maker.self) { $0.make(Self.self) }
        sinks.add(RunRecording.Maker.self) { $0.make(Self.self) }
        sinks.add(ResultRows.Maker.self) { $0.make(Self.self) }
        return sinks
    }
}
