import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages

extension Registry {
    /// Every component that ships with the project.
    public static let standard: Registry = {
        var registry = Registry()
        // Payloads
        registry.add(payload: Points.self)
        registry.add(payload: Stroke.self)
        registry.add(payload: Landmarks.self)
        registry.add(payload: Hands.self)
        registry.add(payload: HandResults.self)
        registry.add(payload: FeatureVector.self)
        registry.add(payload: Bitmap.self)
        registry.add(payload: Recognition.self)
        registry.add(payload: Ink.self)
        registry.add(FrameNotation<FailedFrame>.writeOnly)
        // Sources
        registry.add(FileSource.self)
        registry.add(StdinSource.self)
        registry.add(SyntheticSource.self)
        registry.add(ZMQSource.self)
        registry.add(KafkaSource.self)
        // Stages
        registry.add(Resample.self)
        registry.add(Normalize.self)
        registry.add(Vectorize.self)
        registry.add(Match.self)
        registry.add(Spot.self)
        registry.add(Rasterize.self)
        registry.add(MatchBitmap.self)
        registry.add(Segment.self)
        registry.add(Bezier.self)
        registry.add(StrokeWidth.self)
        registry.add(Tessellate.self)
        registry.add(ConvertComponent.self)
        registry.add(Select.self)
        registry.add(Gate.self)
        registry.add(Track.self)
        registry.add(Each.self)
        registry.add(Debounce.self)
        registry.add(Smooth.self)
        registry.add(ResampleTime.self)
        registry.add(Measure.self)
        registry.add(Trigger.self)
        registry.add(ThumbSwipe.self)
        registry.add(NormalizeHand.self)
        registry.add(RecognizeHand.self)
        registry.add(FilterComponent.self)
        registry.add(ThrottleComponent.self)
        registry.add(SampleFramesComponent.self)
        registry.add(TapComponent.self)
        registry.add(MapStreamComponent.self)
        registry.add(Combine.self)
        registry.add(ZMQRequest.self)
        // Sinks
        registry.add(StdoutSink.self)
        registry.add(FileSink.self)
        registry.add(SVGSink.self)
        registry.add(PNGSink.self)
        registry.add(Discard.self)
        registry.add(ZMQSink.self)
        registry.add(KafkaSink.self)
        // Readers of the values that components are created from
        registry.add(reader: GestureLibrary.init(readingFrom:))
        return registry
    }()

    /// The standard components for a plan that is evaluated: placeholders that recognize nothing replace the matchers.
    public static let evaluated: Registry = {
        var registry = standard
        registry.addEvaluatedMatchers()
        return registry
    }()
}

extension PayloadKind {
    /// The payloads that ship with the project.
    public static var standard: [PayloadKind] { Registry.standard.kinds }
}

extension Plan {
    /// Reads and checks a configuration that uses the components that ship with the project.
    ///
    /// - Throws: All findings, when at least one of them is an error.
    public init(file path: String, overrides: [String] = []) throws(ConfigurationError) {
        try self.init(file: path, registry: .standard, overrides: overrides)
    }

    /// Reads and checks a configuration, given as text, that uses the components that ship with the project.
    ///
    /// - Throws: All findings, when at least one of them is an error.
    public init(text: String, overrides: [String] = []) throws(ConfigurationError) {
        try self.init(text: text, registry: .standard, overrides: overrides)
    }
}
