import Synchronization

#if PTHREAD_LOCKS
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// A value that one thread at a time can get at.
    ///
    /// This is the form for the thread sanitizer. On Linux it does not see that a `Mutex` orders what threads do (it is made
    /// of futex calls in the standard library, which is not instrumented), and reports races where there are none.
    // The value is reached with the mutex held only.
    package struct Lock<Value>: ~Copyable, @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

        /// Guards a value.
        package init(_ value: consuming sending Value) {
            pthread_mutex_init(mutex, nil)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        /// Does something with the value while no other thread can.
        package borrowing func withLock<Result: ~Copyable, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }

        /// The same, or `nil` at once when another thread has the value.
        package borrowing func withLockIfAvailable<Result: ~Copyable, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result? {
            guard pthread_mutex_trylock(mutex) == 0 else { return nil }
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
#else
    /// A value that one thread at a time can get at. Under the thread sanitizer it has another form
    /// (`scripts/check-deep.sh` sets `PTHREAD_LOCKS`).
    package typealias Lock<Value: ~Copyable> = Mutex<Value>
#endif
