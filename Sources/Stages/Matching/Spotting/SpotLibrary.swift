import CKernels
import Pipeline
import PipelineComponents

/// The samples of a library, prepared for `spot`: templates for the search and features for verification. It is immutable, and
/// all streams share it.
struct SpotLibrary: Sendable {
    /// The gestures to find, in the order of the library.
    let categories: [Recognition.Category]
    /// The index of the gesture whose samples are examples of None, which is found but not reported; `nil` if there is none.
    let none: Int?
    /// One template for each sample.
    let templates: [SpotTemplate]
    /// The features of all samples, concatenated.
    let features: AlignedFloats

    /// Prepares a library. Warnings are reported to the context; the first error is thrown.
    init(_ library: GestureLibrary, _ options: Spot.Options, step: Double, _ context: BuildContext) throws {
        var categories: [Recognition.Category] = []
        var templates: [SpotTemplate] = []
        var clouds: [[Float]] = []
        for (index, gesture) in options.categories.compared(in: library, noneClass: options.noneClass) {
            var isFound = false
            for sample in gesture.samples {
                guard let points = try Self.points(of: sample, gesture.name, options, context),
                    let template = SpotTemplate(points, category: categories.count)
                else { continue }
                templates.append(template)
                clouds.append(Self.features(of: points, step: step))
                isFound = true
            }
            guard isFound else {
                context.report(
                    .warning, "spot.no_samples",
                    "the gesture \"\(gesture.name)\" has no usable sample of one stroke and is never found",
                    option: "library")
                continue
            }
            categories.append(
                Recognition.Category(
                    name: gesture.name, displayName: gesture.displayName(locale: options.displayNames), index: index,
                    score: 0))
        }
        guard categories.contains(where: { $0.name != options.noneClass }) else {
            throw PipelineError(
                .configuration, "match.empty_library", "the library has no stroke to look for",
                help: "spot finds gestures of one stroke, for example of kind stroke or motion")
        }
        for list in [options.categories.allowlist, options.categories.denylist] {
            for label in list where library[label] == nil {
                context.report(
                    .warning, "match.unknown_label", "\"\(label)\" is not a gesture of the library", option: "library",
                    help: "its gestures: " + library.gestures.prefix(20).map(\.name).joined(separator: ", "))
            }
        }
        self.categories = categories
        none = categories.firstIndex { $0.name == options.noneClass }
        self.templates = templates
        features = AlignedFloats(count: clouds.count * GestureCloud.count)
        for (index, cloud) in clouds.enumerated() {
            (features.base + index * GestureCloud.count).update(from: cloud, count: cloud.count)
        }
    }

    /// Returns the points of a sample, smoothed in the same way as the movement, or `nil` if the sample has several strokes.
    private static func points(
        of sample: Stroke, _ name: String, _ options: Spot.Options, _ context: BuildContext
    ) throws -> [SpotPoint]? {
        do {
            try sample.check()
        } catch let error as PipelineError {
            throw PipelineError(
                .configuration, "match.sample_refused", "a sample of \"\(name)\" is refused: \(error.message)")
        }
        guard sample.counts.count <= 1 else {
            context.report(
                .warning, "spot.several_strokes",
                "a sample of \"\(name)\" is drawn in \(sample.counts.count) strokes, so it cannot occur in a movement without pen-up",
                option: "library")
            return nil
        }
        var smoother = PointSmoother(milliseconds: options.smoothingMs)
        var times = SampleTimes(maxGapMs: options.maxGapMs)
        let isTimed = sample.fields.contains(.time)
        return zip(sample.samples, times.of(sample.samples, from: isTimed ? .zero : nil, at: .zero)).map {
            smoother.smooth(SpotPoint(x: $0.x, y: $0.y, time: $1.rawValue))
        }
    }

    /// Returns the features of a sample, which is divided into steps in the same way as the movement.
    private static func features(of points: [SpotPoint], step: Double) -> [Float] {
        var path = [points[0]]
        for point in points where point.distance(to: path[path.count - 1]) >= step { path.append(point) }
        // If the unit of the sample differs from that of the movement, the sample may be shorter than a few steps.
        if path.count < 8 { path = points }
        var even = [Double](repeating: 0, count: Int(PK_CLOUD_EVEN))
        var features = [Float](repeating: 0, count: GestureCloud.count)
        pk_cloud_even(path.flatMap { [$0.x, $0.y] }, 2, [path.count], 1, &even)
        pk_cloud_features(even, 1, 0, &features)
        return features
    }
}
