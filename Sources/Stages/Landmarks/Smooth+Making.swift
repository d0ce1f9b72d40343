import Pipeline
import PipelineComponents

extension Smooth: StageComponent {
    public static let manifest = Manifest(
        name: "smooth",
        summary: "Removes jitter from landmarks, points or vectors",
        details: """
            `one_euro` is the 1€ filter (Casiez, Roussel, Vogel, CHI 2012), with the speed computed from the previous filtered \
            value as in the authors' code; `velocity` is MediaPipe's RelativeVelocityFilter; `median` removes single outliers. \
            Every coordinate is smoothed independently, world coordinates in meters included.

            Smoothing starts over after a pause of more than `max_gap_ms`, when the number of values or the topology changes, and \
            with every stroke. Lost frames alone do not restart it: the filters account for the elapsed time. A frame with the \
            same timestamp as the one before it passes unchanged. For `points`, x and y of every sample are smoothed, using the \
            sample's own time. Samples of a frame without times, or with equal times, are spread evenly over the time since the \
            sample before, if that is not more than `max_gap_ms`. For `hands`, put the stage into `each`; `track` establishes \
            which hand is which.
            """,
        example: """
            version: 1
            name: smooth-example
            sources:
              - stdin: { kind: landmarks }
            stages:
              - smooth: { method: one_euro, min_cutoff_hz: 1.2, beta: 0.3 }
            sinks:
              - stdout
            """)

    public static let makes = Production.same

    public static func accepts(_ options: Options) -> Acceptance {
        .one(of: [PortType(Landmarks.self), PortType(Points.self), PortType(FeatureVector.self)])
    }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        if input.payload is Landmarks.Type { return Smooth(options) }
        if options.scaleBy == .box {
            context.report(
                .error, "smooth.no_box", "\(input.kind) has no box to scale by", option: "scale_by",
                help: "leave scale_by out, or write scale_by: none")
        }
        return input.payload is Points.Type ? SmoothPoints(options) : SmoothVectors(options)
    }
}
