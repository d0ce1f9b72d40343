import Foundation
import Pipeline
import Stages
import Testing

@Suite("vectorize")
struct VectorizeTests {
    @Test("vectorize: a vector holds the coordinates in turn, at unit length")
    func coordinates() throws {
        let result = try apply(Vectorize(), to: stroke([(3, 0), (0, 4)], label: "corner"))
        #expect(largestDifference(result.values, [0.6, 0, 0, 0.8]) < 1e-15)
        #expect(result.label == "corner")
        #expect(result.end == .microseconds(1000))
    }

    @Test("vectorize: a vector of directions holds the steps from point to point, at unit length")
    func directions() throws {
        let result = try apply(Vectorize(layout: .directions), to: stroke([(0, 0), (5, 0), (5, 0), (5, 12)]))
        let share = 1 / 2.0.squareRoot()
        #expect(largestDifference(result.values, [share, 0, 0, 0, 0, share]) < 1e-15)
    }

    @Test("vectorize: a tap has no direction and is refused")
    func tap() throws {
        let tap = try apply(Normalize(), to: try apply(Resample(), to: stroke([(5, 5)])))
        #expect(throws: PipelineError.self) { try apply(Vectorize(), to: tap) }
        #expect(throws: PipelineError.self) { try apply(Vectorize(layout: .directions), to: tap) }
        // The mean of sixteen times 0.1 is 0.10000000000000002.
        let even = try apply(Resample(points: 16), to: stroke([(0.1, 0.7)]))
        let other = try apply(Normalize(scale: .none), to: even)
        #expect(other.samples.allSatisfy { $0.x == 0 && $0.y == 0 })
        #expect(throws: PipelineError.self) { try apply(Vectorize(), to: other) }
    }

    @Test(
        "vectorize: hostile strokes give finite vectors of unit length or are refused",
        arguments: HostileStroke.allCases)
    func hostile(input: HostileStroke) throws {
        for layout in [Vectorize.Layout.xy, .directions] {
            guard let result = try refusedOrValue({ try apply(Vectorize(layout: layout), to: input.stroke) }) else {
                continue
            }
            let length = result.values.reduce(0) { $0 + $1 * $1 }.squareRoot()
            #expect(abs(length - 1) < 1e-9)
        }
    }

    @Test("vectorize: the subject of a vector is kept")
    func subject() throws {
        let input = egg()
        #expect(try apply(Vectorize(), to: input).subject == .stroke(input))
    }
}
