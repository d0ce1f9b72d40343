// Reads strokes from a topic of Kafka in a plain loop over rd_kafka_consumer_poll, and decodes them.
//
// usage: consume BROKERS TOPIC GROUP COUNT
//
// Joins a consumer group, reads COUNT messages from the beginning of the topic, and measures the time from the first message to
// the last. The strokes are canonical JSON, decoded with simdjson's on-demand parser into a struct that is reused, as in
// `recognize`. Nothing is committed, and neither repetitions nor the order of timestamps are checked.
#include "strokes.h"

#include <librdkafka/rdkafka.h>

namespace {

void set(rd_kafka_conf_t *configuration, const char *name, const char *value) {
    char text[256];
    if (rd_kafka_conf_set(configuration, name, value, text, sizeof text) != RD_KAFKA_CONF_OK) die(name, text);
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 5) die("usage: consume BROKERS TOPIC GROUP COUNT");
    const double count = std::atof(argv[4]);
    rd_kafka_conf_t *configuration = rd_kafka_conf_new();
    set(configuration, "bootstrap.servers", argv[1]);
    set(configuration, "group.id", argv[3]);
    set(configuration, "auto.offset.reset", "earliest");
    set(configuration, "enable.auto.commit", "false");
    char text[256];
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_CONSUMER, configuration, text, sizeof text);
    if (!client) die("no client", text);
    rd_kafka_poll_set_consumer(client);
    rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(topics, argv[2], RD_KAFKA_PARTITION_UA);
    if (rd_kafka_subscribe(client, topics)) die("cannot subscribe");
    double check = 0, began = 0, read = 0;
    Decoder decoder;
    Stroke stroke;
    std::vector<char> padded;
    while (read < count) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(client, 1000);
        if (!message) continue;
        if (!message->err) {
            // simdjson reads beyond the end of the text.
            if (padded.size() < message->len + SIMDJSON_PADDING) padded.resize(2 * message->len + SIMDJSON_PADDING);
            std::memcpy(padded.data(), message->payload, message->len);
            decoder.stroke(padded.data(), message->len, stroke);
            check += stroke.samples.back().y;
            if (read == 0) began = now_ns();
            read++;
        }
        rd_kafka_message_destroy(message);
    }
    report(now_ns() - began, count - 1, check);
    rd_kafka_topic_partition_list_destroy(topics);
    rd_kafka_destroy(client);
}
