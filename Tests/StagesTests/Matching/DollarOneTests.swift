import Pipeline
import PipelineComponents
import Testing

@testable import Stages

@Suite("match: dollar1")
struct DollarOneTests {
    static let stages: [any Stage] = [Resample(), Normalize(rotate: .indicative)]

    private func normalForm(_ stroke: Stroke) throws -> Stroke {
        try PureRun(stages: Self.stages, input: nil, above: nil).prepare(stroke, as: Stroke.self)
    }

    @Test("match dollar1: distances agree with the golden section search of an independent program")
    func peer() throws {
        let trace = try PeerTrace.load()
        let forms = try trace.gestures.map(normalForm)
        let matcher = try DollarOneMatcher(templates: forms.map { [$0] }, rules: MatchRules())
        for (query, row) in zip(forms, trace.dollar1) {
            var ranking: [Ranked] = []
            try matcher.rank(query, into: &ranking)
            for ranked in ranking {
                #expect(abs(ranked.distance - row[ranked.category]) < 1e-6)
                #expect(abs(ranked.score - max(0, 1 - ranked.distance / (0.5 * 2.0.squareRoot() * 250))) < 1e-12)
            }
        }
    }

    @Test("match dollar1: the size is that of the last upstream normalize that scales")
    func size() {
        let small = Normalize(options { ($0.size, $0.scale) = (10, .uniform) })
        let moving = Normalize(options { ($0.scale, $0.translate) = (.none, .first) })
        for (stages, wanted) in [([small, moving], 10), ([moving, small], 10), ([moving], nil)]
            as [([Normalize], Double?)]
        {
            let run = PureRun(stages: stages, input: nil, above: nil)
            #expect(Match.Options().sized(by: run).size == wanted)
        }
    }

    private func options(_ change: (inout Normalize.Options) -> Void) -> Normalize.Options {
        var options = Normalize.Options()
        change(&options)
        return options
    }

    @Test("match dollar1: a gesture is found at any position, size and rotation")
    func invariances() throws {
        let library = GestureLibrary(gestures: [
            .init(name: "egg", samples: [egg()]),
            .init(name: "vee", samples: [stroke([(0, 0), (50, 100), (100, 0)])]),
        ])
        let stage = try Match.dollar1(library, preparedBy: Self.stages)
        let moved = egg(radius: 7, at: (900, -20)).turned(by: 20)
        #expect(try apply(stage, to: try normalForm(moved)).best.name == "egg")
        let vee = stroke([(0, 0), (24, 55), (50, 2)])
        let result = try apply(stage, to: try normalForm(vee))
        #expect(result.best.name == "vee")
        #expect(result.margin > 0.1)
        #expect(result.matcher == "dollar1")
    }

    @Test("match dollar1: strokes of another number of points are refused")
    func dimension() throws {
        let stage = try Match.dollar1(
            GestureLibrary(gestures: [.init(name: "egg", samples: [egg()])]), preparedBy: Self.stages)
        #expect(throws: PipelineError.self) { try apply(stage, to: egg(count: 63)) }
    }

    @Test("match dollar1: hostile strokes are scored with finite numbers or refused", arguments: HostileStroke.allCases)
    func hostile(input: HostileStroke) throws {
        let stage = try Match.dollar1(
            GestureLibrary(gestures: [.init(name: "egg", samples: [egg()])]), preparedBy: Self.stages)
        guard let form = try refusedOrValue({ try normalForm(input.stroke) }) else { return }
        guard let result = try refusedOrValue({ try apply(stage, to: form) }) else { return }
        #expect((0...1).contains(result.best.score))
        #expect(result.margin.isFinite)
    }
}
