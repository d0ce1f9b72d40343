import CKafka
import Pipeline

/// An error code of librdkafka.
struct KafkaCode: RawRepresentable, Hashable, Error {
    let rawValue: Int32

    init(rawValue: Int32) { self.rawValue = rawValue }

    init(_ code: rd_kafka_resp_err_t) { rawValue = code.rawValue }

    /// No error.
    static let none = KafkaCode(RD_KAFKA_RESP_ERR_NO_ERROR)
    /// All messages of a partition have been read.
    static let partitionEnd = KafkaCode(RD_KAFKA_RESP_ERR__PARTITION_EOF)
    /// The partitions in the list were assigned to this member of the group.
    static let assigned = KafkaCode(RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS)
    /// The client must not be used any more, for example because another one has taken its place.
    static let fatal = KafkaCode(RD_KAFKA_RESP_ERR__FATAL)
    /// There is nothing to commit.
    static let noOffset = KafkaCode(RD_KAFKA_RESP_ERR__NO_OFFSET)
    /// There is no room in the queue of messages to be sent.
    static let queueFull = KafkaCode(RD_KAFKA_RESP_ERR__QUEUE_FULL)
    /// A call took longer than allowed.
    static let timedOut = KafkaCode(RD_KAFKA_RESP_ERR__TIMED_OUT)
    /// The message is larger than `message.max.bytes` or the broker's limit.
    static let tooLarge = KafkaCode(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
    /// There is no such topic or partition.
    static let unknownTopic = KafkaCode(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
    /// The client knows no such topic.
    static let unknownTopicHere = KafkaCode(RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC)
    /// The client knows no such partition.
    static let unknownPartition = KafkaCode(RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION)
    /// The host name of a broker cannot be resolved.
    static let unresolved = KafkaCode(RD_KAFKA_RESP_ERR__RESOLVE)
    /// The connection to a broker was lost or could not be made.
    static let transport = KafkaCode(RD_KAFKA_RESP_ERR__TRANSPORT)
    /// No broker can be reached.
    static let allBrokersDown = KafkaCode(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN)
    /// The brokers do not accept the user name and password, or the certificate.
    static let authentication = KafkaCode(RD_KAFKA_RESP_ERR__AUTHENTICATION)
    /// The TLS handshake failed.
    static let tls = KafkaCode(RD_KAFKA_RESP_ERR__SSL)
    /// The user may not use this topic.
    static let topicForbidden = KafkaCode(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)
    /// The user may not use this group.
    static let groupForbidden = KafkaCode(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED)

    /// The group has a newer generation than the member.
    static let illegalGeneration = KafkaCode(RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION)
    /// The group does not know the member any more.
    static let unknownMember = KafkaCode(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID)
    /// The group is rebalancing: it is distributing its partitions again.
    static let rebalancing = KafkaCode(RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS)
    /// An open transaction contains offsets of the group.
    static let unstableOffset = KafkaCode(RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT)

    /// Whether a later attempt may succeed.
    var isTransient: Bool {
        [
            .timedOut, .transport, .allBrokersDown, KafkaCode(RD_KAFKA_RESP_ERR__WAIT_COORD),
            KafkaCode(RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE), KafkaCode(RD_KAFKA_RESP_ERR_NOT_COORDINATOR),
            KafkaCode(RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS), KafkaCode(RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT),
        ].contains(self)
    }

    /// librdkafka's description of the error.
    var message: String {
        rd_kafka_err2str(rd_kafka_resp_err_t(rawValue)).map { String(cString: $0) } ?? "error \(rawValue)"
    }

    /// Whether the client cannot recover from the error by itself.
    var isPermanent: Bool {
        [
            .fatal, .unknownTopic, .unknownTopicHere, .unknownPartition, .authentication, .tls, .topicForbidden,
            .groupForbidden,
        ].contains(self)
    }

    /// Returns the error for a user.
    ///
    /// - Parameters:
    ///   - what: The beginning of the message: the topic that the error concerns, or what has failed.
    ///   - detail: librdkafka's description of this error, if it is more specific than ``message``.
    func error(about what: String, _ detail: String? = nil) -> PipelineError {
        let (code, words, help): (String, String, String?) =
            switch self {
            case .unknownTopic, .unknownTopicHere, .unknownPartition:
                ("kafka.no_topic", "there is no such topic", "create it, or correct its name")
            case .unresolved, .transport, .allBrokersDown, .timedOut:
                (
                    "kafka.unreachable", detail ?? message,
                    "are the brokers running, and do they listen under this address?"
                )
            case .authentication, .tls:
                (
                    "kafka.refused", detail ?? message,
                    "check security.protocol, sasl.* and ssl.* in client:"
                )
            case .topicForbidden, .groupForbidden:
                ("kafka.forbidden", message, "ask the administrator of the brokers for this right")
            case .fatal:
                (
                    "kafka.fenced", detail ?? message,
                    "another program may have taken the place of this one; start this one again"
                )
            default: ("kafka.failed", detail ?? message, nil)
            }
        return .environment(code, "\(what): \(words)", help: help)
    }
}
