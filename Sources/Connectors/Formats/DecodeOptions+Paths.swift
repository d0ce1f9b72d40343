import Pipeline
import Stages

extension DecodeOptions {
    /// An option that leads to a field: its name, where it is kept, and under which key our own messages have the field.
    private struct Place {
        let field: MessageField
        let name: String
        let key: WireKey?
        let path: any WritableKeyPath<DecodeOptions, FieldPaths> & Sendable

        init(
            _ field: MessageField, _ name: String, _ path: any WritableKeyPath<DecodeOptions, FieldPaths> & Sendable,
            _ key: WireKey? = nil
        ) {
            (self.field, self.name, self.path, self.key) = (field, name, path, key)
        }
    }

    private static let places = [
        Place(.points, "points", \.points, .pts), Place(.left, "left", \.left), Place(.right, "right", \.right),
        Place(.world, "world", \.world, .world), Place(.leftWorld, "left_world", \.leftWorld),
        Place(.rightWorld, "right_world", \.rightWorld), Place(.layout, "layout", \.layout, .fields),
        Place(.confidences, "conf", \.confidences, .conf), Place(.handedness, "handedness", \.handedness, .handedness),
        Place(.handednessScore, "handedness_score", \.handednessScore, .handednessScore),
        Place(.score, "score", \.score, .score), Place(.presence, "presence", \.presence, .presence),
        Place(.track, "track", \.track, .track), Place(.topology, "topology", \.topology, .topology),
        Place(.space, "space", \.space, .space), Place(.doubt, "doubt", \.doubt, .doubt),
        Place(.time, "t", \.t, .tUs), Place(.start, "start", \.start, .startUs),
        Place(.endTime, "end_time", \.endTime, .endUs), Place(.sequence, "seq", \.seq, .seq),
        Place(.stream, "stream", \.stream, .stream), Place(.label, "label", \.label, .label),
        Place(.subject, "subject", \.subject, .subject), Place(.phase, "phase", \.phase, .phase),
        Place(.stroke, "stroke", \.stroke, .stroke), Place(.counts, "counts", \.counts, .counts),
        Place(.values, "values", \.values, .values), Place(.end, "end", \.end, .end),
    ]

    /// The paths by the field they lead to, with the names of the options.
    var paths: [(field: MessageField, name: String, paths: FieldPaths)] {
        Self.places.map { ($0.field, $0.name, self[keyPath: $0.path]) }
    }

    /// All that messages are looked through for.
    ///
    /// - Parameter fields: Those that the payload declares itself. They stand under their names where no path is given.
    func fieldTree(_ fields: [FieldDescription]) -> FieldTree {
        var tree = FieldTree()
        for (field, _, paths) in paths { tree.add(field, paths) }
        for (index, field) in fields.enumerated() {
            tree.add(
                .declared, index: index, keys.paths[field.name] ?? FieldPath(key: field.name).map { [$0] } ?? [])
        }
        return tree
    }

    /// Whether messages are of another shape than ours.
    var isMapped: Bool {
        preset.map { $0 != .canonical } ?? false || format?.isRows ?? false || format?.isRaw ?? false
            || !keys.paths.isEmpty || paths.contains { !$0.paths.isEmpty }
    }

    /// The same, with what the preset says where nothing else is said.
    public func filled(for kind: PayloadKind) -> DecodeOptions {
        let preset = preset?.options(for: kind) ?? DecodeOptions()
        var filled = self
        filled.format = format ?? preset.format ?? .json
        filled.frames = frames ?? preset.frames ?? .auto
        filled.topicDelimiter = topicDelimiter ?? preset.topicDelimiter
        filled.fields = fields ?? preset.fields
        filled.tUnit = t.isEmpty ? tUnit ?? preset.tUnit : tUnit
        filled.sampleUnit = sampleUnit ?? preset.sampleUnit
        // Whoever says where the points are says it of all hands.
        let ofPoints: Set<MessageField> = [.points, .left, .right, .values]
        let ofWorld: Set<MessageField> = [.world, .leftWorld, .rightWorld]
        func isSaid(_ fields: Set<MessageField>) -> Bool {
            paths.contains { fields.contains($0.field) && !$0.paths.isEmpty }
        }
        let (saysPoints, saysWorld) = (isSaid(ofPoints), isSaid(ofPoints) || isSaid(ofWorld))
        for place in Self.places where self[keyPath: place.path].isEmpty {
            if saysPoints && ofPoints.contains(place.field) || saysWorld && ofWorld.contains(place.field) { continue }
            if place.field == .layout, fields != nil { continue }
            filled[keyPath: place.path] = preset[keyPath: place.path]
        }
        return filled
    }

    /// The delimiter as a byte; a comma when it is none.
    var delimiterByte: UInt8 {
        if delimiter == "tab" { return 0x09 }
        return delimiter.utf8.count == 1 ? delimiter.utf8.first ?? 0x2C : 0x2C
    }

    /// Takes the places of our own keys, for what the preset canonical stands for.
    mutating func takeCanonical(_ kind: PayloadKind) {
        (tUnit, sampleUnit) = (.us, .us)
        let keys = kind == .hands ? Landmarks.wireKeys : kind.type.wireKeys
        for place in Self.places {
            guard let key = place.key else { continue }
            let isOfFrame = WireKeys.envelope.contains(key)
            // What a vector was made of is an object, and stays with the keys that nobody asks for.
            guard isOfFrame || keys.contains(key) && !(key == .subject && kind == .vector) else { continue }
            self[keyPath: place.path] = DecodePreset.paths([
                kind == .hands && !isOfFrame ? "hands[*].\(key.name)" : key.name
            ])
        }
    }
}
