import CCairo
import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("Long lines in a PNG")
struct PicturePartsTests {
    /// Returns points on nested rings, close together as in drawn lines.
    private static func rings(_ count: Int) -> [Picture.Place] {
        (0..<count).map { i in
            let turn = Double(i) / 500
            return .init(x: 400 + 390 * cos(turn) * cos(turn / 97), y: 400 + 390 * sin(turn) * cos(turn / 97))
        }
    }

    @Test(
        "Long lines in a PNG are drawn in connected parts of bounded length, so that work grows linearly with points"
    )
    func line() {
        for places in [
            Self.rings(500_000), (0..<100_000).map { .init(x: Double($0 * 7919 % 800), y: Double($0 * 104_729 % 800)) },
        ] {
            let parts = PictureParts.parts(of: places, finest: 0.125)
            #expect(parts.allSatisfy { $0.count <= PictureParts.mostCorners && $0.count > 1 })
            #expect(parts.reduce(0) { $0 + $1.count } <= places.count + parts.count)
            #expect(parts.count <= places.count / (PictureParts.mostCorners - 1) + 1)
            #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.last == $1.first })
            #expect(parts.first?.first == places.first && parts.last?.last == places.last)
            // Every point that was left out is close to the last point that was kept before it.
            var kept = parts.flatMap { $0 }[...]
            var last = kept.removeFirst()
            var farthest = 0.0
            for place in places {
                while kept.first == place { last = kept.removeFirst() }
                farthest = max(farthest, hypot(place.x - last.x, place.y - last.y))
            }
            #expect(farthest < 0.125)
        }
        let short = Self.rings(PictureParts.mostCorners)
        #expect(PictureParts.parts(of: short, finest: 100) == [short])
        #expect(PictureParts.parts(of: [], finest: 1) == [[]])
    }

    @Test(
        "Long lines of ink in a PNG are filled in groups of bounded size that share a contour, so that no seam is visible"
    )
    func ink() {
        let dots = Self.rings(500_000).enumerated().map { i, place in
            InkOutline.Dot(x: place.x, y: place.y, radius: 1 + sin(Double(i) / 1000) / 2)
        }
        let contours = InkOutline.contours(dots)
        let groups = PictureParts.groups(of: contours)
        #expect(groups.first?.lowerBound == 0 && groups.last?.upperBound == contours.count)
        #expect(zip(groups, groups.dropFirst()).allSatisfy { $1.lowerBound == $0.upperBound - 1 && $1.count > 1 })
        func corners(_ contour: Picture.Contour) -> Int {
            if case .polygon(let corners) = contour { corners.count } else { 0 }
        }
        func corners(_ group: Range<Int>) -> Int { group.reduce(0) { $0 + corners(contours[$1]) } }
        let all = corners(contours.indices)
        #expect(contours.allSatisfy { corners($0) <= PictureParts.mostCorners })
        #expect(groups.allSatisfy { corners($0) <= 2 * PictureParts.mostCorners })
        #expect(groups.reduce(0) { $0 + corners($1) } <= 2 * all)
        #expect(PictureParts.groups(of: []).isEmpty && PictureParts.groups(of: [contours[0]]) == [0..<1])
    }

    @Test("Long lines in a PNG look as if each was drawn in one piece", arguments: [false, true])
    func look(isInk: Bool) throws {
        let places = (0..<4000).map { Picture.Place(x: 10 + Double($0) / 5, y: 50 + 30 * sin(Double($0) / 300)) }
        func picture(_ parts: [[Picture.Place]]) -> Picture {
            var picture = Picture(width: 820, height: 100, background: .init(0xFFFFFF))
            for part in parts {
                picture.marks.append(
                    isInk
                        ? .fill(InkOutline.contours(part.map { ($0.x, $0.y, 2) }), .init(0))
                        : .line(part, width: 4, .init(0)))
            }
            return picture
        }
        // Pieces of a hundred points. Each overlaps the next one by fifty points, so that its ends are not visible.
        let pieces = stride(from: 0, to: places.count, by: 50).map { Array(places[$0..<min($0 + 100, places.count)]) }
        let whole = try pixels(picture([places]))
        let joined = try pixels(picture(pieces))
        #expect(whole.count == joined.count)
        // Where the smooth edges of three pieces overlap, a pixel is darker: its share c of the background becomes c³.
        #expect(zip(whole, joined).allSatisfy { abs(Int($0) - Int($1)) <= 100 })
        // The line has no gaps.
        for place in places.dropFirst(20).dropLast(20) {
            let pixel = (Int(place.y * 2) * 1640 + Int(place.x * 2)) * 4
            #expect(whole[pixel] == 0, "\(place)")
        }
    }

