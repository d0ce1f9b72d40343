import CCairo
import Pipeline

extension Picture {
    /// The maximum number of pixels of a picture. A larger one is written with fewer pixels per unit.
    private static let mostPixels = 64e6

    /// The longest side that Cairo can draw, in pixels.
    private static let longestSide = 32_000.0

    /// Returns the picture as a PNG file, drawn by Cairo.
    ///
    /// - Parameters:
    ///   - scale: The number of pixels per unit: 2 for high-resolution screens.
    ///   - isCancelled: Returns whether the picture is no longer needed. Called before each part of a mark is drawn.
    /// - Throws: An environment error if there is not enough memory, or if the picture is no longer needed.
    /// - Complexity: O(marks and the pixels near their lines).
    func png(scale: Double, isCancelled: () -> Bool = { false }) throws -> [UInt8] {
        let scale = min(
            scale, (Self.mostPixels / (width * height)).squareRoot(), Self.longestSide / max(width, height))
        let (columns, rows) = (max(Int32(width * scale), 1), max(Int32(height * scale), 1))
        let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, columns, rows)
        defer { cairo_surface_destroy(surface) }
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let context = cairo_create(surface) else {
            throw Self.failure(cairo_surface_status(surface))
        }
        defer { cairo_destroy(context) }
        cairo_scale(context, scale, scale)
        Self.paint(background, context)
        cairo_paint(context)
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        for mark in marks {
            try Self.draw(mark, Canvas(context: context, columns: columns, rows: rows, scale: scale)) {
                guard !isCancelled() else {
                    throw PipelineError.environment("draw.cancelled", "the picture was not finished in time")
                }
            }
        }
        var bytes: [UInt8] = []
        let status = withUnsafeMutablePointer(to: &bytes) { bytes in
            cairo_surface_write_to_png_stream(
                surface,
                { closure, data, count in
                    guard let data, let bytes = closure?.assumingMemoryBound(to: [UInt8].self) else {
                        return CAIRO_STATUS_WRITE_ERROR
                    }
                    bytes.pointee.append(contentsOf: UnsafeBufferPointer(start: data, count: Int(count)))
                    return CAIRO_STATUS_SUCCESS
                }, bytes)
        }
        guard status == CAIRO_STATUS_SUCCESS, cairo_status(context) == CAIRO_STATUS_SUCCESS else {
            throw Self.failure(status == CAIRO_STATUS_SUCCESS ? cairo_status(context) : status)
        }
        return bytes
    }

    private static func failure(_ status: cairo_status_t) -> PipelineError {
        let text = cairo_status_to_string(status).map { String(cString: $0) } ?? "unknown"
        return .environment("picture.failed", "the picture cannot be drawn: \(text)")
    }

    private static func paint(_ color: Color, _ context: OpaquePointer) {
        cairo_set_source_rgba(context, color.red, color.green, color.blue, color.alpha)
    }

    /// The Cairo context and the size of a picture.
    private struct Canvas {
        let context: OpaquePointer
        let columns, rows: Int32
        /// The number of pixels per unit of the picture.
        let scale: Double

        /// The distance below which two points are indistinguishable, in units of the picture.
        var finest: Double { 0.25 / scale }
    }

    /// Draws a mark in parts, and calls `goOn` before each part. `goOn` throws an error to cancel the drawing.
    private static func draw(_ mark: Mark, _ canvas: Canvas, _ goOn: () throws -> Void) throws {
        let context = canvas.context
        cairo_new_path(context)
        switch mark {
        case .fill(let contours, let color):
            paint(color, context)
            for group in PictureParts.groups(of: contours) {
                try goOn()
                for contour in contours[group] { trace(contour, context) }
                cairo_fill(context)
            }
        case .line(let places, let width, let color):
            paint(color, context)
            let parts = PictureParts.parts(of: places, finest: canvas.finest)
            guard parts.count == 1, let part = parts.first else { return try drawLong(parts, width, canvas, goOn) }
            try goOn()
            cairo_set_line_width(context, width)
            trace(part, context)
            if part.count == 1 { cairo_line_to(context, part[0].x, part[0].y) }
            cairo_stroke(context)
        case .box(let corner, let width, let height, let radius, let color):
            let quarter = Double.pi / 2
            let (left, top, right, bottom) = (
                corner.x + radius, corner.y + radius, corner.x + width - radius, corner.y + height - radius
            )
            for (i, (x, y)) in [(right, bottom), (left, bottom), (left, top), (right, top)].enumerated() {
                cairo_arc(context, x, y, radius, Double(i) * quarter, Double(i + 1) * quarter)
            }
            cairo_close_path(context)
            paint(color, context)
            cairo_fill(context)
        case .text(let text, let place, let size, let isBold, let isCentered, let color):
            cairo_select_font_face(
                context, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL)
            cairo_set_font_size(context, size)
            let text = text.drawable
            var extents = cairo_text_extents_t()
            cairo_text_extents(context, text, &extents)
            cairo_move_to(context, isCentered ? place.x - extents.x_advance / 2 : place.x, place.y)
            paint(color, context)
            cairo_show_text(context, text)
        }
    }

    /// Draws a line of many points, given as parts that share their end points.
    private static func drawLong(
        _ parts: [[Place]], _ width: Double, _ canvas: Canvas, _ goOn: () throws -> Void
    ) throws {
        let scale = canvas.scale
        let parts = parts.map { $0.map { Place(x: $0.x * scale, y: $0.y * scale) } }
        var mask = LineMask(
            around: parts.flatMap { $0 }, radius: width * scale / 2, width: Int(canvas.columns),
            height: Int(canvas.rows))
        for part in parts {
            try goOn()
            for (a, b) in zip(part, part.dropFirst()) { mask.add(a, b) }
        }
        mask.paint(canvas.context)
    }

    private static func trace(_ contour: Contour, _ context: OpaquePointer) {
        switch contour {
        case .polygon(let corners): trace(corners, context)
        case .circle(let center, let radius):
            cairo_new_sub_path(context)
            // Circles have the same orientation as polygons.
            cairo_arc_negative(context, center.x, center.y, radius, 0, -2 * Double.pi)
        }
        cairo_close_path(context)
    }

    private static func trace(_ places: [Place], _ context: OpaquePointer) {
        for (i, place) in places.enumerated() {
            if i == 0 { cairo_move_to(context, place.x, place.y) } else { cairo_line_to(context, place.x, place.y) }
        }
    }
}
