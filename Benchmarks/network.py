"""Benchmarks of receiving and sending over ZeroMQ."""

import json
import subprocess
import time

from harness import BENCH, OUT, PIPECTL, Skip


def stopped(receiver):
    """Ends a receiver that did not end by itself, because it or its sender waits. Returns the reason for skipping."""
    receiver.kill()
    return receiver.communicate()[1].strip()[:120] or "the receiver did not end"


def receiving(transport, name, kind, sender, yardstick_arguments, count, decode=""):
    """Returns both sides of a benchmark of receiving.

    Each measures the time per message, from the moment at which `sender` starts to send until the receiver exits.
    """
    endpoint = f"ipc://{OUT}/bench.ipc" if transport == "ipc" else "tcp://127.0.0.1:5791"
    pipeline = OUT / f"{name}.yaml"
    pipeline.write_text(
        f'version: 1\nname: receive\nsources:\n  - zmq: {{ bind: "{endpoint}", socket: pull, kind: {kind}{decode} }}\n'
        "sinks:\n  - \"null\"\n")

    def with_sender(command):
        receiver = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.3)
        if receiver.poll() is not None:
            raise Skip(receiver.stderr.read().strip().splitlines()[-1][:120])
        sending = subprocess.Popen(
            [str(part) for part in sender(endpoint)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            sending.stdout.readline()
            began = time.perf_counter_ns()
            sending.communicate("\n", timeout=120)
            _, errors = receiver.communicate(timeout=120)
            took = time.perf_counter_ns() - began
        except subprocess.TimeoutExpired:
            raise Skip(stopped(receiver)) from None
        finally:
            sending.kill()
            sending.wait()
        if receiver.returncode != 0:
            raise Skip(errors.strip().splitlines()[-1][:120] if errors.strip() else "failed")
        return took / count

    def ours():
        return with_sender([PIPECTL, "run", "-q", "--limit", count, pipeline])

    def yardstick():
        return with_sender([OUT / "receive", endpoint, count, *yardstick_arguments])

    return ours, yardstick


def relaying(which, count):
    """Returns both sides of a benchmark of forwarding: a pipeline that does nothing, and a bare relay.

    Each measures a percentile of the latency of hands: `which` is p50 or p99.
    """
    first, second = f"ipc://{OUT}/relay-1.ipc", f"ipc://{OUT}/relay-2.ipc"
    pipeline = OUT / "relay.yaml"
    pipeline.write_text(
        "version: 1\nname: relay\nsources:\n"
        f'  - zmq: {{ id: before, bind: "{first}", socket: pull, kind: hands }}\nstages:\n  - tap\n'
        f'sinks:\n  - zmq: {{ id: behind, bind: "{second}", socket: push }}\n')

    def through(command):
        relay = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(0.3)
            done = subprocess.run(
                [OUT / "latency", first, second, str(count), "500"], capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            raise Skip("not all messages arrived in 120 s") from None
        finally:
            relay.kill()
            relay.wait()
        if done.returncode != 0:
            raise Skip(done.stderr.strip()[:120])
        return json.loads(done.stdout)[which]

    return lambda: through([PIPECTL, "run", "-q", pipeline]), lambda: through([OUT / "relay", first, second])


def paced(quantile, count):
    """Returns both sides of a benchmark of hands that are sent at an even pace.

    Each measures a quantile of the latency, from sending a message until it is decoded.
    """
    endpoint, warm_up = "tcp://127.0.0.1:5793", 100

    def received(command):
        receiver = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.3)
        if receiver.poll() is not None:
            raise Skip(receiver.stderr.read().strip().splitlines()[-1][:120])
        try:
            subprocess.run([str(OUT / "pace"), endpoint, str(count + warm_up), "500"], check=True, timeout=60)
            output, errors = receiver.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            raise Skip(stopped(receiver)) from None
        if receiver.returncode != 0:
            raise Skip(errors.strip().splitlines()[-1][:120] if errors.strip() else "failed")
        return json.loads(output)["ns"]

    return (
        lambda: received([BENCH, "paced", endpoint, count + warm_up, quantile, warm_up]),
        lambda: received([OUT / "receive", endpoint, count + warm_up, "json", quantile]))