    /// Returns the pixels of a picture drawn as PNG, four bytes each.
    private func pixels(_ picture: Picture) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.png", bytes: try picture.png(scale: 2))
        let surface = cairo_image_surface_create_from_png(path)
        defer { cairo_surface_destroy(surface) }
        let data = try #require(cairo_image_surface_get_data(surface))
        let count = Int(cairo_image_surface_get_stride(surface)) * Int(cairo_image_surface_get_height(surface))
        return Array(UnsafeBufferPointer(start: data, count: count))
    }

    @Test("Lines in a PNG: each pixel differs by at most a tenth of full darkness from the same line drawn by Cairo")
    func mask() {
        var random = SeededGenerator(seed: 5)
        let (columns, rows) = (200, 120)
        for turn in 0..<200 {
            func place() -> Picture.Place {
                Picture.Place(x: .random(in: -40...240, using: &random), y: .random(in: -40...160, using: &random))
            }
            var (a, b) = (place(), place())
            switch turn % 5 {
            case 0: b = a
            case 1: b.x = a.x
            case 2: b.y = a.y
            default: (a, b) = (b, a)
            }
            let width = Double.random(in: 2...12, using: &random)
            func drawn(_ draw: (OpaquePointer) -> Void) -> [UInt8] {
                let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(columns), Int32(rows))
                defer { cairo_surface_destroy(surface) }
                guard let context = cairo_create(surface) else { return [] }
                cairo_set_source_rgba(context, 0, 0, 0, 1)
                draw(context)
                cairo_destroy(context)
                cairo_surface_flush(surface)
                let stride = Int(cairo_image_surface_get_stride(surface))
                return Array(UnsafeBufferPointer(start: cairo_image_surface_get_data(surface), count: stride * rows))
            }
            let ours = drawn { context in
                var mask = LineMask(around: [a, b], radius: width / 2, width: columns, height: rows)
                mask.add(a, b)
                mask.paint(context)
            }
            let theirs = drawn { context in
                cairo_set_line_width(context, width)
                cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
                cairo_move_to(context, a.x, a.y)
                cairo_line_to(context, b.x, b.y)
                cairo_stroke(context)
            }
            let worst = zip(ours, theirs).map { abs(Int($0) - Int($1)) }.max() ?? 255
            #expect(ours.count == theirs.count && worst <= 26, "\(a) \(b) \(width): \(worst)")
        }
        // Points far outside the mask, and points that are not finite, cause no trap.
        var mask = LineMask(around: [.init(x: -1e300, y: 5), .init(x: .nan, y: 1e300)], radius: 1, width: 9, height: 9)
        mask.add(.init(x: -1e300, y: 5), .init(x: .nan, y: 1e300))
        mask.add(.init(x: -1e12, y: 5), .init(x: 1e12, y: 6))
    }

    @Test("Long lines in a PNG: drawing ends with an error as soon as it is canceled")
    func cancelled() throws {
        var picture = Picture(width: 800, height: 800, background: .init(0xFFFFFF))
        picture.marks = [.line(Self.rings(500_000), width: 2, .init(0))]
        var asked = 0
        let error = #expect(throws: PipelineError.self) {
            try picture.png(scale: 2) {
                asked += 1
                return asked == 3
            }
        }
        #expect(error?.code == "draw.cancelled" && error?.category == .environment && asked == 3)
    }

    @Test("Long lines in a PNG: the sink stops drawing when the run is canceled")
    func sink() async throws {
        let folder = try TemporaryFolder()
        var options = DrawingOptions()
        options.path = OutputPath("\(folder.path)/a.png")
        var sink = DrawingSink<Stroke>(options, .png)
        let cancel = StopSignal()
        try await sink.open(SinkContext(id: "png", clock: SkippingClock(), cancel: cancel, log: .silent))
        let samples = Self.rings(2000).map { Sample(x: $0.x, y: $0.y) }
        try sink.write(Frame(Stroke(samples: samples), at: .zero, stream: "pen"))
        cancel.request()
        await #expect(throws: PipelineError.self) { try await sink.close() }
    }
}
