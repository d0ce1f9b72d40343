/// The task of a source: reads the source, checks the order of its streams, counts its frames, and moves them to the edges.
// Only its own task accesses its state once it runs, with two exceptions. A reload or commit point may do so while the run is
// frozen. If callers pass in the frames, the callers access the state under the lock of their port, while the task waits in its
// read until the port is closed.
final class SourceTask<S: Source>: ReloadableSource, @unchecked Sendable {
    let name: String
    let kind = RunTaskKind.source
    let executor: ThreadExecutor?
    // Stored behind pointers: stored properties would cost an exclusivity check for every call.
    private let source: UnsafeMutablePointer<S>
    /// The payload type, whose functions pass frames on. It is stored, so that it is not looked up for every frame.
    private let payload: any Payload.Type
    /// The destinations of the frames. A reload replaces them while the source is held.
    @exclusivity(unchecked) private(set) var route: OutputRoute
    private let context: SourceContext
    @exclusivity(unchecked) private(set) var account: NodeAccount
    let metrics: NodeMetrics
    let monitor: RunMonitor
    private let waker: Waker
    let order: UnsafeMutablePointer<StreamOrder>
    /// The number of frames that the source may still emit.
    @exclusivity(unchecked) private var remaining: Int64
    /// The number of frames that were dropped because they were out of order or duplicates.
    var irregular: Int64 = 0
    private let mayRead: Bool
    /// How watermarks travel. If they are explicit, frames get an arrival time, and each is followed by its watermark.
    private let watermarks: Watermarks
    @exclusivity(unchecked) private var arrival: Int64 = 0
    private let liveTime: LiveTime?
    let onLate: LatePolicy
    /// The rank of the item that was read last.
    @exclusivity(unchecked) private var rank = SourceRank()
    private(set) var isOpen = false
    /// Set while the run is frozen, if a reload removes the source.
    private var isRetired = false
    private(set) var hasEnded = false
    @exclusivity(unchecked) var hasFailed = false
    /// Whether the source takes part in commit points. Stored, because generic code copies the whole source to ask it.
    private let commits: Bool

    init(_ source: S, _ task: TaskContext, route: OutputRoute, intake: SourceIntake, context: SourceContext) {
        watermarks = task.watermarks
        liveTime = intake.liveTime
        onLate = intake.onLate
        self.source = .allocate(capacity: 1)
        self.source.initialize(to: source)
        commits = source.commits
        payload = S.Output.self
        self.route = route
        self.context = context
        (account, waker) = (task.account, task.waker)
        (metrics, monitor) = (account.metrics, account.monitor)
        executor = source.mayBlock ? ThreadExecutor() : nil
        name = context.id
        order = .allocate(capacity: 1)
        order.initialize(to: StreamOrder(intake.rules, maxStreams: context.maxStreams, idleMs: intake.idleMs))
        remaining = intake.limit ?? .max
        mayRead = remaining > 0
    }

    deinit {
        source.deinitialize(count: 1)
        source.deallocate()
        order.deinitialize(count: 1)
        order.deallocate()
    }

    func open() async throws {
        isOpen = true
        try await source.pointee.open(context)
    }

