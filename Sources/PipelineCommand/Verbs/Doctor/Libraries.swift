import CCairo
import CExpat
import CKafka
import CLZ4
import CMsgPack
import CSimdjson
import CSodium
import CWebSockets
import CYAML
import CZMQ
import CZlib
import CZstd

/// The versions of the C libraries that the program has loaded.
enum Libraries {
    /// The finding about each library.
    static var findings: [Finding] {
        [
            zmq, .good("librdkafka", text(rd_kafka_version_str())), .good("libyaml", text(yaml_get_version_string())),
            .good("simdjson", "\(text(csj_version())), for \(text(csj_implementation()))"),
            .good("msgpack", text(cmp_version())),
            .good("expat", String(text(XML_ExpatVersion()).trimmingPrefix("expat_"))),
            .good("cairo", text(cairo_version_string())), .good("zstd", text(ZSTD_versionString())),
            .good("lz4", text(LZ4_versionString())), .good("zlib", text(zlibVersion())), sodium,
            // A release build returns a version such as "4.3.5-v4.3.5".
            .good("libwebsockets", String(text(lws_get_library_version()).prefix { $0 != "-" })),
        ]
    }

    private static var zmq: Finding {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        zmq_version(&major, &minor, &patch)
        let version = "\(major).\(minor).\(patch)"
        guard zmq_has("curve") == 1 else {
            return .warning(
                "libzmq", "doctor.library", "\(version), without CURVE: keys cannot be used",
                "install a libzmq that was built with libsodium, such as the package of Debian or Homebrew")
        }
        return .good("libzmq", "\(version), with CURVE")
    }

    private static var sodium: Finding {
        let version = text(sodium_version_string())
        guard sodium_init() >= 0 else {
            return .error(
                "sodium", "doctor.library", "\(version) finds no source of random numbers",
                "make /dev/urandom readable for this user")
        }
        return .good("sodium", version)
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "?" }
}
