import Pipeline

extension StageList: OptionValue {
    public static var schema: ValueSchema { .stages }
    public var yaml: String? { nil }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> StageList? {
        context.stageLists?(node, context) ?? StageList()
    }
}
