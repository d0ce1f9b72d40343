#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The number of the machine's cores.
package let machineCores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

/// Starts a detached thread that executes `body` and ends. If the system allows no more threads, a thread of Swift's concurrency
/// pool executes `body`, which may then delay other tasks.
package func startThread(_ body: @escaping @Sendable () -> Void) {
    if !tryToStartThread(body) { Task.detached { body() } }
}

/// Starts a detached thread that executes `body` and ends. Returns `false` if the system allows no more threads.
func tryToStartThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    #if canImport(Darwin)
        var thread: pthread_t?
    #else
        var thread = pthread_t()
    #endif
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // The thread retains its body until it has ended.
    let context = Unmanaged.passRetained(ThreadBody(body))
    let code = pthread_create(&thread, &attributes, threadMain, context.toOpaque())
    pthread_attr_destroy(&attributes)
    if code != 0 { context.release() }
    return code == 0
}

private final class ThreadBody: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

#if canImport(Darwin)
    private func threadMain(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().body()
        return nil
    }
#else
    private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().body() }
        return nil
    }
#endif
