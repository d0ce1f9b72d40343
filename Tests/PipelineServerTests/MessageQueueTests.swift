import Testing

@testable import PipelineServer

@Suite("The messages that wait for a viewer")
struct MessageQueueTests {
    private static func message(_ number: Int, bytes: Int) -> WebMessage {
        WebMessage([UInt8](repeating: UInt8(number & 0xFF), count: bytes))
    }

    @Test("Messages that are dropped from the queue of a slow viewer are freed at once")
    func freed() {
        var queue = MessageQueue()
        weak var first: WebMessage?
        for number in 0..<50 {
            let message = Self.message(number, bytes: 1 << 20)
            if number == 0 { first = message }
            queue.add(message)
            #expect(queue.waiting.reduce(0) { $0 + $1.count } <= MessageQueue.mostBytes)
        }
        #expect(first == nil)
        #expect(queue.waiting.count == 2)
    }

    @Test("A state does not wait for other messages except the first of the connection; a newer state takes its place")
    func state() {
        var queue = MessageQueue()
        queue.state = Self.message(0, bytes: 1)
        for bytes in [10, 20, 30] { queue.add(Self.message(0, bytes: bytes)) }
        #expect(queue.next()?.count == 10)
        #expect(queue.next()?.count == 1)
        queue.state = Self.message(0, bytes: 2)
        queue.state = Self.message(0, bytes: 3)
        #expect((0..<4).map { _ in queue.next()?.count } == [3, 20, 30, nil])
        queue.state = Self.message(0, bytes: 4)
        for _ in 0...MessageQueue.mostMessages { queue.add(Self.message(0, bytes: 5)) }
        #expect(queue.next()?.count == 4)
    }

    @Test("The newest messages stay, in order; a message that is too large alone is sent all the same")
    func order() {
        var queue = MessageQueue()
        for number in 0..<1000 { queue.add(Self.message(number, bytes: number + 1)) }
        var sizes: [Int] = []
        while let message = queue.next() { sizes.append(message.count) }
        #expect(sizes == Array((1001 - MessageQueue.mostMessages)...1000))
        queue.add(Self.message(0, bytes: 1))
        queue.add(Self.message(0, bytes: 3 << 20))
        #expect(queue.next()?.count == 3 << 20)
        #expect(queue.next() == nil)
    }
}
