import Pipeline
import PipelineComponents

/// The options of a component as rows of tables: one table of the component's own options, and one table for each set of options
/// that several components share, such as the socket options.
struct OptionRows {
    /// One option. If the option is a mapping, the rows of the options in it follow, with names joined by dots.
    struct Row {
        /// The full name: `decode.columns.x`.
        let name: String
        /// The name in its table. In a table of shared options, it does not contain the option that holds them: `columns.x`.
        let shortName: String
        let option: OptionDescription

        /// The note `default 4` or `required`; `nil` if neither applies.
        var defaultNote: String? {
            option.isRequired ? "required" : option.defaultYAML.map { "default \($0)" }
        }

        /// The text of the default column.
        var defaultText: String { option.isRequired ? "required" : option.defaultYAML ?? "" }
    }

    /// A set of options that several components share, at its place in this component.
    struct Shared {
        let title: String
        /// The mapping option that contains the set: `decode`; empty if the set is at the top level.
        let holder: String
        /// The title of the shared set that contains `holder`; `nil` if `holder` is one of the component's own options.
        let parent: String?
        fileprivate(set) var rows: [Row] = []
    }

    /// All rows, in the order of declaration.
    private(set) var all: [Row] = []
    /// The rows of the component's own options.
    private(set) var own: [Row] = []
    /// The sets of shared options, with their rows.
    private(set) var shared: [Shared] = []

    /// Creates the rows of a component's options.
    init(_ options: [OptionDescription]) { add(options, in: "", of: "", under: nil) }

    private mutating func add(
        _ options: [OptionDescription], in prefix: String, of shortPrefix: String, under place: Int?
    ) {
        for option in options {
            var (place, shortPrefix) = (place, shortPrefix)
            let title = place.map { shared[$0].title }
            if let section = option.section, section != title {
                let holder = String(prefix.dropLast())
                let known = shared.firstIndex { $0.title == section && $0.holder == holder }
                if known == nil { shared.append(Shared(title: section, holder: holder, parent: title)) }
                (place, shortPrefix) = (known ?? shared.count - 1, "")
            }
            let row = Row(name: prefix + option.name, shortName: shortPrefix + option.name, option: option)
            all.append(row)
            if let place { shared[place].rows.append(row) } else { own.append(row) }
            add(Self.group(in: option.schema), in: row.name + ".", of: row.shortName + ".", under: place)
        }
    }

    private static func group(in schema: ValueSchema) -> [OptionDescription] {
        switch schema {
        case .group(let options): options
        case .anyOf(let shapes): shapes.flatMap(group)
        default: []
        }
    }

    // MARK: Terminal

    /// Returns one section of text per table, each with its title.
    func text(_ style: Style, width: Int) -> [String] {
        var sections = own.isEmpty ? [] : [style.strong("Options") + "\n" + Self.lines(own, width: width)]
        for part in shared {
            let title = part.holder.isEmpty ? part.title : "\(part.title) of \(part.holder)"
            sections.append(style.strong(title) + "\n" + Self.lines(part.rows, width: width))
        }
        return sections
    }

    private static func lines(_ rows: [Row], width: Int) -> String {
        rows.map { row in
            let facts = [row.option.type, row.defaultNote].compactMap { $0 }.joined(separator: "; ")
            return "  " + WrappedText.wrap("\(row.name) (\(facts))", width: width, indent: 6) + "\n"
                + "      " + WrappedText.wrap(row.option.summary, width: width, indent: 6) + "\n"
        }.joined()
    }

    // MARK: Markdown

    /// The component's own options as a table, followed by links to the tables of shared options.
    var markdown: String {
        let links = links(under: nil)
        let also = own.isEmpty ? "Takes" : "Also takes"
        return (own.isEmpty ? "" : Self.table(own.map { ($0.name, $0) }))
            + (links.isEmpty ? "" : "\(also) \(links).\n\n")
    }

    /// Returns the part of the reference page about shared options. Each set appears once, with the components that use it.
    static func sharedMarkdown(_ entries: [Registry.Entry]) -> String {
        let all = entries.map { ($0, OptionRows($0.options)) }
        var titles: [String] = []
        for part in all.flatMap(\.1.shared) where !titles.contains(part.title) { titles.append(part.title) }
        if titles.isEmpty { return "" }
        let sections = titles.map { title in
            let parts = all.flatMap { entry, rows in rows.shared.map { (entry.manifest.name, rows, $0) } }
                .filter { $0.2.title == title }
            guard let (_, rows, part) = parts.first else { return "" }
            let links = rows.links(under: title)
            return "### \(title)\n\n\(users(parts.map { ($0.0, $0.2) })).\n\n"
                + table(part.rows.map { ($0.shortName, $0) }) + (links.isEmpty ? "" : "Also takes \(links).\n\n")
        }
        return "## Shared options\n\n" + sections.joined().dropLast()
    }

    /// Returns links to shared sets, as a part of a sentence:
    /// ``the [socket options](#socket-options) and in `decode` the [decode options](#decode-options)``.
    ///
    /// - Parameter title: The shared set whose inner sets are linked; `nil` for the sets that are not inside another one.
    private func links(under title: String?) -> String {
        let links = shared.filter { $0.parent == title }.map { part in
            let anchor = part.title.lowercased().split(separator: " ").joined(separator: "-")
            let link = "[\(Self.inSentence(part.title))](#\(anchor))"
            return part.holder.isEmpty ? "the \(link)" : "in `\(part.holder)` the \(link)"
        }
        return Self.list(links)
    }

    /// Returns the components that use a shared set: `Of match and spot; of custom and canned in recognize_hand`.
    private static func users(_ parts: [(component: String, part: Shared)]) -> String {
        var components: [(holder: String, names: [String])] = []
        for (component, part) in parts {
            let index = components.firstIndex { $0.holder == part.holder } ?? components.count
            if index == components.count { components.append((part.holder, [])) }
            if !components[index].names.contains(component) { components[index].names.append(component) }
        }
        var places: [(holders: [String], names: [String])] = []
        for (holder, names) in components {
            if let index = places.firstIndex(where: { $0.names == names && !$0.holders.contains("") }), !holder.isEmpty
            {
                places[index].holders.append(holder)
            } else {
                places.append(([holder], names))
            }
        }
        func code(_ names: [String]) -> String { list(names.map { "`\($0)`" }) }
        return "Of "
            + places.map { ($0.holders == [""] ? "" : code($0.holders) + " in ") + code($0.names) }
            .joined(separator: "; of ")
    }

    private static func table(_ rows: [(name: String, row: Row)]) -> String {
        "| option | type | default | |\n| --- | --- | --- | --- |\n"
            + rows.map { name, row in
                let shown = row.option.isRequired || row.defaultText.isEmpty ? row.defaultText : "`\(row.defaultText)`"
                let cells = ["`\(name)`", row.option.type, shown, row.option.summary]
                return "| " + cells.map(escapeCell).joined(separator: " | ") + " |\n"
            }.joined() + "\n"
    }

    /// Returns a title in the form used within a sentence: `socket options`, but `CURVE options`.
    private static func inSentence(_ title: String) -> String {
        title.dropFirst().first?.isUppercase == true ? title : title.prefix(1).lowercased() + title.dropFirst()
    }

    private static func list(_ items: [String]) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func escapeCell(_ text: String) -> String {
        text.map { $0 == "|" ? "\\|" : String($0) }.joined()
    }
}
