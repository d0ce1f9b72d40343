// A cluster of librdkafka's mock brokers in a process of its own, for tests.
//
//   kafka-cluster [BROKERS]
//
// Prints the addresses of the brokers. Then reads one command per line of standard input, and answers each with a line: "ok", or
// what is wrong. Ends at the end of the input.
//
//   topic NAME PARTITIONS          creates a topic
//   leader NAME PARTITION BROKER   moves a partition to another broker
//   down BROKER, up BROKER         makes a broker unreachable, and reachable again
//   rtt BROKER MILLISECONDS        delays the answers of a broker
//   errors KEY COUNT CODE          answers the next COUNT requests with the API key KEY with the error CODE
//   refuse NAME CODE               answers all requests for a topic with the error CODE; 0 for none

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void quiet(const rd_kafka_t *client, int level, const char *facility, const char *line) {
    (void)client, (void)level, (void)facility, (void)line;
}

static const char *carry_out(rd_kafka_mock_cluster_t *cluster, const char *line) {
    char name[256];
    int first, second;
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
    if (sscanf(line, "topic %255s %d", name, &first) == 2) {
        code = rd_kafka_mock_topic_create(cluster, name, first, 1);
    } else if (sscanf(line, "leader %255s %d %d", name, &first, &second) == 3) {
        code = rd_kafka_mock_partition_set_leader(cluster, name, first, second);
    } else if (sscanf(line, "down %d", &first) == 1) {
        code = rd_kafka_mock_broker_set_down(cluster, first);
    } else if (sscanf(line, "up %d", &first) == 1) {
        code = rd_kafka_mock_broker_set_up(cluster, first);
    } else if (sscanf(line, "rtt %d %d", &first, &second) == 2) {
        code = rd_kafka_mock_broker_set_rtt(cluster, first, second);
    } else if (sscanf(line, "refuse %255s %d", name, &first) == 2) {
        rd_kafka_mock_topic_set_error(cluster, name, (rd_kafka_resp_err_t)first);
    } else {
        int key, count, error;
        if (sscanf(line, "errors %d %d %d", &key, &count, &error) != 3 || count < 0 || count > 10000) {
            return "unknown command";
        }
        rd_kafka_resp_err_t *errors = malloc(sizeof(*errors) * (size_t)(count + 1));
        if (!errors) return "no memory";
        for (int index = 0; index < count; index++) errors[index] = (rd_kafka_resp_err_t)error;
        rd_kafka_mock_push_request_errors_array(cluster, (int16_t)key, (size_t)count, errors);
        free(errors);
    }
    return code ? rd_kafka_err2str(code) : "ok";
}

int main(int count, char **words) {
    rd_kafka_conf_t *configuration = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(configuration, quiet);
    char text[512];
    rd_kafka_t *client = rd_kafka_new(RD_KAFKA_PRODUCER, configuration, text, sizeof(text));
    if (!client) return fprintf(stderr, "%s\n", text), 1;
    rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(client, count > 1 ? atoi(words[1]) : 1);
    if (!cluster) return fprintf(stderr, "no cluster\n"), 1;
    printf("%s\n", rd_kafka_mock_cluster_bootstraps(cluster));
    fflush(stdout);
    while (fgets(text, sizeof(text), stdin)) {
        printf("%s\n", carry_out(cluster, text));
        fflush(stdout);
    }
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(client);
    return 0;
}
