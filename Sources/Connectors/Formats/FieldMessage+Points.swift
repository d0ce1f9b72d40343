import Pipeline
import Stages

extension FieldMessage {
    /// How many sets a message may have: nobody sends more, and each is looked for among all.
    static let maxSets = 1000

    /// The set with a key, made if it is not there. O(sets).
    mutating func set(_ key: Int, _ field: MessageField) throws(PipelineError) -> Int {
        for index in 0..<setCount where sets[index].key == key && sets[index].field == field { return index }
        guard setCount < Self.maxSets else {
            throw .frame("decode.count", "more than \(Self.maxSets) sets of points in a message")
        }
        if setCount == sets.count { sets.append(PointSet()) }
        sets[setCount].reset(key: key, field: field)
        setCount += 1
        return setCount - 1
    }

    /// Reads the current value, whatever shape its points have: an object or a few numbers are one point of the set
    /// `outer`, a list is the set `key`.
    mutating func takePoints<Reader: DocumentReader>(
        _ field: MessageField, _ type: DocumentType, key: Int, outer: Int, _ document: Reader
    ) throws(PipelineError) {
        guard type != .object else { return try takeObject(try set(outer, field), document) }
        guard type == .array else {
            throw .frame("decode.type", "expected points", location: "byte \(document.offset)")
        }
        let place = document.offset
        try document.enterArray()
        guard try document.nextElement() else {
            isEmptyList = true
            return
        }
        let first = try document.type()
        if first == .number {
            scratch.removeAll(keepingCapacity: true)
            scratch.append(try document.number())
            try document.appendNumbers(to: &scratch)
            // A few numbers are a point, and [*] then stands for the points of a set.
            let isPoint = scratch.count <= (layout?.slots.count ?? 4)
            let set = try set(isPoint ? outer : key, field)
            sets[set].isThere = true
            try takeNumbers(into: set, place: place)
            return
        }
        let set = try set(key, field)
        sets[set].isThere = true
        if first == .array {
            let place = document.offset
            if let rows = document.plainRows() {
                return sets[set].append(rows.numbers, try fields(of: rows.width, place: place))
            }
        }
        repeat {
            switch try document.type() {
            case .object: try takeObject(set, document)
            case .array:
                let place = document.offset
                try document.numbers(into: &scratch)
                let fields = try fields(of: scratch.count, place: place)
                scratch.withUnsafeBufferPointer { sets[set].append($0, fields) }
            case let other:
                throw .frame(
                    "decode.type", "expected a point, found \(other.described)", location: "byte \(document.offset)")
            }
        } while try document.nextElement()
    }

    /// Takes the numbers of `scratch` as points in a row.
    ///
    /// - Parameter place: Where they stand, in bytes.
    mutating func takeNumbers(into set: Int, place: Int?) throws(PipelineError) {
        let count = scratch.count
        let fields: PointFields
        if let layout {
            fields = layout
        } else if count <= 4 {
            fields = try self.fields(of: count, place: place)
        } else if let width = Topology.width(of: count, traits.topology?.topology), !isOfSamples,
            let usual = PointFields.usual(width, isSample: false)
        {
            fields = usual
        } else if isOfSamples, count % 2 == 0 {
            fields = PointFields(.x, .y)
        } else {
            throw .frame(
                "decode.count",
                traits.topology.map {
                    "\(count) numbers are no whole number for each point of \($0.topology.identifier)"
                }
                    ?? "nothing says what the \(count) numbers are", location: place.map { "byte \($0)" },
                help: isOfSamples ? "say fields: xyt, or what they are" : "say topology:, and fields: if it is needed")
        }
        let width = fields.slots.count
        guard count % width == 0 else {
            throw .frame(
                "decode.count", "\(count) numbers are no whole number of points of \(width) fields",
                location: place.map { "byte \($0)" },
                help: "fields says what the numbers of a point are: xyc, xyz, …")
        }
        scratch.withUnsafeBufferPointer { sets[set].append($0, fields) }
    }

    /// What the numbers of a point of so many, which stands at a place, are.
    private func fields(of count: Int, place: Int?) throws(PipelineError) -> PointFields {
        if let layout {
            guard layout.slots.count == count else {
                throw .frame(
                    "decode.count", "a point has \(count) numbers, and fields names \(layout.slots.count)",
                    location: place.map { "byte \($0)" },
                    help: "fields says what the numbers of a point are: xyc, xyz, …")
            }
            return layout
        }
        if let usual = PointFields.usual(count, isSample: isOfSamples) { return usual }
        throw .frame(
            "decode.count", "a point of \(count) numbers can be many things", location: place.map { "byte \($0)" },
            help: "say fields: xyt, xyp, xyz, …")
    }