    func run() async {
        var batch = SourceBatch<S.Output>()
        var hasMore = mayRead
        // For each stream, the index of its last item in the batch. Only set if the source had to wait for room.
        var untaken: [StreamID: Int] = [:]
        waker.pulse.beat()
        if !monitor.gate.pass(context.stop) { await monitor.gate.wait(context.stop) }
        while hasMore {
            let hasStopped = context.stop.isRequested
            if hasStopped, !commits { break }
            // Frames beyond the limit would be dropped but committed, so request no more than the remaining frames.
            if commits, remaining < batch.limit { batch.limit = Int(max(1, remaining)) }
            waker.pulse.leave()
            monitor.gate.leave()
            do {
                hasMore = try await source.pointee.read(into: &batch)
            } catch {
                if !(error is CancellationError && (monitor.stop.isRequested || context.stop.isRequested)) {
                    monitor.fail(name, PipelineError(wrapping: error))
                }
                hasMore = false
            }
            if !monitor.gate.pass(context.stop) { await monitor.gate.wait(context.stop) }
            waker.pulse.beat()
            if watermarks == .explicit { arrival = max(1, monitor.clock.now) }
            batch.makeFramesOwn()
            var place = 0
            var event = 0
            while !take(batch, from: &place, event: &event) {
                signal.isRaised = false
                guard outlets.contains(where: { $0.isReady && $0.offer() != nil }) else { continue }
                if let liveTime, outlets.offer() != nil {
                    if untaken.isEmpty { untaken = lastPlaces(in: batch, from: place, event: event) }
                    liveTime.offered(but: untaken, from: place)
                }
                await outlets.flush(waker, monitor, at: name)
            }
            batch.frames.forgetAll()
            if !untaken.isEmpty { untaken.removeAll() }
            if !batch.events.isEmpty { batch.events.removeAll(keepingCapacity: true) }
            // Call `flush` only if an edge is full, because the asynchronous call usually costs more than moving the items.
            let isFull = outlets.offer() != nil
            // An edge that is full keeps watermarks behind the frames of their streams.
            liveTime?.offered()
            if isFull { await outlets.flush(waker, monitor, at: name) }
            if commits { source.pointee.noteTaken() }
            // Check `hasFailed` only after a read: if callers pass in the frames, they modify it while the task waits in its read.
            if hasFailed || hasStopped { hasMore = false }
            if remaining <= 0 {
                if commits { context.stop.request() } else { hasMore = false }
            }
        }
        if isRetired { await endStreams() } else { for outlet in outlets { outlet.finish() } }
        liveTime?.end()
        waker.pulse.end()
        hasEnded = true
        // The source must not count as one that reads when the gate finds that no source is at work: the run would be at rest,
        // although the tasks after this source are about to end.
        monitor.sourceEnded()
        monitor.gate.leave()
    }

    /// Returns, for each stream, the index of its last frame in a batch, or of the frame before which it ends, among the items that
    /// were not taken.
    private func lastPlaces(
        in batch: borrowing SourceBatch<S.Output>, from place: Int, event: Int
    ) -> [StreamID: Int] {
        var places: [StreamID: Int] = [:]
        for event in batch.events[event...] {
            if case .end(let stream, _) = event.what { places[stream] = event.place }
        }
        for place in place..<batch.frames.count {
            let stream = batch.frames.address(place).assumingMemoryBound(to: FrameHeader.self).pointee.stream
            places[stream] = max(places[stream] ?? 0, place)
        }
        return places
    }

    /// Ends all streams but not the edges, which another source may continue to use, also with streams of the same names.
    private func endStreams() async {
        for stream in order.pointee.followed {
            liveTime?.end(stream)
            outlets.take(.end(stream, .restarts))
        }
        await outlets.flush(waker, monitor, at: name)
    }

    func follow(_ route: OutputRoute, _ errors: ErrorEnd?) {
        self.route = route
        account.errors = errors
        if hasEnded { for outlet in outlets { outlet.finish() } }
    }

    func retire() {
        isRetired = true
        context.stop.request()
        monitor.gate.letPass(context.stop)
    }

    var followedStreams: [StreamID] { order.pointee.followed }

    func release(_ streams: Set<StreamID>) {
        for stream in streams {
            order.pointee.end(stream)
            liveTime?.end(stream)
        }
    }

    private var outlets: [any AnyOutlet] { route.outlets }
    private var signal: OutletSignal { route.signal }
    var slotOutlets: [any AnyOutlet] { route.slotOutlets }
    private var progressOutlets: [any AnyOutlet] { route.progressOutlets }

    func close() async {
        guard isOpen else { return }
        isOpen = false
        await source.pointee.close()
    }

    /// Processes the items that were read, from `place` on, until enough output waits to be moved. The memory of processed frames
    /// is uninitialized afterwards.
    ///
    /// - Returns: Whether all items were processed.
    private func take(_ batch: borrowing SourceBatch<S.Output>, from place: inout Int, event: inout Int) -> Bool {
        let (frames, count) = (batch.frames, batch.frames.count)
        var next = event < batch.events.count ? batch.events[event].place : Int.max
        while !signal.isRaised {
            if next == place {
                take(batch.events[event].what)
                event += 1
                next = event < batch.events.count ? batch.events[event].place : Int.max
            } else if place < count {
                take(frames.address(place))
                place += 1
            } else {
                return true
            }
        }
        return false
    }

    /// Processes a value that a caller passes in, in the caller's thread. For such a source, this replaces the work of ``run()``.
    /// Calls are made one at a time, and none after the source's end.
    func take(given call: CallPort<S.Output>.Call) {
        if watermarks == .explicit { arrival = max(1, monitor.clock.now) }
        switch call {
        case .frame(let frame):
            withUnsafeTemporaryAllocation(of: Frame<S.Output>.self, capacity: 1) { place in
                guard let place = place.baseAddress else { return }
                place.initialize(to: frame)
                take(UnsafeMutableRawPointer(place))
            }
        case .end(let stream): take(.end(stream))
        }
        // Items for which an edge has no room are moved with the next frame, or at the end.
        for outlet in outlets { _ = outlet.offer() }
        liveTime?.offered()
    }

