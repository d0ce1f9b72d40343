import Pipeline

/// The affine map that the options of `convert` describe, for landmarks of one space.
struct LandmarkTransform: Sendable {
    /// The error if landmarks of this space cannot be mapped; `nil` if they can.
    let missing: PipelineError?

    // The first row of the map, its second row, and the factor for z.
    private var x: (x: Double, y: Double, shift: Double) = (1, 0, 0)
    private var y: (x: Double, y: Double, shift: Double) = (0, 1, 0)
    private var z = 1.0

    /// Computes the map.
    ///
    /// - Parameters:
    ///   - options: The conversions.
    ///   - space: The space of the landmarks.
    ///   - y: The direction in which y grows; if `nil`, down.
    init(_ options: ConvertComponent.Options, from space: CoordinateSpace, y: VerticalDirection?) {
        missing = Self.missing(options, from: space)
        // The size of the image in the unit of the coordinates; 0 for spaces whose origin is not a corner of the image.
        var (width, height) =
            switch space {
            case .normalized: (1.0, 1.0)
            case .pixels: (options.width ?? 0, options.height ?? 0)
            case .world, .unitless: (0.0, 0.0)
            }
        var (pixelWidth, pixelHeight) = (options.width ?? 1, options.height ?? 1)
        let clockwise = (options.rotateDeg / 90 % 4 + 4) % 4
        for _ in 0..<(y == .up ? (4 - clockwise) % 4 : clockwise) {
            // Rotate by 90° from the x axis toward the y axis: if y grows downward, the top moves to the right.
            (x, self.y) = ((-self.y.x, -self.y.y, height - self.y.shift), x)
            (width, height) = (height, width)
            if space == .normalized { z *= pixelWidth / pixelHeight }
            (pixelWidth, pixelHeight) = (pixelHeight, pixelWidth)
        }
        if options.mirrorX { x = (-x.x, -x.y, width - x.shift) }
        if options.flipY { self.y = (-self.y.x, -self.y.y, height - self.y.shift) }
        switch (space, options.space) {
        case (.pixels, .normalized): scale(1 / pixelWidth, 1 / pixelHeight)
        case (.normalized, .pixels): scale(pixelWidth, pixelHeight)
        default: break
        }
    }

    private mutating func scale(_ horizontal: Double, _ vertical: Double) {
        x = (x.x * horizontal, x.y * horizontal, x.shift * horizontal)
        y = (y.x * vertical, y.y * vertical, y.shift * vertical)
        z *= horizontal
    }

    private static func missing(_ options: ConvertComponent.Options, from space: CoordinateSpace) -> PipelineError? {
        let target = options.space.flatMap { CoordinateSpace(rawValue: $0.rawValue) } ?? space
        let imageSpaces = [CoordinateSpace.normalized, .pixels]
        if target != space, target != .world, !imageSpaces.contains(space) {
            return .frame("convert.impossible", "it is unknown where in an image \(space.rawValue) coordinates are")
        }
        let moves = options.flipY || options.mirrorX || options.rotateDeg % 360 != 0
        let needsSize = imageSpaces.contains(target) && (target != space || (moves && space == .pixels))
        guard needsSize, options.width == nil else { return nil }
        let what =
            target != space
            ? "to convert from \(space.rawValue) to \(target.rawValue)" : "to rotate, mirror or flip pixels"
        return .frame(
            "convert.no_size", "the size of the image is needed \(what)", help: "add width: and height: in pixels")
    }

    /// Maps points in place.
    func apply(to points: inout [Landmarks.Point]) {
        points.withUnsafeMutableBufferPointer { points in
            for index in points.indices {
                let point = points[index]
                points[index] = Landmarks.Point(
                    x: x.x * point.x + x.y * point.y + x.shift, y: y.x * point.x + y.y * point.y + y.shift,
                    z: z * point.z)
            }
        }
    }
}
