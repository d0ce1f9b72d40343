"""Starts a cluster:

    python3 Tests/peers/kafka_broker [BROKERS]

Prints the addresses of the brokers, carries out the commands on its standard input, and ends at the end of the input.
"""

import asyncio
import sys
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kafka_broker import server  # noqa: E402
from kafka_broker.cluster import Cluster  # noqa: E402
from kafka_broker.commands import carry_out  # noqa: E402


async def main(count):
    cluster = Cluster(count)
    for broker in cluster.brokers.values():
        await server.start(cluster, broker)
    watching = asyncio.create_task(server.watch(cluster))
    print(",".join(f"127.0.0.1:{broker.port}" for broker in cluster.brokers.values()), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(await carry_out(cluster, line), flush=True)
    watching.cancel()
    for broker in cluster.brokers.values():
        if broker.up:
            await server.stop(broker)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
