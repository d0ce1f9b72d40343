extension EvaluationReport {
    /// The result for one number of templates.
    public struct Row: Sendable {
        /// The result for a subset of the tests: one class, or one person.
        public struct Part: Sendable, Hashable {
            /// The number of known gestures that were tested.
            public var tests = 0
            /// The number of known gestures whose nearest class was their own.
            public var recognized = 0
            /// The number of known gestures that the pipeline named correctly.
            public var right = 0
            /// The number of known gestures for which the pipeline answered None.
            public var none = 0
            /// The number of unknown gestures that were tested.
            public var unknownTests = 0
            /// The number of unknown gestures that the pipeline named.
            public var accepted = 0

            /// The share of known gestures whose nearest class was their own.
            public var accuracy: Double { tests == 0 ? 0 : Double(recognized) / Double(tests) }
            /// The share of known gestures that the pipeline named correctly.
            public var rightShare: Double { tests == 0 ? 0 : Double(right) / Double(tests) }
            /// The share of unknown gestures that the pipeline named (the false accept rate); `nil` if there were none.
            public var falseAccept: Double? { unknownTests == 0 ? nil : Double(accepted) / Double(unknownTests) }

            mutating func count(_ trial: EvaluationTrial) {
                guard trial.actual != nil else {
                    unknownTests += 1
                    accepted += trial.answer == nil ? 0 : 1
                    return
                }
                tests += 1
                recognized += trial.isNearest ? 1 : 0
                right += trial.isRight ? 1 : 0
                none += trial.answer == nil ? 1 : 0
            }
        }

        /// The number of templates of each class, and of each person if several people provided templates.
        public var templates: Int
        /// The number of other people who provided templates; 0 if the templates were the tested person's own.
        public var users: Int
        /// The result of all tests.
        public var all = Part()
        /// The results by class.
        public var byClass: [Part]
        /// The results by person.
        public var byPerson: [Part]
        /// The 95 % interval of the accuracy for other people like these; `nil` if nothing can be resampled.
        public var interval: ClosedRange<Double>?
        /// The 95 % interval of the share of known gestures that the pipeline names correctly.
        public var rightInterval: ClosedRange<Double>?
        /// The trade-off for one distance threshold that is common to all classes.
        public var byDistance: ThresholdSweep
        /// The trade-off for the pipeline's own limits, all multiplied by one factor; `nil` if it has none.
        public var byFactor: ThresholdSweep?
        /// The calibration of the confidences; `nil` if the pipeline reports none.
        public var reliability: Reliability?
        /// The confusion matrix: how often a class (first index) was nearest to another (second index).
        public var confusion: [[Int]]
        /// All trials.
        package let trials: [EvaluationTrial]
        /// The index of the person, by trial.
        package let people: [Int]

        /// The number of known gestures that were tested.
        public var tests: Int { all.tests }
        /// The share of known gestures whose nearest class was their own.
        public var accuracy: Double { all.accuracy }
        /// The share of known gestures that is recognized and accepted when 5 % of unknown gestures are accepted; `nil` if
        /// ``byDistance`` is empty.
        public var acceptedAt5: Double? { byDistance.point(falseAccept: 0.05)?.accepted }
        /// The share of known gestures that is recognized and accepted when 1 % of unknown gestures are accepted; `nil` as for
        /// ``acceptedAt5``.
        public var acceptedAt1: Double? { byDistance.point(falseAccept: 0.01)?.accepted }

        init(
            _ design: EvaluationSetup, _ trials: [EvaluationTrial], _ pools: EvaluationPools, seed: UInt64,
            _ kind: EvaluationDesign
        ) {
            (templates, users, self.trials) = (design.templates, design.users, trials)
            byClass = Array(repeating: Part(), count: pools.classes.count)
            byPerson = Array(repeating: Part(), count: pools.people.count)
            confusion = Array(repeating: Array(repeating: 0, count: pools.classes.count), count: pools.classes.count)
            people = trials.map { pools.person[$0.item] }
            for (trial, person) in zip(trials, people) {
                all.count(trial)
                byPerson[person].count(trial)
                if let category = pools.category[trial.item] { byClass[category].count(trial) }
                if let actual = trial.actual { confusion[actual][trial.nearest.category] += 1 }
            }
            interval = Self.interval(trials, people, seed) { $0.isNearest }
            rightInterval = Self.interval(trials, people, seed) { $0.isRight }
            // In the open-set design, the samples of the unknown classes are the unknown gestures. In the other designs, every
            // sample serves as an unknown gesture for all classes but its own.
            let unknown = kind == .openSet ? trials.filter { $0.actual == nil } : trials
            let correct = trials.filter { $0.actual != nil && $0.isNearest }
            byDistance = ThresholdSweep(
                correct: correct.map(\.nearest.distance), tests: all.tests,
                unknown: unknown.compactMap(\.other?.distance))
            let hasLimits = trials.allSatisfy { $0.nearest.limit.isFinite && $0.nearest.limit > 0 }
            byFactor =
                hasLimits && !trials.isEmpty
                ? ThresholdSweep(
                    correct: correct.map(\.nearest.ratio), tests: all.tests, unknown: unknown.compactMap(\.other?.ratio)
                )
                : nil
            let sure = trials.compactMap { trial in trial.confidence.map { ($0, trial.isRight) } }
            reliability = sure.isEmpty ? nil : Reliability(sure)
        }

        /// Returns the bootstrap interval of a share of known gestures, for other people or for other samples of one person.
        private static func interval(
            _ trials: [EvaluationTrial], _ people: [Int], _ seed: UInt64, _ isHit: (EvaluationTrial) -> Bool
        ) -> ClosedRange<Double>? {
            Bootstrap.interval(
                clusters(trials, people) { $0.actual == nil ? nil : isHit($0) ? 1 : 0 }, seed: seed)
        }

        /// Groups the trials that have a value into clusters by person, or by sample if there is only one person.
        static func clusters(
            _ trials: [EvaluationTrial], _ people: [Int], _ value: (EvaluationTrial) -> Double?
        ) -> [Bootstrap.Cluster] {
            let counted = zip(trials, people).compactMap { trial, person in
                value(trial).map { (item: trial.item, person: person, value: $0) }
            }
            let isAlone = Set(counted.map(\.person)).count < 2
            var clusters: [Int: Bootstrap.Cluster] = [:]
            for (item, person, value) in counted {
                clusters[isAlone ? item : person, default: .init()].hits += value
                clusters[isAlone ? item : person, default: .init()].tests += 1
            }
            return clusters.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
