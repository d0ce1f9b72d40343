/// Returns the name most similar to `text`, or `nil` if none is similar enough.
///
/// The Damerau–Levenshtein distance (optimal string alignment, ignoring case) must be at most a third of the longer name's length,
/// and at most three. Names of fewer than three characters may still differ by a distance of one. If two names are equally
/// similar, the first one is returned.
package func nearestName(to text: String, among names: [String]) -> String? {
    let wanted = Array(text.lowercased().prefix(100))
    var best: (name: String, distance: Int)?
    for name in names {
        let candidate = Array(name.lowercased().prefix(100))
        let limit = min(3, max(1, max(wanted.count, candidate.count) / 3))
        let distance = editDistance(wanted, candidate)
        if distance <= limit, distance < (best?.distance ?? .max) { best = (name, distance) }
    }
    return best?.name
}

/// Returns the help text for an unknown name: the most similar name, followed by all names if there are two to eight. If no name
/// is similar, the text lists up to twelve names; it is `nil` if there are no names.
///
/// - Parameter list: The words before the list of names, for example `valid here`.
package func suggestion(for text: String, among names: [String], list: String) -> String? {
    guard let near = nearestName(to: text, among: names) else {
        return names.isEmpty ? nil : "\(list): \(shortList(names))"
    }
    return "did you mean \"\(near)\"?" + ((2...8).contains(names.count) ? " (\(list): \(shortList(names)))" : "")
}

/// Returns a list of names for a message, truncated after twelve.
package func shortList(_ names: [String]) -> String {
    names.prefix(12).joined(separator: ", ") + (names.count > 12 ? ", …" : "")
}

/// Returns the optimal string alignment distance: insertions, deletions, substitutions, and swaps of neighbors. O(n·m).
private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
        var row = [Int](repeating: i, count: b.count + 1)
        for j in 1...b.count {
            let substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
            row[j] = min(last[j] + 1, row[j - 1] + 1, substitution)
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], beforeLast[j - 2] + 1) }
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}