    private mutating func takeObject<Reader: DocumentReader>(
        _ set: Int, _ document: Reader
    ) throws(PipelineError) {
        var point = ObjectPoint()
        let place = document.offset
        try document.enterObject()
        while let field = try document.nextField() {
            guard let slot = ObjectPoint.slot(field.key), try document.type() != .null else { continue }
            point.take(try document.number(), slot)
        }
        guard point.isWhole else { throw .frame("decode.missing", "a point needs x and y", location: "byte \(place)") }
        append(point, to: set)
    }

    /// Adds a point that came as an object.
    mutating func append(_ point: ObjectPoint, to set: Int) {
        sets[set].isThere = true
        sets[set].isOfObjects = true
        sets[set].known.formUnion(point.known)
        sets[set].points.append(point.point)
    }

    /// Reads places in metres: a list of objects, of rows or of numbers, three a point, or four with a confidence; or one of
    /// these points.
    mutating func takeWorld<Reader: DocumentReader>(
        _ field: MessageField, _ type: DocumentType, key: Int, outer: Int, _ document: Reader
    ) throws(PipelineError) {
        guard type != .object else {
            let place = try Self.place(document)
            return sets[try set(outer, field)].world.append(place)
        }
        let at = document.offset
        try document.enterArray()
        guard try document.nextElement() else {
            if isOfWorld { isEmptyList = true }
            return
        }
        if try document.type() == .number {
            scratch.removeAll(keepingCapacity: true)
            scratch.append(try document.number())
            try document.appendNumbers(to: &scratch)
            let width = scratch.count == 4 || Topology.width(of: scratch.count, traits.topology?.topology) == 4 ? 4 : 3
            guard scratch.count % width == 0 else {
                throw .frame(
                    "decode.count", "\(scratch.count) numbers are not x, y and z of points", location: "byte \(at)")
            }
            let set = try set(scratch.count == width ? outer : key, field)
            for at in stride(from: 0, to: scratch.count, by: width) {
                addWorld(scratch[at..<(at + width)], to: set)
            }
            return
        }
        let set = try set(key, field)
        repeat {
            if try document.type() == .object {
                sets[set].world.append(try Self.place(document))
            } else {
                let at = document.offset
                try document.numbers(into: &scratch)
                guard scratch.count >= 3 else {
                    throw .frame("decode.count", "a place in the world has x, y and z", location: "byte \(at)")
                }
                addWorld(scratch[...], to: set)
            }
        } while try document.nextElement()
    }

    /// Adds a place of three numbers, with its confidence if there is a fourth.
    private mutating func addWorld(_ numbers: ArraySlice<Double>, to set: Int) {
        let first = numbers.startIndex
        sets[set].world.append(.init(x: numbers[first], y: numbers[first + 1], z: numbers[first + 2]))
        if numbers.count == 4 { sets[set].worldConfidences.append(numbers[first + 3]) }
    }

    private static func place<Reader: DocumentReader>(_ document: Reader) throws(PipelineError) -> Landmarks.Point {
        var point = Landmarks.Point(x: 0, y: 0)
        try document.enterObject()
        while let field = try document.nextField() {
            switch ObjectPoint.slot(field.key) {
            case .x: point.x = try document.number()
            case .y: point.y = try document.number()
            case .z: point.z = try document.number()
            default: break
            }
        }
        return point
    }

    /// Reads a confidence for every point, or one for all.
    mutating func takeConfidences<Reader: DocumentReader>(
        _ type: DocumentType, _ set: Int, _ document: Reader
    ) throws(PipelineError) {
        if type == .number {
            sets[set].confidences = [try document.number()]
        } else {
            try document.numbers(into: &sets[set].confidences)
        }
    }
}

extension Topology {
    /// How many numbers every point has, when so many are the points of a topology in a row; of any standard one, when none
    /// is told.
    static func width(of count: Int, _ told: Topology?) -> Int? {
        for topology in told.map({ [$0] }) ?? standard {
            let points = topology.points.count
            if count % points == 0, (2...4).contains(count / points) { return count / points }
        }
        return nil
    }
}
