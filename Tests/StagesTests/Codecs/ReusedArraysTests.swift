import Testing

@testable import Connectors
@testable import Stages

@Suite("Reused memory of arrays")
struct ReusedArraysTests {
    private let layout = PointLayout([.x, .y])
    private var reused = ReusedArrays(Sample(x: 0, y: 0))

    /// Returns samples that all have one position.
    private mutating func samples(_ count: Int, at place: Double) -> [Sample] {
        reused.samples(from: Array(repeating: place, count: 2 * count), layout)
    }

    /// Returns the address of the samples' memory.
    // Static, because a reference to a method would hold a copy of all arrays.
    private static func address(of samples: [Sample]) -> UnsafePointer<Sample>? {
        samples.withUnsafeBufferPointer(\.baseAddress)
    }

    @Test("Samples that are still used keep their values", arguments: [1, 5, 300])
    mutating func kept(inUse: Int) {
        var held: [[Sample]] = []
        for number in 0..<1000 {
            held.append(samples(1 + number % 7, at: Double(number)))
            if held.count > inUse { held.removeFirst() }
            for (index, samples) in held.enumerated() {
                let place = Double(number - held.count + 1 + index)
                #expect(samples.count == 1 + Int(place) % 7)
                #expect(samples.allSatisfy { $0 == Sample(x: place, y: place) })
            }
        }
    }

    #if !PTHREAD_LOCKS
        @Test("Memory is used again as soon as it is free")
        mutating func again() {
            var held: [[Sample]] = []
            for number in 0..<100 {
                held.append(samples(40, at: Double(number)))
                if held.count > 8 { held.removeFirst() }
            }
            var places = held.map(Self.address)
            held = []
            for number in 0..<100 { places.append(Self.address(of: samples(40, at: Double(number)))) }
            // There are as many arrays as were in use, and a few that were created until that was known.
            #expect(Set(places).count < 24)
        }
    #endif

    @Test("Samples that nobody returns are kept up to a limit, and huge ones not at all")
    mutating func bounded() {
        var held: [[Sample]] = []
        for number in 0..<10_000 { held.append(samples(100, at: Double(number))) }
        #expect(held.indices.allSatisfy { held[$0].first?.x == Double($0) })
        #expect(reused.held <= ReusedArrays<Sample>.most)
        _ = samples(1_000_000, at: 1)
        #expect(reused.held <= ReusedArrays<Sample>.most)
    }

    @Test("A layout without numbers gives no samples")
    mutating func empty() {
        #expect(reused.samples(from: [], PointLayout()).isEmpty)
        #expect(samples(0, at: 0).isEmpty)
    }
}
