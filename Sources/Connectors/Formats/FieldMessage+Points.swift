import Pipeline
import Stages

extension FieldMessage {
    /// The maximum number of sets in a message. The limit bounds the search in ``set(_:_:)``; senders use far fewer.
    static let maxSets = 1000

    /// Returns the index of the set with a key and a field. Adds the set if it does not exist. O(sets).
    mutating func set(_ key: Int, _ field: MessageField) throws(PipelineError) -> Int {
        // The values of a set follow one another, so it is usually the last one.
        for index in (0..<setCount).reversed() where sets[index].key == key && sets[index].field == field {
            return index
        }
        guard setCount < Self.maxSets else {
            throw .frame("decode.count", "more than \(Self.maxSets) sets of points in a message")
        }
        if setCount == sets.count { sets.append(PointSet()) }
        sets[setCount].reset(key: key, field: field)
        setCount += 1
        return setCount - 1
    }

    /// Returns the list that the points of a field belong to: the points of the set, or its points in meters. Adds the set if it
    /// does not exist.
    mutating func list(_ key: Int, _ field: MessageField) throws(PipelineError) -> PointListReference {
        guard let seen = field.pointsOfWorld else {
            let set = try set(key, field)
            sets[set].isThere = true
            return PointListReference(set: set, isWorld: false)
        }
        return PointListReference(set: try set(key, seen), isWorld: true)
    }

    /// Accesses a list of points.
    subscript(place: PointListReference) -> PointList {
        get { place.isWorld ? sets[place.set].world : sets[place.set].seen }
        _modify { if place.isWorld { yield &sets[place.set].world } else { yield &sets[place.set].seen } }
    }

    /// Reads points of any shape from the current value. A single point, or a list of a few numbers, is added to the set `outer`. A
    /// list of points, points by name and columns form the set `key`.
    mutating func takePoints<Reader: DocumentReader>(
        _ field: MessageField, _ type: DocumentType, key: Int, outer: Int, _ document: Reader
    ) throws(PipelineError) {
        if type == .object || type == .array,
            try takeTable(field, isObject: type == .object, key: key, document)
        {
            return
        }
        guard type != .object else { return try takeObject(field, key: key, outer: outer, document) }
        guard type == .array else {
            throw .mismatch("points", type, at: document.offset)
        }
        let isWorld = field.pointsOfWorld != nil
        let place = document.offset
        try document.enterArray()
        guard try document.nextElement() else {
            if !isWorld || isOfWorld { isEmptyList = true }
            return
        }
        let first = try document.type()
        if first == .number {
            scratch.removeAll(keepingCapacity: true)
            scratch.append(try document.number())
            try document.appendNumbers(to: &scratch)
            // A few numbers are one point. In that case, the `[*]` of the path stands for the points of one set.
            let isPoint = scratch.count <= (isWorld ? 4 : layout?.slots.count ?? 4) && !messagesDeclareLayout
            return try takeNumbers(into: try list(isPoint ? outer : key, field), place: place)
        }
        let list = try list(key, field)
        repeat {
            switch try document.type() {
            case .object:
                let place = document.offset
                try add(try point(document), to: list, place)
            case .array: try takeRow(into: list, document)
            case let other:
                throw .mismatch("a point", other, at: document.offset)
            }
        } while try document.nextElement()
    }

    /// Reads a point in the form of a list of numbers.
    mutating func takeRow<Reader: DocumentReader>(
        into list: PointListReference, _ document: Reader
    ) throws(PipelineError) {
        let place = document.offset
        try document.numbers(into: &scratch)
        if messagesDeclareLayout, !list.isWorld, !scratch.isEmpty {
            return try keep(width: scratch.count, in: list.set, place: place)
        }
        try takeScratch(into: list, try fields(of: scratch.count, list.isWorld, place: place).layout, place)
    }

    /// Keeps the numbers in `scratch` until the end of the message, because the message may declare their meaning later.
    ///
    /// - Parameters:
    ///   - width: The number of numbers of each point; 0 if unknown.
    ///   - set: The set of the points.
    ///   - place: The byte offset of the numbers, for errors.
    mutating func keep(width: Int, in set: Int, place: Int?) throws(PipelineError) {
        guard sets[set].flat.isEmpty || sets[set].flatWidth == width else {
            throw .frame(
                "decode.count", "the points have different numbers of numbers", location: place.map { "byte \($0)" })
        }
        sets[set].flatWidth = width
        sets[set].flat.append(contentsOf: scratch)
    }

    /// Adds the numbers in `scratch`, which are the consecutive numbers of several points.
    ///
    /// - Parameters:
    ///   - list: The list to add the points to.
    ///   - place: The byte offset of the numbers, for errors.
    mutating func takeNumbers(into list: PointListReference, place: Int?) throws(PipelineError) {
        if messagesDeclareLayout, !list.isWorld {
            return try keep(width: 0, in: list.set, place: place)
        }
        let fields = try flatFields(list, place)
        let (count, width) = (scratch.count, fields.slots.count)
        guard count % width == 0 else {
            throw .frame(
                "decode.count", "\(count) numbers cannot be divided into points of \(width) fields",
                location: place.map { "byte \($0)" },
                help: "set fields to the meaning of the numbers of a point: xyc, xyz, …")
        }
        try takeScratch(into: list, fields.layout, place)
    }

