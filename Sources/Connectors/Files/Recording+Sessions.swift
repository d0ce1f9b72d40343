import Pipeline
import Stages

extension Recording {
    /// What one run wrote of a recording. One that was appended to (`if_exists: append`) holds several: the clock of each starts over.
    struct Session: Sendable, Equatable {
        /// The line it begins on, from 1.
        var firstLine: Int

        /// When its first frame came, and when its last did, by the clock that ``Recording/arrivals`` are told by.
        var begin: Int64
        var end: Int64
    }

    /// Reads the whole file for where its sessions begin. What cannot be read is passed over: whoever brings the frames counts it.
    ///
    /// - Throws: An environment error when the file cannot be read.
    func sessions() throws -> [Session] {
        // The time of day goes on from one run to the next.
        if arrivals == .log { return [Session(firstLine: 0, begin: firstArrival, end: firstArrival)] }
        let lines = try LineReader(opening: path)
        let reader = try JSONReader()
        var message = WireMessage()
        var detector = SessionDetector(arrivals == .receipt ? .receipt : .timestamp)
        var sessions: [Session] = []
        do {
            while let line = try lines.next() {
                guard case .bytes(let bytes) = line, (try? reader.begin(bytes)) != nil,
                    (try? message.read(reader, keys: .envelope, keepsUnknown: false)) != nil,
                    let time = arrivals == .receipt
                        ? message.value(.recvUs, message.receivedAt) : message.value(.tUs, message.time),
                    (0...Timestamp.max.rawValue).contains(time)
                else { continue }
                // Streams without a name are told apart by their kind, as their sources are.
                let stream = StreamID(message.value(.stream, message.stream) ?? message.kind)
                if detector.begins(with: stream, at: time) || sessions.isEmpty {
                    sessions.append(Session(firstLine: lines.lineNumber, begin: time, end: time))
                } else {
                    sessions[sessions.count - 1].end = max(sessions[sessions.count - 1].end, time)
                }
            }
        } catch {
            throw error.reading(path)
        }
        return sessions
    }

    /// Puts the sessions of recordings that were made together one after another.
    ///
    /// - Returns: For every session of every recording what is added to its times. The sessions of several recordings are those of
    ///   the same runs, in order, and keep the time between them.
    static func shifts(of recordings: [[Session]]) -> [[Int64]] {
        var shifts: [[Int64]] = recordings.map { $0.isEmpty ? [] : [0] }
        var end = recordings.compactMap(\.first?.end).max() ?? 0
        for number in 1..<max(1, recordings.map(\.count).max() ?? 0) {
            let those = recordings.filter { number < $0.count }.map { $0[number] }
            let shift = end + SessionDetector.pause - (those.map(\.begin).min() ?? 0)
            end = min((those.map(\.end).max() ?? 0) + shift, 1 << 60)
            for place in recordings.indices where number < recordings[place].count { shifts[place].append(shift) }
        }
        return shifts
    }
}
