extension Explanation {
    /// Codes about strokes and vectors.
    static let strokes = Family(
        "Strokes and vectors",
        [
            Explanation(
                "points.not_finite", [.frame],
                "A sample of an unfinished stroke is not finite or too large.",
                cause: """
                    A number is infinite, not a number, or beyond 1e150, where arithmetic would overflow. The sender \
                    divided by zero, or a unit is wrong.
                    """,
                output: """
                    error[points.not_finite]: segment: stream pen, frame 12 at 0.4 s: a sample of the stroke is \
                    not finite or too large
                    """,
                remedy: "Fix the sender. `on_error: skip` leaves such strokes out."),
            Explanation(
                "stroke.empty", [.frame],
                "A stroke has no samples.",
                cause: "The sender sends strokes without points, or a stage above has removed all of them.",
                output: "error[stroke.empty]: resample: stream pen, frame 3 at 1.2 s: the stroke has no samples",
                remedy: "Leave empty strokes out at the sender, or write `on_error: skip`."),
            Explanation(
                "stroke.not_finite", [.frame],
                "A sample of a stroke is not finite or too large.",
                cause: "A number is infinite, not a number, or beyond 1e150, where arithmetic would overflow.",
                output: """
                    error[stroke.not_finite]: resample: stream pen, frame 3 at 1.2 s: sample 7 is not finite or \
                    too large: x inf, y 3.0, t 0.0, p 0.0
                    """,
                remedy: "The message names the sample. Fix the sender, or write `on_error: skip`."),
            Explanation(
                "stroke.counts", [.frame],
                "The parts of a stroke do not add up.",
                cause: """
                    A gesture of several strokes contains the number of samples of each stroke, but one of them is 0, or \
                    their sum is not the number of its samples.
                    """,
                output: """
                    error[stroke.counts]: resample: stream pen, frame 3 at 1.2 s: the counts of the strokes \
                    must be above 0 and add up to 20, the number of samples
                    """,
                remedy: "If one of your own stages created the stroke, keep counts and samples consistent."),
            Explanation(
                "resample.too_many", [.frame],
                "Resampling a stroke would create too many points.",
                cause: """
                    With `mode: spacing`, the number of points is the length of the stroke divided by `spacing`, which is too \
                    small for the unit of the coordinates. With `mode: per_stroke`, each stroke of the gesture gets `points` \
                    points, and the gesture has too many strokes.
                    """,
                output: """
                    error[resample.too_many]: resample: a point every 1e-06 units would be more than 1048576 \
                    points
                    """,
                remedy: "Choose a larger `spacing`, or fewer `points`."),
            Explanation(
                "vectorize.layout", [.configuration],
                "A layout of vectors does not fit the input of the stage.",
                cause: """
                    `distances` are taken between landmarks, `directions` between the points of a stroke. A very large \
                    number of landmarks would have too many distances.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [vectorize: { layout: distances }]
                    sinks: [discard]
                    """,
                remedy: """
                    Use the layout that the help names. A `select` stage before it reduces the number of landmarks.
                    """),
            Explanation(
                "vectorize.no_extent", [.frame],
                "A stroke or a hand has no extent, so its vector has no direction.",
                cause: """
                    All numbers of the vector would be zero. After `normalize`, and with the layouts `distances` and \
                    `directions`, this happens if all points are at the same position: a tap, or a hand that was not found.
                    """,
                output: """
                    error[vectorize.no_extent]: vectorize: stream pen, frame 3 at 1.2 s: the stroke has no \
                    extent, so its vector has no direction
                    """,
                remedy: """
                    Remove strokes without extent earlier (`segment` has `min_points`, for example), or write \
                    `on_error: skip`.
                    """),
            Explanation(
                "vector.not_finite", [.frame],
                "A number of a vector is not finite or too large.",
                cause: "The sender sends infinity or NaN, or a measure was divided by zero.",
                output: """
                    error[vector.not_finite]: smooth: stream hand, frame 8 at 0.3 s: a number of the vector is \
                    not finite or too large
                    """,
                remedy: "Fix the origin of the vector, or write `on_error: skip`."),
            Explanation(
                "smooth.no_box", [.configuration],
                "Smoothing cannot scale by the size of data that has no bounding box.",
                cause: """
                    `scale_by: box` uses the bounding box of landmarks. Points of unfinished strokes, and vectors, \
                    have none.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic: { kind: points }]
                    stages: [smooth: { scale_by: box }, segment]
                    sinks: [discard]
                    """,
                remedy: "Leave `scale_by` out, or write `scale_by: none`."),
        ])
}
