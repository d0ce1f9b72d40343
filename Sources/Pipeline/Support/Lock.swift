import Synchronization

#if PTHREAD_LOCKS
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// A value that only one thread at a time can access.
    ///
    /// This variant is for the thread sanitizer. On Linux, the sanitizer does not recognize that a `Mutex` orders the operations of
    /// threads, because it uses futex calls in the standard library, which is not instrumented. The sanitizer then reports races
    /// that do not exist.
    // The value is only accessed while the mutex is held.
    package struct Lock<Value>: ~Copyable, @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

        /// Creates a lock that guards a value.
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

        /// Calls `body` with exclusive access to the value.
        package borrowing func withLock<Result: ~Copyable, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }

        /// Calls `body` with exclusive access to the value, or returns `nil` immediately if another thread has access.
        package borrowing func withLockIfAvailable<Result: ~Copyable, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending Result
        ) throws(E) -> sending Result? {
            guard pthread_mutex_trylock(mutex) == 0 else { return nil }
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
#else
    /// A value that only one thread at a time can access. Builds for the thread sanitizer use the variant above:
    /// `scripts/check-deep.sh` sets `PTHREAD_LOCKS`.
    package typealias Lock<Value: ~Copyable> = Mutex<Value>
#endif
