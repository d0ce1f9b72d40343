extension EvaluationReport {
    /// The result for one number of templates.
    public struct Row: Sendable {
        /// What was found of a part of the tests: of one class, or of one person.
        public struct Part: Sendable, Hashable {
            /// How many known gestures were tested.
            public var tests = 0
            /// How many of them were nearest to their class.
            public var recognized = 0
            /// How many of them the pipeline named rightly.
            public var right = 0
            /// Of how many it said None.
            public var none = 0
            /// How many unknown gestures were tested.
            public var strangers = 0
            /// How many of them it named.
            public var accepted = 0

            /// The share of known gestures that were nearest to their class.
            public var accuracy: Double { tests == 0 ? 0 : Double(recognized) / Double(tests) }
            /// The share of them that the pipeline named rightly.
            public var rightShare: Double { tests == 0 ? 0 : Double(right) / Double(tests) }
            /// The share of unknown gestures that it named.
            public var falseAccept: Double { strangers == 0 ? 0 : Double(accepted) / Double(strangers) }

            mutating func count(_ trial: EvaluationTrial) {
                guard trial.actual != nil else {
                    strangers += 1
                    accepted += trial.answer == nil ? 0 : 1
                    return
                }
                tests += 1
                recognized += trial.isNearest ? 1 : 0
                right += trial.isRight ? 1 : 0
                none += trial.answer == nil ? 1 : 0
            }
        }

        /// Templates of each class (of each person).
        public var templates: Int
        /// How many other people gave templates; 0 when they were the tested person's own.
        public var users: Int
        /// All tests together.
        public var all = Part()
        /// By class.
        public var byClass: [Part]
        /// By person.
        public var byPerson: [Part]
        /// Where the share that is recognized lies for other people like these, in 95 % of cases; `nil` when nothing can be drawn.
        public var interval: ClosedRange<Double>?
        /// The same for the share that is named rightly.
        public var rightInterval: ClosedRange<Double>?
        /// What one threshold for all classes would accept.
        public var byDistance: ThresholdSweep
        /// What the pipeline's limits accept, all multiplied by one factor; `nil` where it has none.
        public var byFactor: ThresholdSweep?
        /// Whether answers are right as often as they say; `nil` where they do not say.
        public var reliability: Reliability?
        /// How often a class (first index) was nearest to another (second index).
        public var confusion: [[Int]]
        /// All that was tested.
        package let trials: [EvaluationTrial]
        /// By trial: the person.
        package let people: [Int]

        /// How many known gestures were tested.
        public var tests: Int { all.tests }
        /// The share of them that was recognized: nearest to its class.
        public var accuracy: Double { all.accuracy }
        /// The share recognized and accepted when 5 % of gestures that are not in the library are accepted.
        public var acceptedAt5: Double { byDistance.point(falseAccept: 0.05).accepted }
        /// The same at 1 %.
        public var acceptedAt1: Double { byDistance.point(falseAccept: 0.01).accepted }

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
            // Where gestures are held back, those are the unknown ones; elsewhere every sample is one of the classes that it is not.
            let strange = kind == .openSet ? trials.filter { $0.actual == nil } : trials
            let correct = trials.filter { $0.actual != nil && $0.isNearest }
            byDistance = ThresholdSweep(
                correct: correct.map(\.nearest.distance), tests: all.tests,
                strange: strange.compactMap(\.other?.distance))
            let hasLimits = trials.allSatisfy { $0.nearest.limit.isFinite && $0.nearest.limit > 0 }
            byFactor =
                hasLimits && !trials.isEmpty
                ? ThresholdSweep(
                    correct: correct.map(\.nearest.ratio), tests: all.tests, strange: strange.compactMap(\.other?.ratio)
                )
                : nil
            let sure = trials.compactMap { trial in trial.confidence.map { ($0, trial.isRight) } }
            reliability = sure.isEmpty ? nil : Reliability(sure)
        }

        /// Where a share of known gestures lies for other people, or other samples of one person.
        private static func interval(
            _ trials: [EvaluationTrial], _ people: [Int], _ seed: UInt64, _ isHit: (EvaluationTrial) -> Bool
        ) -> ClosedRange<Double>? {
            Bootstrap.interval(
                clusters(trials, people) { $0.actual == nil ? nil : isHit($0) ? 1 : 0 }, seed: seed)
        }

        /// Trials put together by person; by sample where there is one person.
        static func clusters(
            _ trials: [EvaluationTrial], _ people: [Int], _ value: (EvaluationTrial) -> Double?
        ) -> [Bootstrap.Cluster] {
            let isAlone = Set(people).count < 2
            var clusters: [Int: Bootstrap.Cluster] = [:]
            for (trial, person) in zip(trials, people) {
                guard let value = value(trial) else { continue }
                clusters[isAlone ? trial.item : person, default: .init()].hits += value
                clusters[isAlone ? trial.item : person, default: .init()].tests += 1
            }
            return clusters.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
