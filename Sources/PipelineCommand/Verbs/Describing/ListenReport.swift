import Connectors
import Pipeline
import PipelineComponents

/// Writes the report of `pipectl listen` as text and as JSON.
enum ListenReport {
    /// Returns the full report, which is written when listening has ended. Control characters in text from senders are escaped, so
    /// that they cannot control the terminal.
    static func text(_ survey: SenderSurvey, _ place: MessageListener.Place, _ style: Style) -> String {
        var table = Table([
            ("stream", .left), ("messages", .right), ("rate/s", .right), ("lost", .right), ("failed", .right),
            ("bytes", .right), ("last", .left),
        ])
        for stream in survey.streams {
            table.add([
                name(stream), ProgressBar.grouped(stream.messages), stream.rate.map(rate) ?? "",
                ProgressBar.grouped(stream.lost), ProgressBar.grouped(stream.failed),
                ProgressBar.grouped(stream.bytes / max(1, stream.messages)), stream.text,
            ])
        }
        var text = table.text(style) + unfollowed(survey)
        for stream in survey.streams.prefix(3) {
            text += "\n" + style.strong("The last message of \(name(stream))") + "\n"
            text += stream.outline.map { "  \($0.shown)\n" }.joined()
            if let error = stream.error { text += "  \(style.error("error")): \("\(error)".shown)\n" }
        }
        guard let suggestion = survey.suggestion(place) else {
            let remedy = (survey.remedy ?? "use decode to give the paths of the points").shown
            return text + "\nNothing in these messages looks like points: \(remedy).\n"
        }
        text += "\n" + style.strong("A pipeline that reads them") + "\n"
        return text + suggestion.split(separator: "\n").map { "  \($0)\n" }.joined()
    }

    /// Returns one line per stream. These lines are written every second while listening continues.
    static func line(_ survey: SenderSurvey) -> String {
        survey.streams.map { (stream: SenderSurvey.Stream) -> String in
            let lost = stream.lost > 0 ? ", \(ProgressBar.grouped(stream.lost)) lost" : ""
            let failed = stream.failed > 0 ? ", \(ProgressBar.grouped(stream.failed)) failed" : ""
            return "\(name(stream))  \(ProgressBar.grouped(stream.messages)) messages"
                + (stream.rate.map { ", \(rate($0))/s" } ?? "") + lost + failed + "  \(stream.text.shown)\n"
        }.joined() + unfollowed(survey)
    }

    /// Returns a line about the messages of streams that are not followed, because there are too many; empty if there are none.
    private static func unfollowed(_ survey: SenderSurvey) -> String {
        guard survey.unfollowed > 0 else { return "" }
        let streams = ProgressBar.grouped(Int64(survey.streams.count))
        return
            "\(ProgressBar.grouped(survey.unfollowed)) more messages are of other streams: only \(streams) are followed\n"
    }

    /// Returns the full report as JSON.
    static func json(_ survey: SenderSurvey, _ place: MessageListener.Place) -> JSONValue {
        .object([
            ("version", .integer(1)), ("endpoint", .string(place.endpoint.text)),
            ("messages", .integer(Int(survey.messages))), ("unfollowed", .integer(Int(survey.unfollowed))),
            (
                "streams",
                .array(
                    survey.streams.map { stream in
                        .object([
                            ("name", .string(stream.name)), ("messages", .integer(Int(stream.messages))),
                            ("rate_hz", stream.rate.map { .number($0) } ?? .null), ("lost", .integer(Int(stream.lost))),
                            ("failed", .integer(Int(stream.failed))),
                            ("mean_bytes", .integer(Int(stream.bytes / max(1, stream.messages)))),
                            ("last", .string(stream.text)),
                            ("error", .optional(stream.error.map { "\($0)" })),
                            ("shape", .array(stream.outline.map { .string($0) })),
                        ])
                    })
            ), ("kind", .optional(survey.guess?.kind.name)), ("suggestion", .optional(survey.suggestion(place))),
        ])
    }

    private static func name(_ stream: SenderSurvey.Stream) -> String {
        stream.name.isEmpty ? "(no name)" : stream.name.shown
    }

    private static func rate(_ rate: Double) -> String {
        let tenths = Int64((rate * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
