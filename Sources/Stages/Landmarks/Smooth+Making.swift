import Pipeline
import PipelineComponents

extension Smooth: StageComponent {
    public static let manifest = Manifest(
        name: "smooth",
        summary: "Takes the jitter out of landmarks, points or vectors",
        details: """
            `one_euro` is the 1€ filter (Casiez, Roussel, Vogel, CHI 2012), with the speed taken from the previous filtered \
            value as in the authors' code; `velocity` is MediaPipe's RelativeVelocityFilter; `median` takes out single \
            outliers. Every coordinate is smoothed by itself, places in the world as well, those in meters.

            Smoothing begins anew after a pause of more than `max_gap_ms`, when the number of values or the topology changes, and \
            with every stroke. Frames lost in between are not such a pause: the filters reckon with the time that passed. A frame at \
            the time of the one before it passes as it is. Of `points`, x and y of every sample are smoothed, with its own time. \
            For `hands`, put it into `each`: which hand is which is for `track` to say.
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
