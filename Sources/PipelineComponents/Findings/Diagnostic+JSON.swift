import Pipeline

extension Diagnostic {
    /// The finding as JSON. Properties that are `nil` or empty are omitted.
    public var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("severity", .string(severity.rawValue)), ("code", .string(code)), ("message", .string(message)),
        ]
        if let span { members += Self.members(of: span) }
        if !path.isEmpty { members.append(("path", .string(path))) }
        if let label { members.append(("label", .string(label))) }
        if let help { members.append(("help", .string(help))) }
        if let fix {
            members.append(
                (
                    "fix",
                    .object(
                        [("title", .string(fix.title))] + Self.members(of: fix.span) + [
                            ("replacement", .string(fix.replacement))
                        ])
                ))
        }
        return .object(members)
    }

    private static func members(of span: SourceSpan) -> [(key: String, value: JSONValue)] {
        [
            ("file", .string(span.file)), ("line", .integer(span.start.line)), ("column", .integer(span.start.column)),
            ("end_line", .integer(span.end.line)), ("end_column", .integer(span.end.column)),
        ]
    }

    /// Returns a whole report: `{"version": 1, "diagnostics": […], "errors": n, "warnings": n}`.
    public static func report(_ diagnostics: [Diagnostic]) -> JSONValue {
        let errors = diagnostics.count { $0.severity == .error }
        return .object([
            ("version", .integer(1)), ("diagnostics", .array(diagnostics.map(\.json))), ("errors", .integer(errors)),
            ("warnings", .integer(diagnostics.count - errors)),
        ])
    }
}
