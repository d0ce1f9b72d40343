"""A small Kafka broker with real transactions, for tests. Standard library only.

It keeps everything in memory: one process plays all brokers of a cluster, each on a port of its own on 127.0.0.1. Record
batches are kept as they came, so its cost is per batch and not per message.

What it leaves out, so that no test relies on it: replication (a partition whose leader is down has none), retention and
compaction, static members of groups, the checksums of what producers send, messages older than version 2, TLS, SASL and rights.
Transactions end at once: markers are written even to partitions whose leader is down. A search by time finds the batch, not the
message within it. The commands are described in `commands.py`.
"""
