import Pipeline

/// Runs the conformance suites on components whose types are known only after a configuration has been read, such as the
/// components in the examples of a registry.
public enum ErasedConformance {
    /// Returns all promises that a stage breaks.
    public static func violations(of stage: any Stage, isPure: Bool) async -> [Violation] {
        await check(stage, isPure)
    }

    /// Returns all promises that an asynchronous stage breaks. Services that the stage uses must be available.
    public static func violations(of stage: any AsyncStage) async -> [Violation] {
        await check(stage)
    }

    /// Returns all promises that a sink breaks.
    public static func violations(of sink: any Sink) async -> [Violation] {
        await check(sink)
    }

    private static func check<S: Stage>(_ stage: S, _ isPure: Bool) async -> [Violation] {
        guard let (typical, hostile) = payloads(S.Input.self) else { return [unknown(S.Input.kind)] }
        return await StageConformance(stage, isPure: isPure, typical: typical, hostile: hostile).violations()
    }

    private static func check<S: AsyncStage>(_ stage: S) async -> [Violation] {
        guard let (typical, hostile) = payloads(S.Input.self) else { return [unknown(S.Input.kind)] }
        return await AsyncStageConformance(stage, typical: typical, hostile: hostile).violations()
    }

    private static func check<S: Sink>(_ sink: S) async -> [Violation] {
        guard let (typical, hostile) = payloads(S.Input.self) else { return [unknown(S.Input.kind)] }
        return await SinkConformance(sink, typical: typical, hostile: hostile).violations()
    }

    private static func payloads<P: Payload>(_ type: P.Type) -> (typical: [P], hostile: [P])? {
        guard let known = type as? any ConformancePayload.Type else { return nil }
        return ((0..<40).compactMap { known.typical($0) as? P }, known.hostile.compactMap { $0 as? P })
    }

    private static func unknown(_ kind: Kind) -> Violation {
        Violation("payload_has_test_values", "\(kind) does not conform to ConformancePayload")
    }
}
