// Reads a Kafka topic from its beginning to its end, as a member of a group: a plain loop over rd_kafka_consumer_poll that decodes
// a stroke from each message with simdjson. Commits the offsets at the end.
//
// usage: consume BROKERS TOPIC GROUP
//
// As in `receive`, this is the least that a user's program would do. Reports the time from the first message to the end; `items`
// is the number of messages.
#include "strokes.h"

#include <librdkafka/rdkafka.h>

namespace {

void set(rd_kafka_conf_t *configuration, const char *name, const char *value) {
    char error[512];
    if (rd_kafka_conf_set(configuration, name, value, error, sizeof(error)) != RD_KAFKA_CONF_OK) die(error);
}

rd_kafka_t *consumer(const char *brokers, const char *group) {
    rd_kafka_conf_t *configuration = rd_kafka_conf_new();
    set(configuration, "bootstrap.servers", brokers);
    set(configuration, "group.id", group);
    set(configuration, "auto.offset.reset", "earliest");
    set(configuration, "enable.auto.commit", "false");
    set(configuration, "enable.partition.eof", "true");
    // The time that a broker waits for more messages at the end of a topic before it answers that there are none.
    set(configuration, "fetch.wait.max.ms", "10");
    char error[512];
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_CONSUMER, configuration, error, sizeof(error));
    if (!client) die(error);
    rd_kafka_poll_set_consumer(client);
    return client;
}

int assigned(rd_kafka_t *client) {
    rd_kafka_topic_partition_list_t *partitions;
    if (rd_kafka_assignment(client, &partitions)) die("cannot ask for the assignment");
    int count = partitions->cnt;
    rd_kafka_topic_partition_list_destroy(partitions);
    return count;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 4) die("usage: consume BROKERS TOPIC GROUP");
    rd_kafka_t *client = consumer(argv[1], argv[3]);
    rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(topics, argv[2], RD_KAFKA_PARTITION_UA);
    if (rd_kafka_subscribe(client, topics)) die("cannot subscribe");
    Decoder decoder;
    Stroke stroke;
    std::vector<char> padded;
    double items = 0, check = 0, began = 0, last = now_ns();
    for (int ended = 0; ended == 0 || ended < assigned(client);) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(client, 1000);
        if (!message) {
            if (now_ns() - last > 30e9) die("no message for 30 s");
            continue;
        }
        if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
            ended++;
        } else if (message->err) {
            die("cannot read:", rd_kafka_message_errstr(message));
        } else {
            if (items == 0) began = now_ns();
            // simdjson reads beyond the end of the text.
            if (padded.size() < message->len + SIMDJSON_PADDING) padded.resize(2 * message->len + SIMDJSON_PADDING);
            std::memcpy(padded.data(), message->payload, message->len);
            decoder.stroke(padded.data(), message->len, stroke);
            if (!stroke.samples.empty()) check += stroke.samples.back().y;
            items++;
            last = now_ns();
        }
        rd_kafka_message_destroy(message);
    }
    report(now_ns() - began, items, check);
    rd_kafka_commit(client, nullptr, 0);
    rd_kafka_consumer_close(client);
    rd_kafka_topic_partition_list_destroy(topics);
    rd_kafka_destroy(client);
}
