import Pipeline
import PipelineComponents

extension DecodeOptions {
    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        checkTimeUnit(node, context)
        checkPaths(node, context)
        checkSizes(node, context)
        if topicDelimiter?.isEmpty == true {
            context.findings.error(
                "option.delimiter", "the text between a topic and a payload cannot be empty",
                at: (node["topic_delimiter"] ?? node).span, path: context.descending("topic_delimiter").path,
                help: "write the characters, with quotes around a space: \" \"")
        }
        guard delimiter != "tab", delimiter.utf8.count != 1 || ["\"", "\n", "\r"].contains(delimiter) else { return }
        context.findings.error(
            "option.delimiter", "\"\(delimiter)\" cannot separate cells", at: (node["delimiter"] ?? node).span,
            path: context.path + ".delimiter", help: "write one ASCII character, or tab")
    }

    /// Reports times whose unit is not configured. No unit is assumed, because times in a wrong unit look plausible although they
    /// are wrong by a factor of a thousand.
    private func checkTimeUnit(_ node: ConfigNode, _ context: DecodingContext) {
        let isForPoints = fields?.slots.contains(.t) == true && sampleUnit == nil
        guard tUnit == nil else { return }
        if let column = columns.t {
            reportTimeUnit(
                "column \(column.yaml ?? "")", column.likelyUnit, node["columns"]?["t"] ?? node, beside: "columns",
                context)
        } else if let path = t.first {
            reportTimeUnit(
                "\"\(path)\"", TimeUnit.likely(in: path.description), node["t"] ?? node, beside: "t", context)
        } else if frames == .topicTimeAndPayload {
            reportTimeUnit("the second frame", nil, node["frames"] ?? node, beside: "frames", context)
        } else if isForPoints {
            reportTimeUnit("points", nil, node["fields"] ?? node, beside: "fields", context)
        }
    }

    private func reportTimeUnit(
        _ place: String, _ likely: TimeUnit?, _ node: ConfigNode, beside: String, _ context: DecodingContext
    ) {
        context.findings.error(
            "decode.time_unit", "the unit of the times of \(place) is missing", at: node.span,
            path: context.descending("t_unit").path,
            help: likely.map { "add t_unit: \($0.rawValue), if that is the unit that the name stands for" }
                ?? "add t_unit: s, ms, us or ns, beside \(beside), or iso8601 for texts with a date")
    }

    /// The maximum count of numbers in a message.
    private static let maxNumbers = 1 << 28

    /// Returns how many numbers a message of the given ``shape`` has, or `nil` if there is no shape.
    ///
    /// - Throws: A configuration error if no message has such a shape.
    func numbersOfShape() throws(PipelineError) -> Int? {
        guard !shape.isEmpty else { return nil }
        var product = 1
        for size in shape {
            guard size > 0, size <= Self.maxNumbers / product else {
                throw PipelineError(
                    .configuration, "option.range",
                    size > 0 ? "a message of this shape is too large" : "\(size) in \"shape\" is out of range",
                    help: "each size is at least 1, and their product at most \(Self.maxNumbers)")
            }
            product *= size
        }
        return product
    }

    private func checkSizes(_ node: ConfigNode, _ context: DecodingContext) {
        let (place, path) = ((node["shape"] ?? node).span, context.descending("shape").path)
        do {
            _ = try numbersOfShape()
        } catch {
            context.findings.error(error.code, error.message, at: place, path: path, help: error.help)
        }
        guard let fields, shape.count > 1, let width = shape.last, width != fields.slots.count else { return }
        context.findings.error(
            "option.conflict", "\"shape\" has points of \(width) numbers, but \"fields\" names \(fields.slots.count)",
            at: place, path: path, help: "the last size in shape is the number of numbers of a point")
    }

    private func checkPaths(_ node: ConfigNode, _ context: DecodingContext) {
        var names: [[FieldPath.Step]: String] = [:]
        for (_, name, paths) in paths {
            for path in paths {
                if let other = names.updateValue(name, forKey: path.steps) {
                    context.findings.error(
                        "decode.path_twice",
                        other == name ? "\"\(path)\" is given twice" : "\"\(path)\" is both \(other) and \(name)",
                        at: (node[name] ?? node).span, path: context.descending(name).path)
                }
            }
        }
    }

    /// Reports options that do not fit the kind of payload.
    ///
    /// - Parameters:
    ///   - kind: The kind of payload that the source produces.
    ///   - isTable: Whether the source reads a table.
    ///   - isKnown: Whether `isTable` is certain. If not, the source finds out when it reads its input.
    func check(
        _ kind: PayloadKind, isTable: Bool, isKnown: Bool = true, _ node: ConfigNode, _ context: DecodingContext
    ) {
        let inner = context.descending("decode")
        if isKnown { checkShape(isTable: isTable, kind, node, inner) }
        checkKeys(kind, node, inner)
        if isKnown, !isTable { checkListedTimes(kind, node, inner) }
        guard isTable else { return checkMapping(kind, node, inner) }
        let columnsNode = node["decode"]?["columns"]
        if labels != nil, kind != .landmarks, kind != .hands, row == .sample {
            context.findings.error(
                "option.conflict", "\"labels\" has no effect where a row does not hold a whole set",
                at: node["decode"]?["labels"]?.span, path: inner.descending("labels").path,
                help: "leave it out, or write row: set if every row holds all points of a stroke")
        }
        if kind == .landmarks || kind == .hands || kind.declaresFields { return }
        if kind != .stroke && (kind != .points || row == .set) {
            context.findings.error(
                "decode.kind",
                row == .set
                    ? "a row holds a stroke or landmarks, not \(kind.name)"
                    : "a table holds points, strokes or landmarks, not \(kind.name)",
                at: (node["kind"] ?? node).span,
                path: context.path + ".kind")
        } else if kind == .points, columnsNode != nil, columns.t == nil {
            context.findings.error(
                "decode.time", "points need a column of times", at: columnsNode?.span,
                path: context.path + ".decode.columns", help: "add t: with the column's number or name")
        }
    }

    /// Reports times of points that cannot be read: in a list of points, they are numbers.
    private func checkListedTimes(_ kind: PayloadKind, _ node: ConfigNode, _ context: DecodingContext) {
        guard kind == .stroke || kind == .points, fields?.slots.contains(.t) == true,
            (sampleUnit ?? tUnit) == .iso8601
        else { return }
        context.findings.error(
            "decode.time_unit", "the times of points in lists are numbers, not texts",
            at: (node["decode"]?["fields"] ?? node).span, path: context.descending("sample_unit").path,
            help: "add sample_unit: s, ms, us or ns")
    }

    /// Reports options for rows if the source reads documents, and options for documents if it reads rows.
    private func checkShape(isTable: Bool, _ kind: PayloadKind, _ node: ConfigNode, _ context: DecodingContext) {
        guard let decode = node["decode"] else { return }
        let format = filled(for: kind).format
        let isRows = isTable || format?.isRows ?? false
        let isRaw = !isTable && format?.isRaw ?? false
        let ofRows = ["columns", "header", "delimiter", "row", "labels"]
        let unused =
            isRaw ? paths.map(\.name) + ofRows : isRows ? paths.map(\.name) + ["shape"] : ofRows + ["shape"]
        let content = isRaw ? "messages contain only numbers" : isRows ? "rows are read" : "no rows are read"
        for name in unused {
            guard let given = decode[name], !given.isNull else { continue }
            context.findings.error(
                "option.conflict",
                name == "shape"
                    ? "\"shape\" has no effect unless messages are bare numbers"
                    : "\"\(name)\" has no effect where \(content)",
                at: given.span, path: context.descending(name).path,
                help: name == "shape"
                    ? "leave it out, or write format: float32"
                    : isRaw
                        ? "leave it out: shape and fields say what the numbers are"
                        : isRows
                            ? "columns says which column holds what"
                            : "leave it out, or write format: csv to read rows")
        }
    }

    /// Reports paths to fields that the payload does not declare.
    private func checkKeys(_ kind: PayloadKind, _ node: ConfigNode, _ context: DecodingContext) {
        let given = node["decode"]?["keys"]
        guard kind.declaresFields else {
            if let given, !given.isNull {
                context.findings.error(
                    "option.conflict", "\"keys\" has no effect for kind \(kind.name)", at: given.span,
                    path: context.descending("keys").path,
                    help: "keys is for payloads that declare their fields; for this kind, use options such as points")
            }
            return
        }
        let names = kind.type.messageFields.map(\.name)
        for entry in given?.mapping ?? [] where !names.contains(entry.key) {
            context.findings.error(
                "option.unknown", "\(kind.name) has no field \"\(entry.key)\"", at: entry.keySpan,
                path: context.descending("keys").path,
                help: suggestion(for: entry.key, among: names, list: "its fields"))
        }
        let envelope: [MessageField] = [.time, .sequence, .stream, .end]
        for (field, name, paths) in paths where !paths.isEmpty && !envelope.contains(field) {
            context.findings.error(
                "option.conflict", "\"\(name)\" has no effect for kind \(kind.name)",
                at: (node["decode"]?[name] ?? node).span, path: context.descending(name).path,
                help: "keys: { \(names.first ?? "name"): … } says where its fields are")
        }
    }

    /// Reports options that do not fit messages of this kind.
    private func checkMapping(_ kind: PayloadKind, _ node: ConfigNode, _ context: DecodingContext) {
        guard isMapped else { return }
        let filled = filled(for: kind)
        guard kind.type.canBeMapped else {
            context.findings.error(
                "decode.kind", "a \(kind.name) is read from canonical messages only",
                at: (node["kind"] ?? node).span, path: context.path,
                help: "leave decode out, or write kind: points, stroke, landmarks, hands or vector")
            return
        }
        guard let preset, !preset.kinds.contains(kind), points + left + right + values == [] else {
            return kind.declaresFields
                ? checkDeclared(kind, filled, node, context) : checkContent(kind, filled, node, context)
        }
        context.findings.error(
            "decode.preset", "preset \(preset.rawValue) gives no \(kind.name)",
            at: (node["decode"]?["preset"] ?? node).span, path: context.descending("preset").path,
            help: "write kind: \(preset.kinds.map(\.name).joined(separator: " or kind: "))")
    }

    /// Reports a format whose messages have no named fields, if the payload declares fields.
    private func checkDeclared(
        _ kind: PayloadKind, _ filled: DecodeOptions, _ node: ConfigNode, _ context: DecodingContext
    ) {
        guard let format = filled.format, format.isRows || format.isRaw else { return }
        context.findings.error(
            "decode.kind", "messages of \(format.rawValue) have no field names, which \(kind.name) needs",
            at: (node["decode"]?["format"] ?? node).span, path: context.descending("format").path,
            help: "write format: json or msgpack, or read a table from a file or a pipe")
    }

    /// Reports missing paths to the content of the payload, and options that have no effect on rows in messages.
    private func checkContent(
        _ kind: PayloadKind, _ filled: DecodeOptions, _ node: ConfigNode, _ context: DecodingContext
    ) {
        let isText = filled.format?.isRows ?? false
        if filled.format?.isRaw ?? false { return }
        let content = kind == .vector ? filled.values : filled.points + filled.left + filled.right
        if !isText, content.isEmpty {
            let wanted = kind == .vector ? "values" : "points"
            context.findings.error(
                "decode.points", "the path of the \(wanted) is missing", at: (node["decode"] ?? node).span,
                path: context.path, help: "add \(wanted): with the path to them, or a preset")
        }
        guard isText else {
            checkHeld(kind, node, context)
            return checkInside(filled, node, context)
        }
        if let column = columns.named.first {
            context.findings.error(
                "decode.column", "column \"\(column)\" cannot be found: a message has no header",
                at: (node["decode"]?["columns"] ?? node).span, path: context.descending("columns").path,
                help: "give columns by number, from 1")
        } else if columns.x?.isNumber != columns.y?.isNumber {
            context.findings.error(
                "decode.column",
                "columns says where \(columns.x?.isNumber == true ? "x is, but not where y" : "y is, but not where x") is",
                at: (node["decode"]?["columns"] ?? node).span, path: context.descending("columns").path,
                help: "with x and y, every row is one point; without both, one row contains all points")
        }
        for name in ["header", "row", "labels", "columns.stroke", "columns.gesture"] {
            let given = name.split(separator: ".").reduce(node["decode"]) { $0?[String($1)] }
            guard let given, !given.isNull else { continue }
            context.findings.error(
                "option.conflict", "\"\(name)\" has no effect where every message has its own rows", at: given.span,
                path: context.path + "." + name, help: "leave it out: it is for tables that a file or a pipe holds")
        }
    }

    /// Reports paths to values that payloads of the kind do not have.
    private func checkHeld(_ kind: PayloadKind, _ node: ConfigNode, _ context: DecodingContext) {
        for (field, name, paths) in paths where !paths.isEmpty && !field.isHeld(by: kind) {
            let others = DecodePreset.canonical.kinds.filter { field.isHeld(by: $0) }
            context.findings.error(
                "option.conflict", "\"\(name)\" has no effect for kind \(kind.name)",
                at: (node["decode"]?[name] ?? node).span, path: context.descending(name).path,
                help: "leave it out: it is for kind: \(others.map(\.name).joined(separator: " or kind: "))")
        }
    }

    /// Reports paths that lead into a list that another path reads as a whole.
    private func checkInside(_ filled: DecodeOptions, _ node: ConfigNode, _ context: DecodingContext) {
        let ofPoints: Set<MessageField> = [.points, .left, .right, .world, .leftWorld, .rightWorld]
        let lists = filled.paths.filter { ofPoints.union([.confidences, .counts, .values]).contains($0.field) }
        for (field, name, paths) in paths where !ofPoints.contains(field) {
            for path in paths {
                let list = lists.first { list in
                    list.paths.contains { outer in
                        guard path.steps.count > outer.steps.count, path.steps.starts(with: outer.steps) else {
                            return false
                        }
                        if case .key = path.steps[outer.steps.count] { return false }
                        // With another path to the elements, the list is not read as a whole.
                        return !list.paths.contains { $0.steps == outer.steps + [.each] }
                    }
                }
                guard let list else { continue }
                context.findings.error(
                    "decode.path_inside", "\"\(path)\" is inside of the list that \"\(list.name)\" reads as a whole",
                    at: (node["decode"]?[name] ?? node).span, path: context.descending(name).path,
                    help: ofPoints.contains(list.field)
                        ? "give a path beside the points; with [*] at the end of \(list.name), a path may lead into each point"
                        : "give the path of a value outside of that list")
            }
        }
    }

    /// Reports options that have no effect on messages from a socket.
    func checkSocket(_ node: ConfigNode, _ context: DecodingContext) {
        var unused = [
            ("hz", "for messages over ZeroMQ", "leave it out: a message without a time is stamped when it arrives")
        ]
        if frames == .topicAndPayload || frames == .topicTimeAndPayload {
            unused.append(
                (
                    "topic_delimiter", "with frames: \(frames?.rawValue ?? "")",
                    "leave it out, or write frames: one if topic and payload are in one frame"
                ))
        }
        for (name, place, help) in unused {
            guard let given = node["decode"]?[name], !given.isNull else { continue }
            context.findings.error(
                "option.conflict", "\"\(name)\" has no effect \(place)", at: given.span,
                path: context.path + ".decode.\(name)", help: help)
        }
    }

    /// Reports options that have no effect on a source that reads lines.
    func checkLines(_ node: ConfigNode, _ context: DecodingContext) {
        if let format, format.isRaw {
            context.findings.error(
                "decode.format", "the ends of messages of \(format.rawValue) cannot be found in a file or a pipe",
                at: (node["decode"]?["format"] ?? node).span, path: context.path + ".decode.format",
                help: "read such messages over ZeroMQ")
        }
        guard let frames = node["decode"]?["frames"], !frames.isNull else { return }
        context.findings.error(
            "option.conflict", "\"frames\" has no effect for lines", at: frames.span,
            path: context.path + ".decode.frames",
            help: "leave it out; topic_delimiter splits a line into a topic and a payload")
    }
}
