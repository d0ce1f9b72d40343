import CZMQ
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A number by which libzmq says what went wrong.
struct ZMQCode: RawRepresentable, Hashable, Error {
    let rawValue: Int32

    init(rawValue: Int32) { self.rawValue = rawValue }

    /// What the call before this one on this thread has left.
    static var last: ZMQCode { ZMQCode(rawValue: zmq_errno()) }

    /// Nothing is there, or there is no room; later there may be.
    static let again = ZMQCode(rawValue: EAGAIN)
    /// A signal came in between.
    static let interrupted = ZMQCode(rawValue: EINTR)
    /// Another socket has the address.
    static let addressInUse = ZMQCode(rawValue: EADDRINUSE)
    /// This machine has no such address.
    static let noSuchAddress = ZMQCode(rawValue: EADDRNOTAVAIL)
    /// This machine has no such network device.
    static let noSuchDevice = ZMQCode(rawValue: ENODEV)
    /// The system does not allow it.
    static let notPermitted = ZMQCode(rawValue: EACCES)
    /// A folder on the way to the socket's file is missing.
    static let noSuchFolder = ZMQCode(rawValue: ENOENT)
    /// A part of the path to the socket's file is no folder.
    static let notAFolder = ZMQCode(rawValue: ENOTDIR)
    /// The path of the socket's file is too long.
    static let nameTooLong = ZMQCode(rawValue: ENAMETOOLONG)
    /// Nobody has bound the name yet.
    static let refused = ZMQCode(rawValue: ECONNREFUSED)
    /// The process has as many sockets or files open as it may.
    static let tooManyOpen = ZMQCode(rawValue: EMFILE)
    /// The endpoint or the value of an option makes no sense.
    static let invalid = ZMQCode(rawValue: EINVAL)

    /// What libzmq says of it.
    var message: String { zmq_strerror(rawValue).map { String(cString: $0) } ?? "error \(rawValue)" }

    /// The error of an endpoint that could not be bound or connected.
    func refusing(_ endpoint: ZMQEndpoint, _ action: ZMQEndpoint.Action) -> PipelineError {
        let (code, words, help): (String, String, String?) =
            switch self {
            case .addressInUse:
                (
                    "zmq.address_in_use", "the address is taken",
                    "stop the program that has it (a second run of this pipeline?), or bind another address"
                )
            case .noSuchAddress, .noSuchDevice:
                (
                    "zmq.no_such_address", "this machine has no such address",
                    "127.0.0.1 is for programs on it, 0.0.0.0 or * stands for all it has"
                )
            case .notPermitted:
                (
                    "zmq.not_permitted", "the system does not allow it",
                    endpoint.transport == .ipc
                        ? "choose a folder that this user may write to" : "ports from 1024 up need no rights"
                )
            case .noSuchFolder, .notAFolder:
                ("zmq.no_such_folder", "the folder of the socket's file is not there", "make the folder first")
            case .tooManyOpen:
                ("zmq.too_many_sockets", "too many sockets or files are open", "ulimit -n raises the limit")
            case .nameTooLong: ("zmq.bad_endpoint", "the path is too long", "take a shorter path, below /tmp say")
            default: ("zmq.bad_endpoint", message, nil)
            }
        return .environment(code, "cannot \(action) \(endpoint): \(words)", help: help)
    }

    /// The error of a call that should have worked.
    func unexpected(_ call: String) -> PipelineError {
        .environment("zmq.failed", "\(call): \(message)")
    }
}
