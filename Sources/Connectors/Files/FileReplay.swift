import MCAP
import Pipeline
import PipelineComponents
import Stages

/// The implementation of ``FileSource`` for one payload type.
struct FileReplay<P: WirePayload>: Source {
    typealias Output = P

    let options: FileSource.Options
    let defaultStream: StreamID
    private let blockSize: Int
    private var selection: StreamSelection
    /// Collects the patterns of streams that match nothing; `nil` to log them.
    private let unmatched: UnmatchedStreams?
    /// Counts the messages of other kinds, which are skipped; `nil` if they are errors.
    private let others: OtherKinds?
    private var context: SourceContext?
    private var waker: Waker?
    /// Finds out which paths of `decode` lead to nothing; `nil` if there are none to watch.
    private var watch: PathWatch?
    /// The files to read. The size is known only for regular files.
    private var files: [(file: FileListing.File, size: Int64?)] = []
    private var nextFile = 0
    /// The reader of the current file.
    private var reader: LineFrames<P>?
    /// A frame that was read but is not due yet.
    private var held: Frame<P>?
    /// The controls of an interactive replay: pause, step and speed. `nil` if the replay is not interactive.
    private let control: ReplayControl?
    private var window: ReplayWindow
    private var pacer: ReplayPacer
    private(set) var gestures = GestureTimeline.Shared()
    private var streamsOfPass: Set<StreamID> = []
    /// The number of frames emitted in the current pass over the files.
    private var framesOfPass = 0
    private var bytesOfFilesDone: Int64 = 0
    private var isOver = false
    /// Whether all frames pass unchanged, because there is no selection, window, pacing or loop.
    private let takesAll: Bool

    init(
        _ options: FileSource.Options, defaultStream: StreamID, control: ReplayControl? = nil,
        unmatched: UnmatchedStreams? = nil, others: OtherKinds? = nil, blockSize: Int = 1 << 18
    ) {
        self.options = options
        self.defaultStream = defaultStream
        self.control = control
        self.unmatched = unmatched
        self.others = others
        self.blockSize = blockSize
        selection = StreamSelection(options.streams, renamed: options.renameStreams)
        window = ReplayWindow(startOffsetMs: options.startOffsetMs, durationMs: options.durationMs)
        pacer = ReplayPacer(control == nil ? options.rate : .times(1))
        takesAll = selection.takesAll && window.takesAll && options.rate == .max && !options.loop && control == nil
    }

    // To the stages downstream, a paced replay is a live source.
    var timing: SourceTiming { options.rate == .max && control == nil ? .recorded : .live }
    var output: PortType { PortType(P.self, attributes: options.knownLandmarks.attributes) }
    var mayBlock: Bool { true }

