import CYAML

/// Reads a YAML text event by event. All uses of libyaml's pointers are in this file.
///
/// The text must not begin with a byte order mark. Positions are offsets in Unicode scalars, as libyaml counts them. libyaml's own
/// line numbers are not used, because it also treats NEL, LS and PS as line breaks.
final class YAMLEventReader {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    /// Creates a reader at the beginning of a text.
    init(_ text: String) {
        let utf8 = Array(text.utf8)
        bytes = .allocate(capacity: max(utf8.count, 1))
        _ = bytes.initialize(from: utf8)
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        // This fails only if memory runs out. The first `next` then throws an error, because the parser is all zeros.
        _ = yaml_parser_initialize(parser)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, utf8.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deinitialize(count: 1)
        parser.deallocate()
        bytes.deallocate()
    }

    /// Returns the next event.
    ///
    /// - Throws: ``YAMLProblem`` if the text violates the grammar. Do not call this again after an error.
    func next() throws(YAMLProblem) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) != 0 else { throw problem() }
        defer { yaml_event_delete(&event) }
        return YAMLEvent(
            kind: Self.kind(of: event), start: Int(clamping: event.start_mark.index),
            end: Int(clamping: event.end_mark.index))
    }

    private static func kind(of event: yaml_event_t) -> YAMLEvent.Kind {
        switch event.type {
        case YAML_STREAM_START_EVENT: return .streamStart
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_DOCUMENT_END_EVENT: return .documentEnd
        case YAML_ALIAS_EVENT: return .alias(string(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let buffer = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            return .scalar(
                String(decoding: buffer, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE,
                .init(anchor: string(scalar.anchor), tag: string(scalar.tag)))
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return .sequenceStart(
                isFlow: start.style == YAML_FLOW_SEQUENCE_STYLE,
                .init(anchor: string(start.anchor), tag: string(start.tag)))
        case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return .mappingStart(
                isFlow: start.style == YAML_FLOW_MAPPING_STYLE,
                .init(anchor: string(start.anchor), tag: string(start.tag)))
        case YAML_MAPPING_END_EVENT: return .mappingEnd
        default: return .streamEnd
        }
    }

    private static func string(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    private func problem() -> YAMLProblem {
        let state = parser.pointee
        let context = state.context.map { String(cString: $0) } ?? ""
        return YAMLProblem(
            problem: state.problem.map { String(cString: $0) } ?? "out of memory",
            offset: Int(clamping: state.problem_mark.index), context: context,
            contextOffset: context.isEmpty ? nil : Int(clamping: state.context_mark.index))
    }
}
