import Pipeline

/// Reads what OpenPose writes with `--write_json`: one file a video frame, with the people in it and for each of them flat lists of x, y
/// and confidence (in three dimensions x, y, z and confidence).
///
/// Of hands the two of every person are read, of another topology the body, when it has as many points. What OpenPose has not seen it
/// puts at 0, 0 with confidence 0; a hand or body without any point that it has seen is not there.
enum OpenPoseFile {
    /// The sets of landmarks of a topology that a document holds; none when nobody is in the frame.
    ///
    /// - Parameters:
    ///   - document: The text, with ``JSONReader/padding`` readable bytes behind it.
    ///   - traits: What the source was told of the landmarks.
    /// - Throws: A frame error located by byte.
    static func sets(
        in document: UnsafeRawBufferPointer, _ traits: LandmarkTraits
    ) throws -> [Landmarks] {
        let json = try JSONReader()
        do {
            try json.begin(document)
            var people: [Landmarks]?
            try json.enterObject()
            while let key = try json.nextField() {
                guard key.elementsEqual("people".utf8) else {
                    _ = try json.rawValue()
                    continue
                }
                var sets: [Landmarks] = []
                try json.enterArray()
                while try json.nextElement() { sets += try person(json, traits) }
                people = sets
            }
            try json.end()
            guard let people else {
                throw PipelineError.frame(
                    "decode.missing", "\"people\" is missing", help: "OpenPose writes such files with --write_json")
            }
            return people
        } catch var error as PipelineError {
            error.location = "byte \(json.offset)"
            throw error
        }
    }

    private static func person(_ json: JSONReader, _ traits: LandmarkTraits) throws -> [Landmarks] {
        let topology = traits.topology?.topology ?? .hand21
        let isHand = topology.name == Topology.hand21.name
        var found: [(key: String, numbers: [Double])] = []
        try json.enterObject()
        while let bytes = try json.nextField() {
            let key = String(decoding: bytes, as: UTF8.self)
            guard key.hasSuffix("_keypoints_2d") || key.hasSuffix("_keypoints_3d"),
                isHand ? key.hasPrefix("hand_") : key.hasPrefix("pose_")
            else {
                _ = try json.rawValue()
                continue
            }
            var numbers: [Double] = []
            try json.numbers(into: &numbers)
            if !numbers.isEmpty { found.append((key, numbers)) }
        }
        // The right one first or last, as it stands in the file; the plane before space.
        return try found.compactMap { key, numbers in
            let width = key.hasSuffix("3d") ? 4 : 3
            // In space, a person's points are in metres: they stand beside those in the image, if these are there.
            guard width == 3 || !found.contains(where: { $0.key == key.dropLast(2) + "2d" }) else { return nil }
            guard numbers.count == width * topology.points.count else {
                throw PipelineError.frame(
                    "decode.count",
                    "\"\(key)\" has \(numbers.count) numbers, and \(topology.identifier) needs \(width * topology.points.count)",
                    help: "say which landmarks they are with topology")
            }
            return set(key, numbers, width, topology, traits)
        }
    }

    private static func set(
        _ key: String, _ numbers: [Double], _ width: Int, _ topology: Topology, _ traits: LandmarkTraits
    ) -> Landmarks? {
        let starts = stride(from: 0, to: numbers.count, by: width)
        let confidences = starts.map { min(max(numbers[$0 + width - 1], 0), 1) }
        guard confidences.contains(where: { $0 > 0 }) else { return nil }
        let isSolid = width == 4
        let space = traits.space ?? (isSolid ? .world : .pixels)
        return Landmarks(
            topology: topology.identifier, space: space.rawValue,
            points: starts.map { .init(x: numbers[$0], y: numbers[$0 + 1], z: isSolid ? numbers[$0 + 2] : 0) },
            hasDepth: isSolid, confidences: confidences,
            handedness: key.contains("_left_") ? "Left" : key.contains("_right_") ? "Right" : nil)
    }
}
