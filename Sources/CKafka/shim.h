#include <librdkafka/rdkafka.h>

/// Produces a message to the partition that its key selects. The client copies the message. It takes ownership of the headers
/// unless it returns an error. Wraps `rd_kafka_producev`, which is variadic, because Swift cannot call variadic functions.
static inline rd_kafka_resp_err_t pipeline_kafka_produce(
    rd_kafka_t *client, rd_kafka_topic_t *topic, const void *key, size_t key_size, const void *value, size_t value_size,
    rd_kafka_headers_t *headers, void *opaque) {
    return rd_kafka_producev(
        client, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(RD_KAFKA_PARTITION_UA),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY(key, key_size),
        RD_KAFKA_V_VALUE((void *)value, value_size), RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_OPAQUE(opaque),
        RD_KAFKA_V_END);
}
