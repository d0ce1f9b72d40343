import Pipeline

/// A small picture of frames for a web page.
package enum FramePicture {
    /// Returns the last figure of a sequence of frames as SVG, or `nil` if no frame can be drawn. O(points).
    package static func svg<P: Payload>(of frames: [Frame<P>], side: Double) -> String? {
        guard let drawable = P.self as? any Drawable.Type else { return nil }
        var collection = FigureCollection()
        for frame in frames { add(frame, as: drawable, to: &collection) }
        guard let figure = collection.all.last else { return nil }
        var bounds = FigureBounds()
        bounds.add(figure)
        guard !bounds.isEmpty else { return nil }
        let (palette, margin) = (Palette(.light), side / 16)
        let placement = FigurePlacement(
            bounds, into: Picture.Place(x: margin, y: margin), width: side - 2 * margin, height: side - 2 * margin)
        let picture = Picture(
            width: side, height: side, background: palette.paper,
            marks: placement.marks(of: figure, palette, thickness: side / 64))
        return String(decoding: picture.svg(), as: UTF8.self)
    }

    private static func add<D: Drawable>(_ frame: Any, as type: D.Type, to collection: inout FigureCollection) {
        // A frame that cannot be drawn leaves the collection unchanged.
        if let frame = frame as? Frame<D> { try? D.add(frame, to: &collection) }
    }
}
