import PipelineTesting
import Testing

@testable import Pipeline

/// The slots of an edge, without its queue.
@Suite struct InFlightSlotsTests {
    /// The slots as a list that is searched: slow, but plainly right.
    private struct Model {
        struct Flight {
            let number: Int
            let stream: StreamID
            let releasedAt: Int64
            var isOpen = true
            var working = 0
            var waiting = 0
            var isWaiting: Bool { !isOpen && working == 0 && waiting > 0 }
        }

        var flights: [Flight] = []
        var busy: Int { flights.count { !$0.isWaiting } }

        func waiting(_ stream: StreamID) -> Int { flights.count { $0.stream == stream && $0.isWaiting } }
    }

    @Test("Credits: the slots agree with a list of all flights, whatever happens in which order", arguments: 0..<40)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let policy = EdgePolicy(capacity: 1, inFlight: 3, timeoutMs: Bool.random(using: &random) ? 0.05 : nil)
        var slots = InFlightSlots(policy)
        var model = Model()
        let streams: [StreamID] = ["a", "b", "c"]
        var (now, numbers, timedOut): (Int64, Int, Int64) = (0, 0, 0)
        for _ in 0..<2000 {
            now += Int64.random(in: 0...3000, using: &random)
            let stream = streams[Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                guard !slots.isOpen(stream) else { break }
                numbers += 1
                slots.begin(stream, now)
                model.flights.append(Model.Flight(number: numbers, stream: stream, releasedAt: now))
            case 2:
                let index = model.flights.firstIndex { $0.isOpen && $0.stream == stream }
                let credit = slots.close(stream)
                #expect(credit?.number == index.map { model.flights[$0].number })
                if let index { (model.flights[index].isOpen, model.flights[index].working) = (false, 1) }
            case 3:
                let before = model.flights.count
                if policy.timeoutMs != nil {
                    model.flights.removeAll { now - $0.releasedAt >= 50_000 && !$0.isWaiting }
                }
                timedOut += Int64(before - model.flights.count)
                let isAnyTaken = slots.expire(now)
                #expect(isAnyTaken == (model.flights.count < before))
            default:
                guard let index = model.flights.indices.randomElement(using: &random), !model.flights[index].isOpen
                else { break }
                let change: Credit.Change
                if model.flights[index].waiting > 0, Bool.random(using: &random) {
                    change = .goesOn
                    model.flights[index].waiting -= 1
                    model.flights[index].working += 1
                } else if model.flights[index].working > 0 {
                    change = [.divided, .ended, .waits, .waits][Int.random(in: 0..<4, using: &random)]
                    model.flights[index].working += change == .divided ? 1 : -1
                    if change == .waits { model.flights[index].waiting += 1 }
                } else {
                    break
                }
                let number = model.flights[index].number
                if model.flights[index].working + model.flights[index].waiting == 0 { model.flights.remove(at: index) }
                let isKnown = slots.change(number, change)
                #expect(isKnown)
            }
            let isKnown = slots.change(numbers + 1, .ended)
            #expect(!isKnown, "no flight has this number")
            #expect(slots.isFree == (model.busy < 3))
            #expect((slots.unfinished, slots.timedOut) == (model.flights.count, timedOut))
            let deadline = model.flights.filter { !$0.isWaiting }.map { $0.releasedAt + 50_000 }.min()
            #expect(slots.nextDeadline == (policy.timeoutMs == nil ? nil : deadline))
            for stream in streams {
                #expect(slots.isOpen(stream) == model.flights.contains { $0.isOpen && $0.stream == stream })
                #expect(slots.hasEnoughWaiting(stream) == (model.waiting(stream) >= slots.room))
            }
        }
        #expect(timedOut > 0 || policy.timeoutMs == nil)
    }

    // If each call looked at all flights, this test would take many minutes.
    @Test("Credits: the work for a frame does not grow with the number of frames that wait at a join")
    func manyWaiting() {
        let count = 50_000
        var slots = InFlightSlots(EdgePolicy(capacity: 1, inFlight: 1, timeoutMs: 1))
        func isReady(_ stream: StreamID) -> Bool {
            slots.isFree && !slots.isOpen(stream) && !slots.hasEnoughWaiting(stream)
        }
        var ready = 0
        for value in 0..<count {
            let stream = StreamID("\(value)")
            if isReady(stream) { ready += 1 }
            slots.begin(stream, Int64(value))
            _ = slots.close(stream)
            if slots.nextDeadline == Int64(value) + 1_000_000 { ready += 1 }
            _ = slots.change(value + 1, .waits)
        }
        #expect(ready == 2 * count && slots.unfinished == count)
        // The first frame of each stream that goes on is finished before the next.
        for value in 0..<count {
            _ = slots.change(value + 1, .goesOn)
            _ = slots.change(value + 1, .ended)
            if slots.expire(Int64(count)) { ready += 1 }
        }
        #expect(ready == 2 * count && slots.unfinished == 0)
    }
}
