import CZMQ
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An error number of libzmq.
struct ZMQCode: RawRepresentable, Hashable, Error {
    let rawValue: Int32

    init(rawValue: Int32) { self.rawValue = rawValue }

    /// The error of the last libzmq call on this thread.
    static var last: ZMQCode { ZMQCode(rawValue: zmq_errno()) }

    /// There is no message to receive, or no room to send one, at the moment.
    static let again = ZMQCode(rawValue: EAGAIN)
    /// A signal interrupted the call.
    static let interrupted = ZMQCode(rawValue: EINTR)
    /// Another socket uses the address.
    static let addressInUse = ZMQCode(rawValue: EADDRINUSE)
    /// This machine does not have the address.
    static let noSuchAddress = ZMQCode(rawValue: EADDRNOTAVAIL)
    /// This machine does not have the network device.
    static let noSuchDevice = ZMQCode(rawValue: ENODEV)
    /// The system does not permit the operation.
    static let notPermitted = ZMQCode(rawValue: EACCES)
    /// A folder in the path of the socket's file does not exist.
    static let noSuchFolder = ZMQCode(rawValue: ENOENT)
    /// A component in the path of the socket's file is not a folder.
    static let notAFolder = ZMQCode(rawValue: ENOTDIR)
    /// The path of the socket's file is too long.
    static let nameTooLong = ZMQCode(rawValue: ENAMETOOLONG)
    /// No socket is bound to the `inproc` name yet.
    static let refused = ZMQCode(rawValue: ECONNREFUSED)
    /// The process has reached its limit of open sockets or files.
    static let tooManyOpen = ZMQCode(rawValue: EMFILE)
    /// The endpoint or the value of an option is invalid.
    static let invalid = ZMQCode(rawValue: EINVAL)

    /// libzmq's description of the error.
    var message: String { zmq_strerror(rawValue).map { String(cString: $0) } ?? "error \(rawValue)" }

    /// Returns the error for an endpoint that could not be bound or connected.
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
                    "use 127.0.0.1 for programs on this machine, or 0.0.0.0 or * for all of its addresses"
                )
            case .notPermitted:
                (
                    "zmq.not_permitted", "the system does not allow it",
                    endpoint.transport == .ipc
                        ? "choose a folder that this user may write to" : "ports from 1024 up need no special rights"
                )
            case .noSuchFolder, .notAFolder:
                ("zmq.no_such_folder", "the folder of the socket's file is not there", "make the folder first")
            case .tooManyOpen:
                ("zmq.too_many_sockets", "too many sockets or files are open", "ulimit -n raises the limit")
            case .nameTooLong: ("zmq.bad_endpoint", "the path is too long", "use a shorter path, for example in /tmp")
            default: ("zmq.bad_endpoint", message, nil)
            }
        return .environment(code, "cannot \(action) \(endpoint): \(words)", help: help)
    }

    /// Returns the error for a call that failed unexpectedly.
    func unexpected(_ call: String) -> PipelineError {
        .environment("zmq.failed", "\(call): \(message)")
    }
}
