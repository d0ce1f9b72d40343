import Pipeline
import Stages

extension DecodeOptions {
    /// An option that contains the paths of a field: the field, the option's name, the property that stores it, and the key of the
    /// field in canonical messages.
    private struct PathOption {
        let field: MessageField
        let name: String
        let key: WireKey?
        let property: any WritableKeyPath<DecodeOptions, FieldPaths> & Sendable

        init(
            _ field: MessageField, _ name: String,
            _ property: any WritableKeyPath<DecodeOptions, FieldPaths> & Sendable,
            _ key: WireKey? = nil
        ) {
            (self.field, self.name, self.property, self.key) = (field, name, property, key)
        }
    }

    private static let pathOptions = [
        PathOption(.points, "points", \.points, .pts), PathOption(.left, "left", \.left),
        PathOption(.right, "right", \.right),
        PathOption(.world, "world", \.world, .world), PathOption(.leftWorld, "left_world", \.leftWorld),
        PathOption(.rightWorld, "right_world", \.rightWorld), PathOption(.layout, "layout", \.layout, .fields),
        PathOption(.confidences, "conf", \.confidences, .conf),
        PathOption(.handedness, "handedness", \.handedness, .handedness),
        PathOption(.handednessScore, "handedness_score", \.handednessScore, .handednessScore),
        PathOption(.score, "score", \.score, .score), PathOption(.presence, "presence", \.presence, .presence),
        PathOption(.track, "track", \.track, .track), PathOption(.topology, "topology", \.topology, .topology),
        PathOption(.space, "space", \.space, .space), PathOption(.doubt, "doubt", \.doubt, .doubt),
        PathOption(.time, "t", \.t, .tUs), PathOption(.start, "start", \.start, .startUs),
        PathOption(.endTime, "end_time", \.endTime, .endUs), PathOption(.sequence, "seq", \.seq, .seq),
        PathOption(.stream, "stream", \.stream, .stream), PathOption(.label, "label", \.label, .label),
        PathOption(.subject, "subject", \.subject, .subject), PathOption(.phase, "phase", \.phase, .phase),
        PathOption(.stroke, "stroke", \.stroke, .stroke), PathOption(.counts, "counts", \.counts, .counts),
        PathOption(.values, "values", \.values, .values), PathOption(.end, "end", \.end, .end),
    ]

    /// The paths of each field, with the name of the option that contains them.
    var paths: [(field: MessageField, name: String, paths: FieldPaths)] {
        Self.pathOptions.map { ($0.field, $0.name, self[keyPath: $0.property]) }
    }

    /// Returns the tree of all paths that are read from messages.
    ///
    /// - Parameter fields: The fields that the payload declares. A field without a configured path is expected at the top level,
    ///   under its own name.
    func fieldTree(_ fields: [FieldDescription]) -> FieldTree {
        var tree = FieldTree()
        for (field, _, paths) in paths { tree.add(field, paths) }
        for (index, field) in fields.enumerated() {
            tree.add(
                .declared, index: index, keys.paths[field.name] ?? FieldPath(key: field.name).map { [$0] } ?? [])
        }
        return tree
    }

    /// Whether messages are not canonical: there is another preset, a format without field names, or a path.
    var isMapped: Bool {
        preset.map { $0 != .canonical } ?? false || format?.isRows ?? false || format?.isRaw ?? false
            || !keys.paths.isEmpty || paths.contains { !$0.paths.isEmpty }
    }

    /// Returns the options with the values of the preset filled in where the configuration sets none.
    public func filled(for kind: PayloadKind) -> DecodeOptions {
        let preset = preset?.options(for: kind) ?? DecodeOptions()
        var filled = self
        filled.format = format ?? preset.format ?? .json
        filled.frames = frames ?? preset.frames ?? .auto
        filled.topicDelimiter = topicDelimiter ?? preset.topicDelimiter
        filled.fields = fields ?? preset.fields
        filled.tUnit = t.isEmpty ? tUnit ?? preset.tUnit : tUnit
        filled.sampleUnit = sampleUnit ?? preset.sampleUnit
        // A configured path to points replaces all paths of the preset to points and to positions in meters, including those of
        // left and right hands. A configured path to positions in meters replaces all paths of the preset to such positions.
        let ofPoints: Set<MessageField> = [.points, .left, .right, .values]
        let ofWorld: Set<MessageField> = [.world, .leftWorld, .rightWorld]
        func isSet(_ fields: Set<MessageField>) -> Bool {
            paths.contains { fields.contains($0.field) && !$0.paths.isEmpty }
        }
        let (setsPoints, setsWorld) = (isSet(ofPoints), isSet(ofPoints) || isSet(ofWorld))
        for option in Self.pathOptions where self[keyPath: option.property].isEmpty {
            if setsPoints && ofPoints.contains(option.field) || setsWorld && ofWorld.contains(option.field) { continue }
            if option.field == .layout, fields != nil { continue }
            filled[keyPath: option.property] = preset[keyPath: option.property]
        }
        return filled
    }

    /// The delimiter as a byte. An invalid delimiter, which ``check(_:_:)`` reports, counts as a comma.
    var delimiterByte: UInt8 {
        if delimiter == "tab" { return 0x09 }
        return delimiter.utf8.count == 1 ? delimiter.utf8.first ?? 0x2C : 0x2C
    }

    /// Sets the paths to the keys of canonical messages, which the preset `canonical` stands for.
    mutating func takeCanonical(_ kind: PayloadKind) {
        (tUnit, sampleUnit) = (.us, .us)
        let keys = kind == .hands ? Landmarks.wireKeys : kind.type.wireKeys
        for option in Self.pathOptions {
            guard let key = option.key else { continue }
            let isOfFrame = WireKeys.envelope.contains(key)
            // The subject of a vector is an object, which no path can read. It is kept as an unknown key.
            guard isOfFrame || keys.contains(key) && !(key == .subject && kind == .vector) else { continue }
            self[keyPath: option.property] = DecodePreset.paths([
                kind == .hands && !isOfFrame ? "hands[*].\(key.name)" : key.name
            ])
        }
    }
}
