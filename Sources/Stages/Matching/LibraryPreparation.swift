import Pipeline
import PipelineComponents

/// Creates templates from a library's samples with the pure stages upstream of a matcher, and collects problems.
struct LibraryPreparation {
    private let options: any MatcherOptions
    private let context: BuildContext
    private var first: PipelineError?

    /// One prepared gesture.
    struct Prepared<Template> {
        /// The category of the gesture. Its score is set later.
        var category: Recognition.Category

        /// The prepared samples: at least one.
        var templates: [Template]
    }

    init(_ options: any MatcherOptions, _ context: BuildContext) {
        self.options = options
        self.context = context
    }

    /// Prepares every sample of every gesture to compare with.
    mutating func prepare<Matcher: TemplateMatcher>(
        _ library: GestureLibrary, for _: Matcher.Type
    ) -> [Prepared<Matcher.Template>] {
        let allowed = options.categories.compared(in: library, noneClass: options.noneClass)
        if let unfit = allowed.first(where: { !fits($0.gesture) })?.gesture {
            let above = context.upstream.above.map { "\"\($0)\"" } ?? "the upstream node"
            let kind = context.upstream.input.map { "\($0.kind)" } ?? "another kind"
            let hands = unfit.kind.isHands
            problem(
                "match.library_kind",
                "the library holds \(hands ? "hands" : "strokes"), but the stages that prepare its samples take \(kind) from \(above)",
                help:
                    "all stages between the \(hands ? "hands" : "strokes") and the matcher must be pure and have one input: "
                    + (hands ? "convert, normalize_hand, vectorize" : "resample, normalize, vectorize, rasterize"))
            return []
        }
        warnOfUnknownLabels(library)
        var prepared: [Prepared<Matcher.Template>] = []
        for (index, gesture) in allowed {
            let templates = templates(of: gesture, for: Matcher.self)
            if gesture.sampleCount == 0 {
                context.report(
                    .warning, "match.no_samples", "the gesture \"\(gesture.name)\" has no samples and is never found",
                    option: "library")
            }
            guard !templates.isEmpty else { continue }
            let name = gesture.displayName(locale: options.displayNames)
            prepared.append(
                Prepared(
                    category: Recognition.Category(name: gesture.name, displayName: name, index: index, score: 0),
                    templates: templates))
        }
        if prepared.isEmpty { reportNothing(in: library, allowed: allowed.count) }
        return prepared
    }

    /// Reports why there is nothing to compare with.
    private mutating func reportNothing(in library: GestureLibrary, allowed: Int) {
        guard allowed == 0, !library.gestures.isEmpty else {
            return problem("match.empty_library", "the library has no sample to compare with")
        }
        let list = options.categories.allowlist.isEmpty ? "category_denylist" : "category_allowlist"
        problem(
            "match.nothing_allowed", "\(list) leaves none of the library's \(library.gestures.count) gestures",
            option: list,
            help: "its gestures: " + library.gestures.prefix(20).map(\.name).joined(separator: ", "))
    }

    private mutating func templates<Matcher: TemplateMatcher>(
        of gesture: GestureLibrary.Gesture, for _: Matcher.Type
    ) -> [Matcher.Template] {
        var templates: [Matcher.Template] = []
        templates.reserveCapacity(gesture.sampleCount)
        for (number, sample) in (gesture.samples as [any Payload] + gesture.hands as [any Payload]).enumerated() {
            do {
                templates.append(try Matcher.template(of: context.upstream.prepare(sample, as: Matcher.Query.self)))
            } catch {
                let text = (error as? PipelineError)?.message ?? "\(error)"
                problem("match.sample_refused", "sample \(number + 1) of \"\(gesture.name)\" is refused: \(text)")
            }
        }
        let patterns = gesture.patterns.compactMap(Matcher.template(ofPattern:))
        if patterns.count < gesture.patterns.count {
            problem(
                "match.sample_refused",
                "\"\(gesture.name)\" holds bare bitmaps, which \(Matcher.name(MatchRules())) cannot compare",
                help: "match_bitmap compares them; or leave the gesture out with category_denylist")
        }
        return templates + patterns
    }

    /// Throws the first problem, if there is one. The other problems have been reported to the context.
    func throwFirstProblem() throws {
        if let first { throw first }
    }

    private mutating func problem(
        _ code: String, _ message: String, option: String = "library", help: String? = nil
    ) {
        if first == nil {
            first = PipelineError(.configuration, code, message, help: help).about(option: option)
        } else {
            context.report(.error, code, message, option: option, help: help)
        }
    }

    /// Returns whether the samples of a gesture have the payload type that the first of the preparing stages accepts. Bare bitmaps
    /// need no preparation, so they always fit.
    private func fits(_ gesture: GestureLibrary.Gesture) -> Bool {
        guard !gesture.samples.isEmpty || !gesture.hands.isEmpty else { return true }
        let payload = gesture.kind.isHands ? PortType(Landmarks.self) : PortType(Stroke.self)
        return context.upstream.input?.isSamePayload(as: payload) ?? false
    }

    private func warnOfUnknownLabels(_ library: GestureLibrary) {
        let names = Set(library.gestures.map(\.name))
        for (option, labels) in [
            ("category_allowlist", options.categories.allowlist), ("category_denylist", options.categories.denylist),
        ] {
            for label in labels where !names.contains(label) {
                context.report(
                    .warning, "match.unknown_label", "\"\(label)\" is not a gesture of the library", option: option,
                    help: "its gestures: " + library.gestures.prefix(20).map(\.name).joined(separator: ", "))
            }
        }
    }
}