    mutating func open(_ context: SourceContext) async throws {
        self.context = context
        watch = PathWatch(options.decode, context.log, isLive: false)
        let waker = try Waker()
        context.stop.onRequest { waker.wake() }
        self.waker = waker
        files = []
        for file in try FileListing.files(
            options.path.path, extensions: FileFormat.extensions(options.wantedFormat))
        {
            let status: SystemCalls.Status
            do { status = try SystemCalls.status(file.path).get() } catch { throw error.reading(file.path) }
            // Opens a regular file once to check that it can be read before anything runs. A pipe can be opened only once, so it is
            // not checked.
            if status.isRegular { SystemCalls.close(try SystemCalls.openToRead(file.path)) }
            files.append((file, status.isRegular ? status.size : nil))
        }
    }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        guard let context else { return false }
        defer { tellProgress() }
        while !batch.isFull, !isOver {
            if context.stop.isRequested { break }
            if takesAll, case .blocks(let blocks) = reader {
                if try blocks.read(into: &batch, of: files[nextFile - 1].file.path) { break }
            }
            guard let item = try held.take().map(ReadItem.frame) ?? nextSelected() else {
                guard options.loop, framesOfPass > 0 else {
                    isOver = true
                    break
                }
                beginPass(&batch)
                continue
            }
            switch item {
            case .frame(let frame):
                let now = now(context)
                let due = pacer.due(of: frame.stream, at: frame.timestamp, came: arrival(of: frame), now: now)
                if let due, !pass(due, context) {
                    held = frame
                    if !batch.isEmpty { return true }
                    try await wait(until: due, context)
                    continue
                }
                framesOfPass += 1
                if options.loop { streamsOfPass.insert(frame.stream) }
                batch.append(frame)
            case .empty(let stream, let time, let number):
                batch.drop(stream: stream, at: time, sequence: number, .empty)
            case .failure(let error, let stream): batch.fail(error, stream: stream)
            case .end(let stream, let end): batch.append(.end(stream, end))
            }
        }
        if context.stop.isRequested { isOver = true }
        return !batch.isEmpty || !isOver
    }

    mutating func close() async {
        reader = nil
        held = nil
        watch?.finish()
        watch = nil
    }

    /// Waits in short steps, so that a request to stop takes effect promptly.
    private func wait(until due: Int64, _ context: SourceContext) async throws {
        guard let control else {
            let step: Int64 = 100_000_000
            while context.clock.now < due, !context.stop.isRequested {
                try await context.clock.sleep(until: min(due, context.clock.now + step))
            }
            return
        }
        while !control.isDue(due, at: context.clock.now), !context.stop.isRequested {
            try await context.clock.sleep(until: control.moment(of: due, at: context.clock.now))
        }
    }

    /// Returns the time that due times are compared with, in nanoseconds: the position of an interactive replay, or else the time
    /// of the run's clock.
    private func now(_ context: SourceContext) -> Int64 {
        control?.position(at: context.clock.now) ?? context.clock.now
    }

    /// Returns whether a frame with this due time can be emitted now. If it can, an interactive replay advances to the due time.
    private func pass(_ due: Int64, _ context: SourceContext) -> Bool {
        control?.pass(due, at: context.clock.now) ?? (due <= context.clock.now)
    }

    /// Returns the arrival time of the frame that was read last, in microseconds. Returns `nil` if the replay follows the frames'
    /// own timestamps, or if the arrival time is unknown.
    private func arrival(of frame: Frame<P>) -> Int64? {
        options.pace == .arrival ? logTime ?? frame.origin?.receivedAt : nil
    }

    /// The time at which the item that was read last was recorded, in microseconds, if the file's format stores it.
    private var logTime: Int64? {
        if case .recording(let recording) = reader { recording.loggedAt } else { nil }
    }

    /// Starts the next pass at the first file, with a new epoch of every stream of the previous pass.
    private mutating func beginPass(_ batch: inout SourceBatch<P>) {
        for stream in streamsOfPass.sorted() { batch.newEpoch(stream) }
        streamsOfPass = []
        framesOfPass = 0
        nextFile = 0
        bytesOfFilesDone = 0
        gestures = GestureTimeline.Shared()
        window.restart()
        pacer.restart()
    }

    private func tellProgress() {
        var done = bytesOfFilesDone
        if let reader { done += reader.bytesRead }
        context?.progress.update(done: done, total: files.reduce(0) { $0 + ($1.size ?? 0) })
    }

    /// Returns the next item that belongs to a selected stream and is inside the time window.
    private mutating func nextSelected() throws -> ReadItem<P>? {
        while let item = try next() {
            switch item {
            case .frame(var frame):
                guard let stream = selection.name(of: frame.stream) else { continue }
                let came = arrival(of: frame)
                let clock: SessionDetector.Clock? = came == nil ? .timestamp : logTime == nil ? .receipt : nil
                guard window.contains(came.map(Timestamp.init) ?? frame.timestamp, of: frame.stream, by: clock) else {
                    continue
                }
                frame.stream = stream
                return .frame(frame)
            case .empty(let stream, let time, let number):
                let followsArrivals = options.pace == .arrival
                let moment = followsArrivals ? logTime.map(Timestamp.init) : time
                guard let name = selection.name(of: stream),
                    window.contains(moment, of: stream, by: followsArrivals ? nil : .timestamp)
                else { continue }
                return .empty(name, time, number)
            case .end(let stream, let end):
                guard let stream = selection.name(of: stream) else { continue }
                return .end(stream, end)
            // A failure counts even if its stream is not selected, because that stream is sometimes a guess.
            case .failure(let error, let stream): return .failure(error, selection.name(of: stream) ?? stream)
            }
        }
        return nil
    }

    /// Returns the next item of all files.
    private mutating func next() throws -> ReadItem<P>? {
        while true {
            if let current = reader {
                let item: ReadItem<P>?
                do { item = try current.next() } catch {
                    reader = nil
                    bytesOfFilesDone += current.bytesRead
                    return try damage(error, files[nextFile - 1].file.path)
                }
                if let item { return item }
                reader = nil
                bytesOfFilesDone += current.bytesRead
                if context?.stop.isRequested == true { return nil }
                if current.bytesRead == 0 { context?.log(.info, "\(files[nextFile - 1].file.path) is empty") }
            }
            if context?.stop.isRequested == true { return nil }
            guard nextFile < files.count else {
                if let context { gestures.report(to: context.log, files: files.count) }
                tellUnmatched()
                return nil
            }
            nextFile += 1
            if let item = try beginFile(files[nextFile - 1]) { return item }
        }
    }

    /// Reports the patterns that match no stream.
    private mutating func tellUnmatched() {
        let patterns = selection.takeUnmatched()
        if let unmatched { return unmatched.add(patterns) }
        for pattern in patterns {
            context?.log(
                .warning,
                "no stream in \(options.path.path) matches \(quote(pattern)); pipectl info lists the streams")
        }
    }

    /// Returns the failure that takes the place of the rest of a damaged compressed file. Throws every other error.
    private func damage(_ error: SystemError, _ path: String) throws -> ReadItem<P> {
        guard error.isDamage else { throw error.reading(path) }
        return .failure(error.reading(path), defaultStream)
    }

    /// Opens a file. A file that holds a single frame is read completely, and its frame is returned.
    private mutating func beginFile(_ entry: (file: FileListing.File, size: Int64?)) throws -> ReadItem<P>? {
        let (file, path) = (entry.file, entry.file.path)
        let lines = LineReader(
            descriptor: try SystemCalls.openToReadAtOnce(path), maxLineBytes: options.maxLineBytes,
            blockSize: blockSize,
            waker: waker, packing: FileCompression(path: path))
        let format: FileSource.Format
        do {
            format = try FileFormat.format(options.wantedFormat, path: path, lines)
            try FileFormat.refuseOther(format, path, lines, isMapped: options.decode.isMapped)
            if format.isDocument { return try document(format, file, lines) }
            if format == .mcap {
                reader = .recording(try recording(file))
                return nil
            }
        } catch let error as SystemError {
            return try damage(error, path)
        }
        var decode = options.decode
        if format == .msgpack { decode.format = .msgpack }
        if let size = entry.size, format != .csv, isBlockwise, FileCompression(path: path) == nil {
            reader = .blocks(try blocks(of: lines, size, origins(of: file), decode))
        } else {
            reader = try LineFrames(
                lines, isTable: format == .csv, origins: origins(of: file), decode: decode,
                defaultStream: defaultStream, landmarks: options.landmarks, clock: context?.clock, watch: watch,
                others: others, timeline: gestures)
        }
        return nil
    }

    private func origins(of file: FileListing.File) -> FileOrigins {
        FileOrigins(file: file.name, path: file.path, areRecorded: options.origin)
    }

    private func recording(_ file: FileListing.File) throws -> MCAPFrames<P> {
        let selection = selection
        return try MCAPFrames(
            FileInput(descriptor: try SystemCalls.openToRead(file.path)),
            .init(
                origins: origins(of: file), decode: options.decode,
                defaultStream: defaultStream, landmarks: options.landmarks,
                isWanted: { channel in
                    var selection = selection
                    return selection.name(of: StreamID(channel.topic)) != nil
                }, log: context?.log ?? .silent, watch: watch, counts: context?.counts ?? Counts()))
    }

    /// Whether messages are read in blocks, on several threads. This is impossible if a timestamp depends on when or at which
    /// position a message is read, and unnecessary if the replay is paced.
    private var isBlockwise: Bool {
        options.rate == .max && options.decode.missingTime != .receipt && options.decode.hz == nil
    }

    private func blocks(
        of lines: LineReader, _ size: Int64, _ origins: FileOrigins, _ decode: DecodeOptions
    ) throws -> BlockReader<P> {
        let blocks = Int(size / Int64(blockSize))
        return try BlockReader(
            lines, helpers: max(0, min(context?.workers ?? 1, blocks) - 1), blockSize: blockSize
        ) { [options, defaultStream, watch, others] in
            try InputMessages(
                LineReader(maxLineBytes: options.maxLineBytes), origins: origins, decode: decode,
                defaultStream: defaultStream, landmarks: options.landmarks, watch: watch, others: others, numbering: nil
            )
        }
    }

    private mutating func document(
        _ format: FileSource.Format, _ file: FileListing.File, _ lines: LineReader
    ) throws -> ReadItem<P>? {
        do {
            let document = try lines.whole()
            // A request to stop ends the wait for the rest of the document.
            if context?.stop.isRequested == true { return nil }
            bytesOfFilesDone += lines.bytesRead
            guard let document else {
                throw PipelineError.frame("decode.line_too_long", "the file is larger than max_line_bytes")
            }
            if document.isEmpty {
                context?.log(.info, "\(file.path) is empty")
                return nil
            }
            if format == .openpose, watch == nil, let context {
                watch = PathWatch(options.messages(in: format), context.log, isLive: false)
            }
            return try item(of: document, format, file.name, watch)
        } catch let error as PipelineError {
            return .failure(error.located(in: file.path), defaultStream)
        }
    }
}