    /// Adds the numbers in `scratch` as points with the given layout.
    ///
    /// - Parameter place: The byte offset of the numbers, for errors.
    mutating func takeScratch(
        into list: PointListReference, _ layout: PointLayout, _ place: Int?
    ) throws(PipelineError) {
        var rows: [Double] = []
        swap(&rows, &scratch)
        defer { swap(&rows, &scratch) }
        do { try self[list].take(&rows, layout) } catch { throw error.located(atByte: place) }
    }

    /// Adds a point to a list.
    ///
    /// - Parameter place: The byte offset of the point, for errors.
    mutating func add(
        _ point: ObjectPoint, to list: PointListReference, _ place: Int
    ) throws(PipelineError) {
        do { try self[list].append(point) } catch { throw error.located(atByte: place) }
    }

    /// Determines the meaning of the numbers in `scratch`, which are the consecutive numbers of several points.
    private func flatFields(_ list: PointListReference, _ place: Int?) throws(PipelineError) -> PointFields {
        let count = scratch.count
        if let layout, !list.isWorld { return layout }
        if list.isWorld, count == 3 * sets[list.set].seen.count { return .xyz }
        if count <= 4 { return try fields(of: count, list.isWorld, place: place) }
        if let width = Topology.width(of: count, traits.topology?.topology), !isOfSamples, !list.isWorld || width > 2,
            let usual = PointFields.usual(width, isSample: false)
        {
            return usual
        }
        if list.isWorld { return .xyz }
        if isOfSamples, count % 2 == 0 { return .xy }
        throw .frame(
            "decode.count",
            traits.topology.map {
                "\(count) numbers cannot be divided evenly among the points of \($0.topology.identifier)"
            }
                ?? "the meaning of the \(count) numbers is unknown", location: place.map { "byte \($0)" },
            help: isOfSamples
                ? "set fields to their meaning, as in fields: xyt" : "set topology, and fields if it is needed")
    }

    /// Adds the points whose numbers were kept until the message declared their meaning.
    mutating func takeLayouts() throws(PipelineError) {
        for index in 0..<setCount where sets[index].isThere && !sets[index].flat.isEmpty {
            let rowWidth = sets[index].flatWidth
            var layout = sets[index].layout
            if layout == nil, rowWidth > 0 { layout = try fields(of: rowWidth, false, place: nil) }
            guard let layout else {
                throw .frame("decode.missing", "the meaning of the numbers of points is unknown")
            }
            let (count, width) = (sets[index].flat.count, layout.slots.count)
            guard rowWidth == 0 || rowWidth == width else {
                throw .frame("decode.count", "a point has \(rowWidth) numbers, but the message declares \(width)")
            }
            guard count % width == 0 else {
                throw .frame("decode.count", "\(count) numbers cannot be divided into points of \(width) fields")
            }
            scratch.removeAll(keepingCapacity: true)
            swap(&scratch, &sets[index].flat)
            try takeScratch(into: PointListReference(set: index, isWorld: false), layout.layout, nil)
        }
    }

    /// Determines the meaning of the numbers of a point.
    ///
    /// - Parameters:
    ///   - count: The number of numbers.
    ///   - isWorld: Whether the point is in meters.
    ///   - place: The byte offset of the point, for errors.
    func fields(of count: Int, _ isWorld: Bool, place: Int?) throws(PipelineError) -> PointFields {
        if isWorld {
            if count > 2, let usual = PointFields.usual(count, isSample: false) { return usual }
            throw .frame(
                "decode.count", "a world position has x, y and z", location: place.map { "byte \($0)" })
        }
        if let layout {
            guard layout.slots.count == count else {
                throw .frame(
                    "decode.count", "a point has \(count) numbers, but fields names \(layout.slots.count)",
                    location: place.map { "byte \($0)" },
                    help: "set fields to the meaning of the numbers of a point: xyc, xyz, …")
            }
            return layout
        }
        if let usual = PointFields.usual(count, isSample: isOfSamples) { return usual }
        throw .frame(
            "decode.count", "the meaning of a point of \(count) numbers is ambiguous",
            location: place.map { "byte \($0)" },
            help: "set fields: xyt, xyp, xyz, …")
    }

    /// Reads the confidence of each point, or one confidence for all points.
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

extension PipelineError {
    /// Returns the same error with the location of a byte.
    func located(atByte place: Int?) -> PipelineError {
        var error = self
        error.location = place.map { "byte \($0)" }
        return error
    }
}

extension Topology {
    /// Returns how many numbers each point has if `count` numbers are the points of a topology. Returns `nil` if this is not a
    /// whole number from two to four.
    ///
    /// - Parameters:
    ///   - count: The number of numbers of all points.
    ///   - told: The topology; `nil` to try the standard topologies in order.
    static func width(of count: Int, _ told: Topology?) -> Int? {
        for topology in told.map({ [$0] }) ?? standard {
            let points = topology.points.count
            if count % points == 0, (2...4).contains(count / points) { return count / points }
        }
        return nil
    }
}
