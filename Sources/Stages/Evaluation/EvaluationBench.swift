import Pipeline
import PipelineComponents

/// Runs the tests of draws with one matcher. The protocol hides the type of the matcher.
protocol EvaluationBench: Sendable {
    /// The name of the method.
    var method: String { get }

    /// Compares the tests of a draw with its templates.
    func test(_ draw: EvaluationDraw) throws -> EvaluationResult
}

/// The result of one draw.
struct EvaluationResult: Sendable {
    var trials: [EvaluationTrial] = []
    /// The total time of all matches, in nanoseconds.
    var nanoseconds: Int64 = 0
}

/// The comparison of one sample with the templates.
package struct EvaluationTrial: Sendable {
    /// The result of comparing a sample with one class.
    package struct Rank: Sendable, Hashable {
        /// The class.
        package var category: Int
        /// The distance of the sample from the class.
        package var distance: Double
        /// The largest distance that is accepted.
        package var limit: Double

        /// The distance in units of the limit; the distance itself where there is no limit.
        package var ratio: Double { limit.isFinite && limit > 0 ? distance / limit : distance }
    }

    /// The number of the draw. Trials of different pipelines correspond if ``draw``, ``item`` and the seed are the same.
    package var draw = 0
    /// The index of the tested sample.
    package var item: Int
    /// The sample's true class, if it was among the templates; `nil` for an unknown gesture.
    package var actual: Int?
    /// The nearest class.
    package var nearest: Rank
    /// The nearest class other than the true one; `nil` if there is no other. The distance from the none class is infinite here:
    /// no threshold accepts a sample whose nearest class it is.
    package var other: Rank?
    /// The class that the pipeline answered; `nil` for None.
    package var answer: Int?
    /// The confidence of the answer, if the pipeline reports one.
    package var confidence: Double?

    /// Whether the nearest class is the true one.
    var isNearest: Bool { nearest.category == actual }
    /// Whether the pipeline's answer is right: the true class, or None for an unknown gesture.
    var isRight: Bool { answer == actual }
}

/// The samples, prepared by the stages upstream of the matcher, once for all draws.
struct MatcherBench<Matcher: TemplateMatcher>: EvaluationBench {
    /// A sample in its two roles: as a test and as a template.
    private struct Prepared: Sendable {
        let query: Matcher.Query
        let template: Matcher.Template
        /// The pipeline and the place of the sample, for errors.
        let place: String
    }

    private let name: String
    private let samples: [Prepared]
    private let classes: [String]
    private let category: [Int?]
    private let rules: MatchRules
    private let limits: GestureLibrary.Limits?
    /// The classes to compare with.
    private let categories: CategoryOptions
    private let clock = SystemClock()

    var method: String { Matcher.name(rules) }

    /// - Parameter name: The name of the pipeline, which errors contain; empty if it has none.
    init(
        _ name: String, _ items: [EvaluationItem], _ classes: [String], _ run: PureRun, _ options: any MatcherOptions,
        _ rules: MatchRules, _ limits: GestureLibrary.Limits?
    ) throws {
        let places = Dictionary(classes.enumerated().map { ($1, $0) }) { first, _ in first }
        samples = try items.enumerated().map { number, item in
            let sample = item.place.isEmpty ? "sample \(number + 1) (\(item.label) of \(item.user))" : item.place
            let place = name.isEmpty ? sample : "\(name), \(sample)"
            do {
                let query = try item.prepared(by: run, as: Matcher.Query.self)
                return Prepared(query: query, template: try Matcher.template(of: query), place: place)
            } catch let error as PipelineError {
                throw error.located(in: place)
            }
        }
        (self.name, self.classes, self.rules, self.limits) = (name, classes, rules, limits)
        category = items.map { places[$0.label] }
        categories = options.categories
    }

    func test(_ draw: EvaluationDraw) throws -> EvaluationResult {
        var (names, prepared): ([Int], [LibraryPreparation.Prepared<Matcher.Template>]) = ([], [])
        let given = zip(draw.categories, draw.templates).filter { !$1.isEmpty }
        for index in categories.compared(of: given.map { classes[$0.0] }, noneClass: rules.noneClass) {
            let (category, templates) = given[index]
            let gesture = Recognition.Category(name: classes[category], index: names.count, score: 0)
            prepared.append(.init(category: gesture, templates: templates.map { samples[$0].template }))
            names.append(category)
        }
        var result = EvaluationResult()
        guard !prepared.isEmpty else { return result }
        let classifier: GestureClassifier<Matcher>
        do {
            classifier = try GestureClassifier<Matcher>(prepared, rules, stored: limits)
        } catch let error as PipelineError {
            throw name.isEmpty ? error : error.located(in: name)
        }
        var memory = MatchMemory()
        var output = Recognition(categories: [], margin: 0, matcher: "")
        for test in draw.tests {
            let began = clock.now
            do {
                try classifier.recognize(samples[test].query, &memory, into: &output)
            } catch let error as PipelineError {
                throw error.located(in: samples[test].place)
            }
            result.nanoseconds += clock.now - began
            func rank(_ ranked: Ranked) -> EvaluationTrial.Rank {
                .init(
                    category: names[ranked.category], distance: ranked.distance,
                    limit: classifier.limit(of: ranked.category))
            }
            guard let nearest = memory.ranking.first else { continue }
            // A sample of the none class is an unknown gesture.
            let actual = category[test].flatMap {
                names.contains($0) && classes[$0] != rules.noneClass ? $0 : nil
            }
            var other = memory.ranking.first { names[$0.category] != actual }.map(rank)
            if let found = other, classes[found.category] == rules.noneClass { other?.distance = .infinity }
            let said = output.best.index
            result.trials.append(
                EvaluationTrial(
                    item: test, actual: actual, nearest: rank(nearest), other: other,
                    answer: said >= 0 ? names[said] : nil, confidence: output.confidence))
        }
        return result
    }
}

extension EvaluationItem {
    /// Returns the sample after the stages of a pipeline have processed it.
    fileprivate func prepared<Query: Payload>(by run: PureRun, as _: Query.Type) throws -> Query {
        switch sample {
        case .stroke(let stroke): try run.prepare(stroke, as: Query.self)
        case .landmarks(let hand): try run.prepare(hand, as: Query.self)
        }
    }
}
