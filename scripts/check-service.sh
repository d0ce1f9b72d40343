#!/bin/bash
# Runs inside the bare Debian that `check-deep.sh deb` boots, where pipectl was just installed: starts the service of the example, sends
# it strokes, and stops it.
set -Eeuo pipefail
cd "$(dirname "$0")"
service=pipeline@example results=/var/lib/pipeline/example
trap 'systemctl status --no-pager "$service" || true; journalctl --no-pager -u "$service" | tail -n 30' ERR

systemd-analyze verify "/lib/systemd/system/pipeline@.service"
# In a container nobody says that the clock is right; nothing else may be wrong.
pipectl doctor /etc/pipeline/example.yaml

# Returns when it says that it is ready.
systemctl start "$service"
[ "$(systemctl show -P StatusText "$service")" = running ]
cat >send.yaml <<YAML
version: 1
sources:
  - file: { path: Samples/session.jsonl }
sinks:
  - zmq: { connect: "tcp://127.0.0.1:5556", socket: push, linger_ms: 10000 }
YAML
sent=$(wc -l <Samples/session.jsonl)
pipectl run -q send.yaml
arrived=0
for _ in {1..100}; do
    arrived=$(cat $results/results-*.jsonl 2>/dev/null | wc -l)
    [ "$arrived" != "$sent" ] || break
    sleep 0.1
done
echo "== service: $sent strokes sent, $arrived results"
[ "$arrived" = "$sent" ]

begin=$(date +%s%N)
systemctl stop "$service"
echo "== service: stopped in $((($(date +%s%N) - begin) / 1000000)) ms"
[ "$(systemctl show -P Result "$service")" = success ]
[ "$(systemctl show -P ExecMainStatus "$service")" = 0 ]
grep '"exit_code": 0' $results/report.json
journalctl --no-pager -o short-iso -u "$service"
systemd-analyze security --no-pager "$service" | tail -n 1

# What is removed stops, and leaves what somebody may have written.
systemctl start "$service"
apt-get remove -y -qq pipectl >/dev/null 2>&1
[ "$(systemctl is-active "$service" || true)" != active ]
[ -e /etc/pipeline/example.yaml ] && [ -e $results/report.json ] && [ ! -e /usr/bin/pipectl ]
echo "== service: all is well"