    /// Processes the frame in memory. The memory is uninitialized afterwards.
    private func take(_ memory: UnsafeMutableRawPointer) {
        let header = memory.assumingMemoryBound(to: FrameHeader.self)
        metrics.received.add()
        guard !hasFailed, remaining > 0 else {
            drop(header.pointee, hasFailed ? .cancelled : "limit")
            return payload._empty(memory)
        }
        let verdict = order.pointee.judge(header.pointee.timestamp, header.pointee.stream)
        if order.pointee.hasEvicted { endEvicted() }
        switch verdict {
        case .pass: return emit(memory)
        case .passInNewEpoch:
            let stream = header.pointee.stream
            liveTime?.end(stream)
            outlets.take(.end(stream, .restarts))
            return emit(memory)
        case .clamp(let timestamp):
            header.pointee.timestamp = timestamp
            return emit(memory)
        case .drop(let fault): drop(header.pointee, .disorder, fault)
        case .fail(let fault):
            if watermarks == .explicit { header.pointee.arrival = arrival }
            failOrder(memory, fault)
        }
        // The order has counted the frame itself as missing.
        order.pointee.noteMissing(Int64(header.pointee.gap), of: header.pointee.stream)
        payload._empty(memory)
    }

    /// Ends the streams that were evicted to make room or because they were idle. Everything downstream then removes them too.
    @inline(never)
    private func endEvicted() {
        for stream in order.pointee.takeEvicted() {
            liveTime?.end(stream)
            outlets.take(.end(stream, .restarts))
        }
    }

    private func take(_ event: SourceEvent.What) {
        switch event {
        case .failure(let error, let stream):
            metrics.received.add()
            if hasFailed { return account.drop(FrameHeader(timestamp: .zero, stream: stream), .cancelled) }
            order.pointee.noteMissing(1, of: stream)
            if account.failInput(of: stream, arrival: arrival, error) { hasFailed = true }
            slotOutlets.take(.inputEnd)
            advance(to: nil)
        case .drop(let stream, let timestamp, let sequence, let reason):
            metrics.received.add()
            if reason.isLoss { order.pointee.noteMissing(1, of: stream) }
            drop(FrameHeader(timestamp: timestamp, stream: stream, sequence: sequence), reason)
        case .bound(let time):
            outlets.take(.bound(nil, time))
            advance(to: time)
        case .end(let stream, let end):
            order.pointee.end(stream)
            liveTime?.end(stream)
            outlets.take(.end(stream, end))
            advance(to: nil)
        case .lost(let hole):
            metrics.lost.add(hole.count)
            order.pointee.noteMissing(hole.count, of: hole.stream)
            monitor.tell(
                DropRecord(
                    stream: hole.stream, timestamp: hole.before, sequence: hole.first ?? 0, count: hole.count,
                    place: name, reason: .lost))
        }
    }

    /// Passes on a frame. Its memory is uninitialized afterwards.
    private func emit(_ memory: UnsafeMutableRawPointer) {
        let header = memory.assumingMemoryBound(to: FrameHeader.self)
        if let liveTime, !liveTime.note(header.pointee.timestamp, of: header.pointee.stream, arrival: arrival) {
            refuse(header.pointee)
            return payload._empty(memory)
        }
        metrics.passed.add()
        remaining -= 1
        header.pointee.gap.addSaturated(order.pointee.takeGap())
        let (stream, time) = (header.pointee.stream, header.pointee.timestamp)
        guard watermarks == .explicit else {
            hand(memory)
            if !progressOutlets.isEmpty { advance(to: time) }
            return
        }
        header.pointee.arrival = arrival
        hand(memory)
        slotOutlets.take(.inputEnd)
        outlets.take(.bound(stream, time))
    }

    /// Sends a mark that follows everything produced from one item.
    func advance(to time: Timestamp?) {
        // After a failure, merges and joins must not continue as if the failed item had produced nothing.
        if hasFailed { return }
        rank = rank.next(at: time)
        progressOutlets.take(.progress(rank))
    }

    private func hand(_ memory: UnsafeMutableRawPointer) {
        if let outlet = route.outlet {
            payload._move(memory, into: outlet)
        } else {
            payload._hand(memory, to: route.next)
        }
        metrics.emitted.add()
    }
}
