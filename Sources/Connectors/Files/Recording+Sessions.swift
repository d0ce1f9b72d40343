import Pipeline
import Stages

extension Recording {
    /// The part of a recording that one run wrote. A file to which several runs were appended (`if_exists: append`) contains
    /// several sessions, and the clock starts over in each of them.
    struct Session: Sendable, Equatable {
        /// The number of the session's first line, from 1. 0 in MCAP, which has no lines.
        var firstLine: Int

        /// The arrival times of the session's first and latest frame, by the clock of ``Recording/arrivals``.
        var begin: Int64
        var end: Int64
    }

    /// Reads the whole file and returns its sessions. Skips unreadable lines. The source that reads the frames counts them.
    ///
    /// - Throws: An environment error if the file cannot be read.
    func sessions() throws -> [Session] {
        // MCAP is one session: log times are times of day, so the clock does not start over with each run. The end of the session
        // is not determined, because it is needed only if another session follows.
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
                // A message without a stream belongs to a stream named after its kind, because each kind has a source of its own.
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

    /// Computes time shifts that put the sessions of recordings one after another.
    ///
    /// Sessions with the same number are assumed to be from the same run, and keep their relative times.
    ///
    /// - Returns: For every session of every recording, the number of microseconds to add to its times.
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
