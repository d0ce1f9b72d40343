import Pipeline
import PipelineComponents

/// The speed at which a recording is replayed.
public enum ReplayRate: OptionValue, Hashable {
    /// As fast as the frames can be processed.
    case max

    /// A multiple of the recorded speed.
    case times(Double)

    public static var schema: ValueSchema { .anyOf([.choice(["max"]), .number(min: 0.001, max: 1000)]) }

    public var yaml: String? {
        switch self {
        case .max: "max"
        case .times(let rate): rate.yaml
        }
    }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> ReplayRate? {
        if node.scalar?.text == "max" { return .max }
        guard let scalar = node.scalar, let rate = scalar.number, rate.isFinite else {
            context.mismatch(node, wanted: "max or a number")
            return nil
        }
        guard (0.001...1000).contains(rate) else {
            context.findings.error(
                "option.range", "\(scalar.text) is out of range", at: node.span, path: context.path,
                label: "allowed: 0.001 to 1000")
            return nil
        }
        return .times(rate)
    }
}
