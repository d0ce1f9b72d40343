import Pipeline
import Testing

@testable import Stages

@Suite("rasterize")
struct RasterizeTests {
    private func bits(_ stroke: Stroke, maxStretch: Double = 2.5) throws -> UInt64 {
        try apply(Rasterize(maxStretch: maxStretch), to: stroke).bits
    }

    /// Returns a gesture of several strokes.
    private func gesture(_ strokes: [[(Double, Double)]]) -> Stroke {
        Stroke(
            samples: strokes.flatMap { $0.map { Sample(x: $0.0, y: $0.1) } },
            counts: strokes.count > 1 ? strokes.map(\.count) : [])
    }

    @Test(
        "rasterize: bitmaps are those worked out by hand",
        arguments: [
            // Both diagonals of a square: the box extends from the middle of the first cell to the middle of the last one.
            ([[(0, 0), (70, 70)]], 0x8040_2010_0804_0201),
            ([[(0, 70), (70, 0)]], 0x0102_0408_1020_4080),
            // A frame, given only by its corners.
            ([[(3, 4), (13, 4), (13, 10), (3, 10), (3, 4)]], 0xFF81_8181_8181_81FF),
            // A plus of two strokes: the fifth column and row begin at the middle of the box, 4.0.
            ([[(0, 5), (10, 5)], [(5, 0), (5, 10)]], 0x0808_0808_FF08_0808),
            // Lines along the axes are in the middle of the fifth row and column; a tap is where these cross.
            ([[(2, 9), (50, 9)]], 0x0000_0000_FF00_0000),
            ([[(9, 50), (9, 2)]], 0x0808_0808_0808_0808),
            ([[(7, 7)]], 0x0000_0000_0800_0000),
            ([[(7, 7), (7, 7)], [(7, 7)]], 0x0000_0000_0800_0000),
        ] as [([[(Double, Double)]], UInt64)])
    func handWorked(strokes: [[(Double, Double)]], expected: UInt64) throws {
        #expect(try bits(gesture(strokes)).hexadecimal == expected.hexadecimal)
    }

    @Test("rasterize: a line blackens every cell that it passes through, and no other")
    func againstDenseSampling() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<300 {
            // Corners on an integer grid, in a square box of 840 units: 120 units per cell.
            var corners = [(0.0, 0.0), (840.0, 840.0)]
            for _ in 0..<4 { corners.insert((Double(random.below(841)), Double(random.below(841))), at: 1) }
            let drawn = try bits(gesture([corners]))
            var sampled: UInt64 = 0
            var grazed: UInt64 = 0
            for (a, b) in zip(corners, corners.dropFirst()) {
                for step in 0...2000 {
                    let share = Double(step) / 2000
                    let x = 0.5 + (a.0 + share * (b.0 - a.0)) / 120
                    let y = 0.5 + (a.1 + share * (b.1 - a.1)) / 120
                    // A corner or an edge between cells belongs to no particular cell.
                    let isInside = abs(x - x.rounded()) > 1e-6 && abs(y - y.rounded()) > 1e-6
                    if isInside { sampled |= Bitmap.bit(row: Int(y), column: Int(x)) }
                    // Between two samples, the line may cross the corner of a cell. Such a cell may be black.
                    for (dx, dy) in [(0.006, 0.006), (0.006, -0.006), (-0.006, 0.006), (-0.006, -0.006)] {
                        grazed |= Bitmap.bit(row: Int(y + dy), column: Int(x + dx))
                    }
                }
            }
            #expect(sampled & ~drawn == 0, "\(corners)")
            #expect(drawn & ~(sampled | grazed) == 0, "\(corners)")
        }
    }

    @Test("rasterize: the bitmap does not depend on order, direction and number of strokes, position or size")
    func invariance() throws {
        let bars: [[(Double, Double)]] = [
            [(0, 0), (0, 90)], [(0, 0), (60, 2)], [(0, 44), (50, 47)], [(0, 90), (63, 88)],
        ]
        let expected = try bits(gesture(bars))
        let corner: [(Double, Double)] = [(60, 2), (0, 0), (0, 90), (63, 88)]
        for strokes in [
            [bars[2], bars[0], bars[3], bars[1]], bars.map { $0.reversed() }, [corner, bars[2]],
            [bars[2].reversed(), corner.reversed()],
            bars.map { $0.map { ($0.0 * 0.25 - 17, $0.1 * 0.25 + 1000) } },
            bars.map { $0.map { ($0.0 * 64, $0.1 * 64) } },
        ] {
            #expect(try bits(gesture(strokes)) == expected)
        }
    }

    @Test("rasterize: a wobbly upright line stays in one column, unless it may be stretched")
    func narrow() throws {
        let upright = stroke((0...20).map { (Double($0 % 2), Double($0) * 5) })
        #expect(try bits(upright) == 0x0808_0808_0808_0808)
        #expect(try bits(upright, maxStretch: 1) == 0x0808_0808_0808_0808)
        // If it is stretched as Scribe does it, its wobble dominates the picture.
        #expect(try apply(Rasterize(maxStretch: 1e9), to: upright).blackCells > 40)
    }

    @Test("rasterize: with a stretch of 1 proportions are kept")
    func proportions() throws {
        // The frame is 7 cells wide and 3.5 high. Vertically, it extends from 2.5 to 6.
        let frame = stroke([(0, 0), (100, 0), (100, 50), (0, 50), (0, 0)])
        #expect(try bits(frame, maxStretch: 1) == 0x0000_FF81_8181_FF00)
        // With 2.5 times this height, the frame would exceed the 7 cells, so it fills them.
        #expect(try bits(frame) == 0xFF81_8181_8181_81FF)
    }

    @Test("rasterize: label, times and subject are kept")
    func metadata() throws {
        var drawn = stroke([(0, 0), (5, 5)], label: "slash")
        drawn.start = .milliseconds(10)
        let bitmap = try apply(Rasterize(), to: drawn)
        #expect(bitmap.label == "slash")
        #expect(bitmap.start == .milliseconds(10))
        #expect(bitmap.end == .milliseconds(11))
        #expect(bitmap.subject == .stroke(drawn))
    }

    @Test("rasterize: any input is drawn or refused", arguments: HostileStroke.allCases)
    func hostile(input: HostileStroke) throws {
        for stretch in [1, 2.5, 1e9] {
            let made = try refusedOrValue { try bits(input.stroke, maxStretch: stretch) }
            if let made { #expect(made != 0) }
        }
        #expect(try refusedOrValue { try bits(HostileStroke.nan.stroke) } == nil)
    }
}
