"""A small Kafka broker with real transactions, for tests. Standard library only.

It keeps everything in memory. One process acts as all brokers of a cluster, each on its own port of 127.0.0.1. It stores record
batches as they arrive, so its cost is per batch and not per message.

Tests cannot rely on what it leaves out: replication (a partition whose leader is down has no leader), retention and compaction,
static members of groups, verification of the checksums of batches, messages older than version 2, TLS, SASL and access rights.
Transactions end at once: markers are written even to partitions whose leader is down. A search by time finds the batch, not the
message within it. The commands are described in `commands.py`.
"""
