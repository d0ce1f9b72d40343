import Pipeline
import Stages

extension FieldMessage {
    /// Reads points that form a table of numbers, in one pass. Returns false for any other value and reads nothing of it.
    mutating func takeTable<Reader: DocumentReader>(
        _ field: MessageField, isObject: Bool, key: Int, _ document: Reader
    ) throws(PipelineError) -> Bool {
        // An object of rows can be read as a table only if it has the keys of the previous such object, whose meaning is known.
        guard !isObject || rowNames.meaning != nil, let table = document.table(rowNames.names, into: &scratch)
        else { return false }
        var layout = PointLayout()
        var hasVisibility = false
        if isObject, rowNames.meaning == .columns {
            guard !table.hasColumns, let slots = rowNames.slots, slots.count == table.rows else { return false }
            layout = PointLayout(slots)
            layout.order = .columns
        } else if table.hasColumns {
            for column in 0..<table.width {
                let key = document.tableColumn(column)
                let slot = ObjectPoint.slot(key)
                if ObjectPoint.isVisibility(key) { hasVisibility = true }
                if let slot, layout.contains(slot) { return false }
                layout.add(slot)
            }
            guard layout.contains(.x), layout.contains(.y) else { return false }
        } else if messagesDeclareLayout, field.pointsOfWorld == nil, !isObject {
            let place = document.offset
            document.passTable()
            try keep(width: table.width, in: try list(key, field).set, place: place)
            return true
        } else {
            guard let fields = try? fields(of: table.width, field.pointsOfWorld != nil, place: nil) else {
                return false
            }
            layout = fields.layout
        }
        let place = document.offset
        document.passTable()
        let list = try list(key, field)
        if hasVisibility { self[list].hasVisibility = true }
        try takeScratch(into: list, layout, place)
        return true
    }

    /// Reads an object: either one point of the set `outer`, or all points of the set `key`.
    mutating func takeObject<Reader: DocumentReader>(
        _ field: MessageField, key: Int, outer: Int, _ document: Reader
    ) throws(PipelineError) {
        var point = ObjectPoint()
        var shapes: ObjectShapes?
        let place = document.offset
        names.begin()
        rowNames.begin()
        try document.enterObject()
        while let member = try document.nextField() {
            rowNames.add(member.key)
            _ = try takeMember(member, field, &point, &shapes, document)
        }
        guard try takeShapes(point, shapes, field, key: key, outer: outer, place: place) else {
            throw noPoint(rowNames.texts, at: place)
        }
    }

    /// Returns the error about an object that is not a point, has no points and has these keys.
    func noPoint(_ keys: [String], at place: Int?) -> PipelineError {
        // A key with escapes is empty here.
        var names = keys.filter { !$0.isEmpty }.prefix(4).map { quote(String($0.prefix(40))) }
        if !names.isEmpty, keys.count > names.count { names.append("\(keys.count - names.count) more") }
        let last = names.popLast() ?? "neither"
        let others = names.isEmpty ? "" : names.joined(separator: ", ") + " and "
        return .frame(
            "decode.missing", "a point needs x and y; this one has \(others)\(last)",
            location: place.map { "byte \($0)" },
            help: "name the coordinates x and y, in the sender or with jq"
                + (isOfSamples ? "" : "; set topology if these are the names of points"))
    }

    /// Reads a field of an object. The object can be a point, points by name, or columns of numbers; the field is added to `point`
    /// or `shapes`.
    ///
    /// - Returns: Whether the field belongs to any of these. If false, its value has not been read.
    mutating func takeMember<Reader: DocumentReader>(
        _ member: DocumentField, _ field: MessageField, _ point: inout ObjectPoint, _ shapes: inout ObjectShapes?,
        _ document: Reader
    ) throws(PipelineError) -> Bool {
        let slot = ObjectPoint.slot(member.key)
        let type = try document.type()
        if let slot, type != .array, type != .object {
            guard type != .null else { return false }
            point.take(try number(slot, document), slot, of: member.key)
            return true
        }
        guard type == .array || type == .object, !point.isBegun else { return false }
        if let slot {
            guard type == .array else { return false }
            var numbers: [Double] = []
            if slot == .t, sampleUnit == .iso8601 {
                try document.enterArray()
                while try document.nextElement() { numbers.append(try number(slot, document)) }
            } else {
                try document.numbers(into: &numbers)
            }
            if shapes == nil { shapes = ObjectShapes() }
            shapes?.columns[slot.rawValue] = numbers
            return true
        }
        guard let (place, isNumber) = names.place(of: member.key, namedPoints) else { return false }
        if shapes == nil { shapes = ObjectShapes() }
        var read = ObjectPoint()
        if type == .object {
            read = try self.point(document)
        } else {
            let at = document.offset
            try document.numbers(into: &scratch)
            let fields = try fields(of: scratch.count, field.pointsOfWorld != nil, place: at)
            for (slot, number) in zip(fields.slots, scratch) { read.take(number, slot) }
        }
        shapes?.named.append((place, read))
        shapes?.isNumbered = isNumber
        return true
    }

