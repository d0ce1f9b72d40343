import Pipeline
import PipelineComponents

/// Replaces variables in the string scalars of a tree: `${NAME}`, `${NAME:-default}`, and `$$` for a plain `$`.
///
/// As in a shell, the default is used if the variable is unset or empty. Variables in keys are not replaced, and inserted values
/// are never parsed as YAML.
///
/// A scalar in which a variable was replaced counts as plain even if it is quoted, so that its value can be a number. YAML
/// requires the quotes between braces: `{ port: "${PORT}" }`. A quoted scalar whose value would be read as null stays a string.
struct Interpolation {
    private let environment: [String: String]
    private let text: SourceText
    /// The error of each scalar that could not be read, by the position of the scalar.
    private var errors: [SourceSpan: Diagnostic] = [:]

    private init(_ environment: [String: String], _ text: SourceText) {
        self.environment = environment
        self.text = text
    }

    /// Returns the tree with all variables replaced, and then changed. O(n), apart from the change.
    ///
    /// - Parameters:
    ///   - text: The text that the tree was parsed from. Findings refer to the variable in this text.
    ///   - change: Changes the tree. An error in a value that is no longer in the changed tree is not reported.
    static func apply(
        to root: ConfigNode, environment: [String: String], text: SourceText, findings: Findings,
        change: (ConfigNode) -> ConfigNode = { $0 }
    ) -> ConfigNode {
        var interpolation = Interpolation(environment, text)
        let root = change(interpolation.visit(root, path: ""))
        interpolation.report(in: root, to: findings)
        return root
    }

    private mutating func report(in node: ConfigNode, to findings: Findings) {
        switch node.value {
        case .scalar:
            guard let error = errors.removeValue(forKey: node.span) else { return }
            findings.add(error)
            findings.markUnreadable(node.span)
        case .sequence(let nodes): for node in nodes { report(in: node, to: findings) }
        case .mapping(let entries): for entry in entries { report(in: entry.value, to: findings) }
        }
    }

    private mutating func visit(_ node: ConfigNode, path: String) -> ConfigNode {
        var node = node
        switch node.value {
        case .scalar(let scalar):
            guard scalar.text.unicodeScalars.contains("$") else { break }
            guard let result = interpolate(scalar, at: node.span, path: path) else { break }
            node.value = .scalar(result)
        case .sequence(let nodes):
            node.value = .sequence(nodes.enumerated().map { visit($1, path: "\(path)[\($0)]") })
        case .mapping(let entries):
            let prefix = path.isEmpty ? "" : "\(path)."
            node.value = .mapping(
                entries.map { .init(key: $0.key, keySpan: $0.keySpan, value: visit($0.value, path: prefix + $0.key)) })
        }
        return node
    }

    private mutating func interpolate(
        _ scalar: ConfigNode.Scalar, at span: SourceSpan, path: String
    ) -> ConfigNode.Scalar? {
        var result = String.UnicodeScalarView()
        var rest = Substring(scalar.text).unicodeScalars
        var didReplace = false
        while let next = rest.popFirst() {
            guard next == "$", let following = rest.first else {
                result.append(next)
                continue
            }
            if following == "$" {
                rest.removeFirst()
                result.append("$")
            } else if following == "{" {
                rest.removeFirst()
                guard let end = rest.firstIndex(of: "}") else {
                    report("this variable has no closing }", "${" + String(rest), span, path)
                    return nil
                }
                let inside = String(rest[..<end])
                rest = rest[rest.index(after: end)...]
                guard let value = value(of: inside, span, path) else { return nil }
                result.append(contentsOf: value.unicodeScalars)
                didReplace = true
            } else {
                result.append("$")
            }
        }
        let plain = ConfigNode.Scalar(text: String(result), isPlain: true)
        let isNull = ConfigNode(.scalar(plain), span: span).isNull
        return .init(text: plain.text, isPlain: scalar.isPlain || (didReplace && !isNull))
    }

    private mutating func value(of inside: String, _ span: SourceSpan, _ path: String) -> String? {
        let (name, fallback): (String, String?) =
            if let marker = Self.marker(in: inside) {
                (String(inside[..<marker]), String(inside[inside.index(marker, offsetBy: 2)...]))
            } else {
                (inside, nil)
            }
        guard Self.isName(name) else {
            report(
                "\"\(name)\" cannot be the name of a variable", "${\(inside)}", span, path,
                help: "write ${NAME} or ${NAME:-default}; for a plain dollar sign write $$")
            return nil
        }
        if let fallback, fallback.contains("${") {
            report(
                "a default cannot contain a variable", "${\(inside)}", span, path,
                help: "write the default itself, as in ${\(name):-default}")
            return nil
        }
        let value = environment[name]
        if let fallback, value ?? "" == "" { return fallback }
        if let value { return value }
        errors[span] = Diagnostic(
            .error, "interpolation.undefined", "the environment variable \(name) is not set",
            span: place(of: "${\(inside)}", in: span), path: path, help: "set it, or give a default: ${\(name):-…}")
        return nil
    }

    private static func marker(in text: String) -> String.Index? {
        text.indices.first { text[$0...].hasPrefix(":-") }
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    private mutating func report(
        _ message: String, _ written: String, _ span: SourceSpan, _ path: String, help: String? = nil
    ) {
        errors[span] = Diagnostic(
            .error, "interpolation.syntax", message, span: place(of: written, in: span), path: path,
            help: help ?? "write ${NAME} or ${NAME:-default}; for a plain dollar sign write $$")
    }

    /// Returns the position of `written` in a scalar or, if escapes or folded lines change how the variable is written, of the
    /// whole scalar.
    private func place(of written: String, in span: SourceSpan) -> SourceSpan {
        let start = text.offset(of: span.start)
        let end = text.offset(of: span.end)
        let wanted = Array(written.unicodeScalars)
        guard wanted.count <= end - start else { return span }
        for offset in start...(end - wanted.count) where text.scalars[offset..<(offset + wanted.count)] == wanted[...] {
            return text.span(from: offset, to: offset + wanted.count)
        }
        return span
    }
}
