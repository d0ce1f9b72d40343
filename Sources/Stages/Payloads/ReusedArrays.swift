/// Creates the arrays of one decoder or stage, and reuses the memory of an array when nothing else refers to it any more.
///
/// The thread that drops the last copy of a payload is usually not the one that has created it. If it freed the memory, the threads
/// would wait for each other at the lock of the allocator. The creator therefore keeps a reference to each array, and fills the
/// oldest one again if that reference is the only one. Otherwise, it creates an array, and keeps one more from then on.
// Usable from inlinable code, so that other modules can inline it.
@usableFromInline
package struct ReusedArrays<Element: Sendable>: Sendable {
    /// The size up to which an array is kept, so that a huge one does not hold memory for long: 64 KiB.
    @usableFromInline static var longest: Int { (64 << 10) / MemoryLayout<Element>.stride }
    /// The total number of elements for which memory is kept: 4 MiB.
    static var most: Int { (4 << 20) / MemoryLayout<Element>.stride }

    @usableFromInline let blank: Element
    @usableFromInline var arrays: [[Element]] = [[]]
    /// The index of the oldest array, which is filled next.
    @usableFromInline var next = 0
    /// The number of elements for which the arrays have memory.
    package private(set) var held = 0

    /// - Parameter blank: Any value.
    @inlinable
    package init(_ blank: Element) { self.blank = blank }

    /// Returns an array of `count` elements.
    ///
    /// - Parameter fill: Sets all elements, which have any values before.
    @inlinable
    @inline(__always)
    package mutating func array(of count: Int, _ fill: (UnsafeMutableBufferPointer<Element>) -> Void) -> [Element] {
        #if PTHREAD_LOCKS
            // The thread sanitizer does not know that a reference count orders two threads.
            let isKept = false
        #else
            let isKept = count <= Self.longest
        #endif
        guard isKept else {
            var array = [Element](repeating: blank, count: count)
            array.withUnsafeMutableBufferPointer { fill($0) }
            return array
        }
        let (place, capacity) = (arrays[next].withUnsafeBufferPointer { $0.baseAddress }, arrays[next].capacity)
        arrays[next].resize(to: count, filler: blank)
        let isMoved = arrays[next].withUnsafeMutableBufferPointer { elements in
            fill(elements)
            return UnsafePointer(elements.baseAddress) != place
        }
        let array = arrays[next]
        if isMoved { noteMoved(from: capacity, to: array.capacity) }
        next = next + 1 < arrays.count ? next + 1 : 0
        return array
    }

    /// Notes that an array was replaced, because it was too small or is still used elsewhere.
    @usableFromInline
    @inline(never)
    mutating func noteMoved(from old: Int, to new: Int) {
        held += new - old
        if held > Self.most {
            (arrays, next, held) = ([[]], 0, 0)
        } else if old > 0, new <= old {
            arrays.append([])
        }
    }
}
