/// The arrangement of figures on a picture.
struct Layout: Sendable {
    /// The colors of the picture.
    let palette: Palette
    /// The longest side of a drawing, or the side of a cell of a sheet, in pixels.
    let size: Double
    /// The number of cells in a row; `nil` for a number that makes the sheet a little wider than it is high.
    let columns: Int?
    /// Whether figures are labeled.
    let hasLabels: Bool

    /// Draws all figures at their original positions on top of one another, and labels those that have a name. The picture has the
    /// proportions of the figures.
    func drawing(_ figures: [Figure]) -> Picture {
        picture(figures, named: hasLabels ? figures.flatMap { $0.isNamed ? [$0] : $0.namedParts } : [])
    }

    private func picture(_ figures: [Figure], named: [Figure]) -> Picture {
        var bounds = FigureBounds()
        for figure in figures { bounds.add(figure) }
        let margin = (size * 0.06).rounded()
        var (width, height) = (size, size)
        let (spanX, spanY) = (bounds.right - bounds.left, bounds.bottom - bounds.top)
        if !bounds.isEmpty, spanX > 0 || spanY > 0 {
            // The longer side is at most four times the shorter one. Otherwise, a straight line would result in a picture without
            // height.
            let inside = size - 2 * margin
            if spanX >= spanY {
                height = 2 * margin + (inside * max(spanY / spanX, 0.25)).rounded()
            } else {
                width = 2 * margin + (inside * max(spanX / spanY, 0.25)).rounded()
            }
        }
        let text = max((size * 0.024).rounded(), 9)
        // Space for a name below the lowest figure.
        let foot = named.isEmpty ? 0 : max(1.8 * text - margin, 0)
        var picture = Picture(width: width, height: height + foot, background: palette.paper)
        let placement = FigurePlacement(
            bounds, into: .init(x: margin, y: margin), width: width - 2 * margin, height: height - 2 * margin)
        for figure in figures {
            picture.marks += placement.marks(of: figure, palette, thickness: max(size / 300, 1.5))
        }
        picture.marks += named.compactMap { name(of: $0, placement, text, between: 0, and: width) }
        return picture
    }

    /// Returns a mark that shows the name of a figure below it, between the x coordinates `left` and `right`. Returns `nil` for a
    /// figure without points or name.
    private func name(
        of figure: Figure, _ placement: FigurePlacement, _ size: Double, between left: Double, and right: Double
    ) -> Picture.Mark? {
        var bounds = FigureBounds()
        bounds.add(figure)
        guard !bounds.isEmpty, let label = figure.label, !label.isEmpty else { return nil }
        // The name is not much wider than the figure, so that the names of neighboring figures do not overlap.
        let span = placement.place(bounds.right, 0).x - placement.place(bounds.left, 0).x
        let fitted = Picture.fitted(
            label, size: size,
            width: min(max(1.2 * span, Picture.width(of: "twelve chars", size: size)), right - left - size))
        let half = min(Picture.width(of: fitted, size: size), right - left) / 2
        let foot = placement.place((bounds.left + bounds.right) / 2, bounds.bottom)
        return .text(
            fitted, .init(x: min(max(foot.x, left + half), right - half), y: foot.y + 1.3 * size), size: size,
            isBold: true, isCentered: true, palette.label)
    }

    /// Draws one figure with its name below.
    func single(_ figure: Figure) -> Picture {
        // The label of the picture already names a single hand.
        let parts = figure.namedParts
        var picture = picture([figure], named: hasLabels && parts.count > 1 ? parts : [])
        guard hasLabels, let label = figure.label, !label.isEmpty else { return picture }
        let text = (size * 0.032).rounded()
        let labeled = Picture(width: picture.width, height: picture.height + 1.6 * text, background: palette.paper)
        picture = Picture(
            width: labeled.width, height: labeled.height, background: labeled.background, marks: picture.marks)
        picture.marks.append(
            .text(
                Picture.fitted(label, size: text, width: picture.width - text),
                .init(x: picture.width / 2, y: picture.height - 0.9 * text), size: text, isBold: true, isCentered: true,
                palette.label))
        return picture
    }

    /// Draws every figure in a cell of its own, with its name.
    ///
    /// - Parameter more: The number of frames that were dropped because the sheet was full.
    func sheet(_ figures: [Figure], more: Int) -> Picture {
        let (gap, margin, text) = (12.0, 20.0, min(max((size * 0.075).rounded(), 9), 16))
        let caption = hasLabels ? 2.9 * text : 0
        let across = columns ?? min(max(Int((Double(figures.count) * 1.6).squareRoot().rounded(.up)), 1), figures.count)
        let side = max(min(across, max(figures.count, 1)), 1)
        let rows = max((figures.count + side - 1) / side, 1)
        let foot = more > 0 || figures.isEmpty ? 2 * text : 0
        var picture = Picture(
            width: 2 * margin + Double(side) * (size + gap) - gap,
            height: 2 * margin + Double(rows) * (size + caption + gap) - gap + foot, background: palette.ground)
        for (number, figure) in figures.enumerated() {
            let corner = Picture.Place(
                x: margin + Double(number % side) * (size + gap),
                y: margin + Double(number / side) * (size + caption + gap))
            picture.marks.append(.box(corner, width: size, height: size + caption, radius: 8, palette.paper))
            let inset = (size * 0.12).rounded()
            var bounds = FigureBounds()
            bounds.add(figure)
            let placement = FigurePlacement(
                bounds, into: .init(x: corner.x + inset, y: corner.y + inset), width: size - 2 * inset,
                height: size - 2 * inset)
            picture.marks += placement.marks(of: figure, palette, thickness: max(size / 80, 1.2))
            guard hasLabels else { continue }
            picture.marks += captions(figure, below: corner, text)
            // Label each hand if there are several.
            let parts = figure.namedParts
            guard parts.count > 1 else { continue }
            picture.marks += parts.compactMap {
                name(of: $0, placement, (text * 0.7).rounded(), between: corner.x, and: corner.x + size)
            }
        }
        if foot > 0 {
            let words = figures.isEmpty ? "nothing was drawn" : "and \(more) more"
            picture.marks.append(
                .text(
                    words, .init(x: picture.width / 2, y: picture.height - margin), size: text, isBold: false,
                    isCentered: true, palette.note))
        }
        return picture
    }

    private func captions(_ figure: Figure, below corner: Picture.Place, _ text: Double) -> [Picture.Mark] {
        var marks: [Picture.Mark] = []
        let middle = corner.x + size / 2
        if let label = figure.label, !label.isEmpty {
            marks.append(
                .text(
                    Picture.fitted(label, size: text, width: size - text),
                    .init(x: middle, y: corner.y + size + 0.55 * text),
                    size: text, isBold: true, isCentered: true, palette.label))
        }
        if let note = figure.note, !note.isEmpty {
            let small = (text * 0.82).rounded()
            marks.append(
                .text(
                    Picture.fitted(note, size: small, width: size - text),
                    .init(x: middle, y: corner.y + size + 1.85 * text), size: small, isBold: false, isCentered: true,
                    palette.note))
        }
        return marks
    }
}
