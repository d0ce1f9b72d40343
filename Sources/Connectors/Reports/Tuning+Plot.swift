import Pipeline
import Stages

extension Tuning {
    /// The trade-off as an SVG document: the share of known gestures that are named correctly, as a function of the share of
    /// unknown gestures that are named. If the data has no unknown gestures, the time per match takes the place of the latter.
    public var svg: String { String(decoding: plot.picture.svg(), as: UTF8.self) }

    /// Returns the same plot as a PNG file.
    ///
    /// - Throws: An environment error when there is not enough memory.
    public func png() throws -> [UInt8] { try plot.picture.png(scale: 2) }

    private var plot: LinePlot {
        let isOpen = candidates.contains { $0.all.unknownTests > 0 }
        func place(_ index: Int) -> Picture.Place {
            let candidate = candidates[index]
            // A logarithmic axis has no zero, so a setting that names no unknown gesture is drawn at the left end.
            let x = isOpen ? max(candidate.all.falseAccept ?? 0, 0.001) : candidate.nanoseconds / 1000
            return Picture.Place(x: x, y: candidate.all.rightShare)
        }
        func dots(_ name: String, _ indices: [Int], _ color: Int) -> LinePlot.Line {
            LinePlot.Line(name: name, places: indices.map(place), color: color, hasLine: false)
        }
        var lines = [
            dots("a setting", Array(candidates.indices.dropFirst()), 0), dots("the pipeline as it is", [0], 1),
        ]
        if let best { lines.append(dots("the setting chosen", [best], 2)) }
        let times = candidates.map { $0.nanoseconds / 1000 }
        let marks =
            isOpen
            ? [(0.001, "≤ 0.1 %")]
                + [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].map { ($0, "\(twoDecimals($0 * 100)) %") }
            : [(0, "0"), (times.max() ?? 1, twoDecimals(times.max() ?? 1))]
        return LinePlot(
            title: "known gestures named rightly, over \(isOpen ? "unknown gestures named" : "time")",
            x: LinePlot.Axis(
                title: isOpen ? "unknown gestures named" : "µs for a match", marks: marks, isLogarithmic: isOpen),
            y: .percent("", from: candidates.map(\.all.rightShare).min() ?? 0), lines: lines)
    }
}