    /// Adds the point or points that were found in an object. Returns false if the object contained none.
    mutating func takeShapes(
        _ point: ObjectPoint, _ shapes: ObjectShapes?, _ field: MessageField, key: Int, outer: Int, place: Int
    ) throws(PipelineError) -> Bool {
        if point.isWhole {
            try add(point, to: try list(outer, field), place)
            return true
        }
        guard let shapes else { return false }
        if shapes.named.isEmpty {
            try takeColumns(shapes, into: try list(key, field), place)
        } else {
            try takeNamed(shapes, into: try list(key, field), place)
        }
        return true
    }

    private mutating func takeColumns(
        _ shapes: ObjectShapes, into list: PointListReference, _ place: Int
    ) throws(PipelineError) {
        let slots = PointFields.Slot.allCases.filter { shapes.columns[$0.rawValue] != nil }
        guard slots.contains(.x), slots.contains(.y) else {
            throw .frame("decode.missing", "points in columns need x and y", location: "byte \(place)")
        }
        let columns = slots.compactMap { shapes.columns[$0.rawValue] }
        let count = columns[0].count
        guard columns.allSatisfy({ $0.count == count }) else {
            throw .frame(
                "decode.count",
                "the columns have \(columns.map { String($0.count) }.joined(separator: ", ")) numbers, but all must have equally many",
                location: "byte \(place)")
        }
        if count == 0, !list.isWorld || isOfWorld { isEmptyList = true }
        scratch.removeAll(keepingCapacity: true)
        for column in columns { scratch.append(contentsOf: column) }
        var layout = PointLayout(slots)
        layout.order = .columns
        try takeScratch(into: list, layout, place)
        rowNames.meaning = .columns
    }

    private mutating func takeNamed(
        _ shapes: ObjectShapes, into list: PointListReference, _ place: Int
    ) throws(PipelineError) {
        let named = shapes.named.sorted { $0.place < $1.place }
        // Some senders number points from 1.
        let first = shapes.isNumbered && named.first?.place == 1 ? 1 : 0
        for (index, entry) in named.enumerated() where entry.place != index + first {
            let isTwice = entry.place < index + first
            let wanted = isTwice ? entry.place : index + first
            let names = shapes.isNumbered ? nil : namedPoints?.points
            let name = names.flatMap { wanted < $0.count ? $0[wanted] : nil } ?? String(wanted)
            throw .frame(
                "decode.count", "the point \(quote(name)) \(isTwice ? "occurs twice" : "is missing")",
                location: "byte \(place)")
        }
        for entry in named { try add(entry.point, to: list, place) }
        // The next object can be read as a table only if every key of this one names a point, in order. A key that was ignored this
        // time may belong to a point next time.
        let isInOrder = named.elementsEqual(shapes.named, by: { $0.place == $1.place })
        if isInOrder, named.count == rowNames.count { rowNames.meaning = .points }
    }

    /// Reads a point in the form of an object. Keys without a meaning are ignored.
    mutating func point<Reader: DocumentReader>(_ document: Reader) throws(PipelineError) -> ObjectPoint {
        var point = ObjectPoint()
        let place = document.offset
        pointKeys.begin()
        try document.enterObject()
        while let field = try document.nextField() {
            pointKeys.add(field.key)
            guard let slot = ObjectPoint.slot(field.key), try document.type() != .null else { continue }
            point.take(try number(slot, document), slot, of: field.key)
        }
        guard point.isWhole else { throw noPoint(pointKeys.texts, at: place) }
        return point
    }

    /// Reads a number of a point. With `sample_unit: iso8601`, a time can be a text; it becomes microseconds since 1970.
    private mutating func number<Reader: DocumentReader>(
        _ slot: PointFields.Slot, _ document: Reader
    ) throws(PipelineError) -> Double {
        guard slot == .t, try document.type() == .string else { return try document.number() }
        let place = document.offset
        let text = try document.stringBytes()
        guard sampleUnit == .iso8601 else {
            var error = PipelineError.mismatch("a number", .string, at: place)
            if ISOTime.microseconds(in: text) != nil { error.help = "write sample_unit: iso8601" }
            throw error
        }
        textTimes += 1
        do { return Double(try TimeUnit.iso8601.time(in: text)) } catch { throw error.located(atByte: place) }
    }
}
