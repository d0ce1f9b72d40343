import Pipeline
import PipelineComponents
import Stages

extension EvaluationReport {
    /// The report as a JSON document.
    public var json: String { value.text() + "\n" }

    /// The report as a JSON value.
    public var value: JSONValue {
        .object([
            ("pipeline", .string(pipeline)), ("method", .string(method)), ("design", .string(design.rawValue)),
            ("samples", .integer(samples)), ("users", .integer(users)), ("pools", .integer(pools)),
            ("seed", .integer(Int(clamping: seed))), ("ns_per_match", .number(nanosecondsPerMatch.rounded())),
            ("strangers", .integer(unknownSamples)), ("classes", .array(classes.map(JSONValue.string))),
            ("rows", .array(rows.map(value))),
        ])
    }

    private func value(of row: Row) -> JSONValue {
        .object([
            ("templates", .integer(row.templates)), ("users", .integer(row.users)), ("tests", .integer(row.tests)),
            ("accuracy", .number(row.accuracy)), ("accuracy_interval", Self.value(row.interval)),
            ("right", .number(row.all.rightShare)), ("right_interval", Self.value(row.rightInterval)),
            ("strangers", .integer(row.all.unknownTests)),
            ("false_accepts", row.all.falseAccept.map(JSONValue.number) ?? .null),
            ("accepted_at_5", row.acceptedAt5.map(JSONValue.number) ?? .null),
            ("accepted_at_1", row.acceptedAt1.map(JSONValue.number) ?? .null),
            ("by_class", .array(zip(classes, row.byClass).map(Self.value))),
            ("by_person", .array(zip(people, row.byPerson).map(Self.value))),
            ("by_distance", Self.value(row.byDistance)), ("by_factor", row.byFactor.map(Self.value) ?? .null),
            ("reliability", row.reliability.map(Self.value) ?? .null),
            ("confusion", .array(row.confusion.map { .array($0.map(JSONValue.integer)) })),
        ])
    }

    private static func value(_ interval: ClosedRange<Double>?) -> JSONValue {
        interval.map { .array([.number($0.lowerBound), .number($0.upperBound)]) } ?? .null
    }

    private static func value(_ name: String, _ part: Row.Part) -> JSONValue {
        .object([
            ("name", .string(name)), ("tests", .integer(part.tests)), ("recognized", .integer(part.recognized)),
            ("right", .integer(part.right)), ("none", .integer(part.none)), ("strangers", .integer(part.unknownTests)),
            ("accepted", .integer(part.accepted)),
        ])
    }

    private static func value(_ sweep: ThresholdSweep) -> JSONValue {
        .array(
            sweep.curve.map {
                .object([
                    ("false_accept", .number($0.falseAccept)), ("accepted", .number($0.accepted)),
                    ("threshold", .number($0.threshold)),
                ])
            })
    }

    private static func value(_ reliability: Reliability) -> JSONValue {
        .object([
            ("error", .number(reliability.error)),
            (
                "bins",
                .array(
                    reliability.bins.map {
                        .object([
                            ("count", .integer($0.count)), ("confidence", .number($0.confidence)),
                            ("accuracy", .number($0.accuracy)),
                        ])
                    })
            ),
        ])
    }

    /// The rows as CSV, with a header.
    public var csv: String {
        var csv = TextBuffer()
        csv.literal(
            "pipeline,method,design,templates,users,tests,accuracy,accuracy_low,accuracy_high,right,strangers,false_accepts,accepted_at_5,accepted_at_1,calibration_error,ns_per_match\n"
        )
        for row in rows {
            csv.cell(pipeline)
            csv.literal(",")
            csv.cell(method)
            csv.plain(",\(design.rawValue),\(row.templates),\(row.users),\(row.tests)")
            let shares = [
                row.accuracy, row.interval?.lowerBound, row.interval?.upperBound, row.all.rightShare,
                Double(row.all.unknownTests), row.all.falseAccept, row.acceptedAt5, row.acceptedAt1,
                row.reliability?.error, nanosecondsPerMatch.rounded(),
            ]
            for share in shares { csv.cell(share) }
            csv.byte(0x0A)
        }
        return csv.text
    }

    /// Every trial as CSV, with a header, so that users can compute their own statistics.
    public var trials: String {
        var csv = TextBuffer(capacity: 1 << 20)
        csv.literal(
            "pipeline,templates,users,draw,sample,person,label,known,nearest,distance,limit,other,other_distance,other_limit,answer,confidence\n"
        )
        // The samples of an evaluated library come first, and are not counted.
        let before = items.count - samples
        for row in rows {
            for trial in row.trials {
                let item = items[trial.item]
                csv.cell(pipeline)
                csv.plain(",\(row.templates),\(row.users),\(trial.draw + 1),\(trial.item + 1 - before),")
                csv.cell(item.user)
                csv.literal(",")
                csv.cell(item.label)
                csv.plain(",\(trial.actual == nil ? 0 : 1),")
                csv.cell(classes[trial.nearest.category])
                csv.cell(trial.nearest.distance)
                csv.cell(trial.nearest.limit)
                csv.literal(",")
                if let other = trial.other { csv.cell(classes[other.category]) }
                csv.cell(trial.other?.distance)
                csv.cell(trial.other?.limit)
                csv.literal(",")
                csv.cell(trial.answer.map { classes[$0] } ?? "None")
                csv.cell(trial.confidence)
                csv.byte(0x0A)
            }
        }
        return csv.text
    }
}

extension TextBuffer {
    /// Writes a comma, followed by the number if it exists and is finite.
    fileprivate mutating func cell(_ number: Double?) {
        literal(",")
        if let number, number.isFinite { self.number(number) }
    }
}
