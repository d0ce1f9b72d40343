import Foundation
import Pipeline

@testable import Stages

/// A recorded session of the data set `machete_mouse`: a person drew gestures on command, between other movements of the mouse.
struct MouseSession {
    /// A gesture that was drawn: its beginning and end, in frames of the session.
    struct Truth {
        let gesture: String
        let frames: ClosedRange<Int>
    }

    static let people = ["U030", "U031", "U033", "U036"]
    /// The number of trials, each with other training samples.
    static let draws = GestureData.repetitions(few: 0) > 0 ? 5 : 1

    let points: [SpotPoint]
    /// For each frame, the requested gesture if the person drew it incorrectly, so that it does not count; otherwise `nil`.
    let spoilt: [String?]
    let truth: [Truth]
    private let training: [String: [Stroke]]

    init(person: String) throws {
        let root = "\(GestureData.folder ?? "")/machete_mouse"
        func rows(_ path: String) throws -> [[Substring]] {
            try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8).split(whereSeparator: \.isNewline)
                .dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        }
        func number(_ text: Substring) -> Double { Double(text) ?? .nan }
        let session = try rows("sessions/Sub_\(person).csv")
        var last = Int64(-1)
        points = session.map { row in
            // The clock of the recordings sometimes stands still.
            last = max(last + 1, Int64((number(row[0]) * 1e6).rounded()))
            return SpotPoint(x: number(row[1]), y: number(row[2]), time: last)
        }
        spoilt = session.map { $0[3] == "-1" ? String($0[4]) : nil }
        let id = person.drop { !("1"..."9").contains($0) }
        truth = try rows("truth.csv").filter { $0[1] == id }.map { row in
            Truth(gesture: String(row[2]), frames: (Int(row[4]) ?? 0)...(Int(row[5]) ?? 0))
        }
        var training: [String: [Stroke]] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: "\(root)/training").sorted()
        where file.hasPrefix("\(person)_") {
            let name = ["amp": "&", "at": "@"][file.split(separator: "_")[1]] ?? String(file.split(separator: "_")[1])
            let samples = try rows("training/\(file)").map {
                Sample(x: number($0[1]), y: number($0[2]), t: number($0[0]) * 1e6)
            }
            training[name, default: []].append(Stroke(samples: samples, fields: .time))
        }
        self.training = training
    }

    /// Returns a library with some training samples of each gesture.
    func library(draw: Int, samples: Int) -> GestureLibrary {
        GestureLibrary(
            gestures: training.sorted { $0.key < $1.key }.map { name, strokes in
                .init(name: name, samples: (0..<samples).map { strokes[(draw + $0) % strokes.count] })
            })
    }

    /// The session as the frames of a mouse.
    var frames: [Frame<Points>] {
        points.enumerated().map { index, point in
            Frame(
                Points(phase: .move, samples: [Sample(x: point.x, y: point.y)]),
                at: Timestamp(rawValue: point.time), stream: "mouse", sequence: Int64(index))
        }
    }

    /// Returns the time of a frame, in seconds.
    func seconds(_ frame: Int) -> Double { Double(points[frame].time) / 1e6 }

    /// The intervals between gestures, in seconds.
    var rests: [ClosedRange<Double>] {
        var (rests, begin): ([ClosedRange<Double>], Double) = ([], 0)
        for frames in truth.map(\.frames).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if seconds(frames.lowerBound) > begin { rests.append(begin...seconds(frames.lowerBound)) }
            begin = max(begin, seconds(frames.upperBound))
        }
        return rests + [begin...max(begin, seconds(points.count - 1))]
    }

    /// Returns the number of the first frame at or after a time.
    func frame(at time: Timestamp) -> Int {
        var (low, high) = (0, points.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if points[middle].time < time.rawValue { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The score of spotting, counted as by the authors of the data. A result hits a gesture if it has the gesture's name and shares a
/// frame with it. A result that hits an incorrectly drawn gesture does not count.
struct SpotScore {
    private(set) var (hits, falseAlarms, misses) = (0, 0, 0)
    /// The number of false alarms in the first minute of those intervals between gestures that last at least a minute.
    private(set) var early = 0
    private(set) var delaysMs: [Double] = []

    var f1: Double { 200 * Double(hits) / Double(max(1, 2 * hits + falseAlarms + misses)) }

    /// Counts the results for a session.
    mutating func add(_ found: [Frame<Recognition>], in session: MouseSession) {
        var isHit = [Bool](repeating: false, count: session.truth.count)
        for frame in found {
            let name = frame.payload.best.name
            let frames = session.frame(at: frame.payload.start)...session.frame(at: frame.payload.end)
            if let index = session.truth.firstIndex(where: { $0.gesture == name && $0.frames.overlaps(frames) }) {
                guard !isHit[index] else { continue }
                isHit[index] = true
                let end = session.points[session.truth[index].frames.upperBound].time
                delaysMs.append(Double(frame.timestamp.rawValue - end) / 1000)
            } else if !frames.contains(where: { session.spoilt[$0] == name }) {
                falseAlarms += 1
                let time = session.seconds(frames.lowerBound)
                if session.rests.contains(where: {
                    $0.upperBound - $0.lowerBound >= 60 && $0.contains(time) && time < $0.lowerBound + 60
                }) {
                    early += 1
                }
            }
        }
        hits += isHit.count { $0 }
        misses += isHit.count { !$0 }
    }

    /// Returns a quantile of the delays, in milliseconds, between the end of a gesture and the frame at which it is emitted.
    func delay(_ share: Double) -> Double {
        let sorted = delaysMs.sorted()
        return sorted.isEmpty ? .infinity : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}
