#!/bin/bash
# Runs inside the bare Debian that `check-deep.sh deb` boots, where pipectl was just installed: starts the service of the example, sends
# it strokes, has it read its configuration again, lets it hang, upgrades it, and stops it.
set -Eeuo pipefail
cd "$(dirname "$0")"
service=pipeline@example results=/var/lib/pipeline/example
trap 'echo "== service: line $LINENO failed"; systemctl status --no-pager "$service" || true; journalctl --no-pager -u "$service" | tail -n 30' ERR

say() { echo "== service: $*"; }
show() { systemctl show -P "$1" "${2:-$service}"; }

# eventually SECONDS COMMAND…: waits until a command succeeds.
eventually() {
    local left=$(($1 * 10))
    shift
    until "$@" >/dev/null 2>&1; do
        ((left-- > 0)) || { say "in vain: $*"; return 1; }
        sleep 0.1
    done
}

# is PROPERTY VALUE: whether systemd says so of the service.
is() { [ "$(show "$1")" = "$2" ]; }

arrived() { cat $results/results-*.jsonl 2>/dev/null | wc -l; }
has_arrived() { [ "$(arrived)" -ge "$1" ]; }

# The manual's own program is not in a bare Debian.
findings=$(systemd-analyze verify --man=no "/lib/systemd/system/pipeline@.service" 2>&1) || true
[ -z "$findings" ] || { say "$findings"; false; }
say "systemd $(systemctl --version | sed -nE '1s/^systemd ([0-9]+).*/\1/p') accepts the unit"
# In a container nobody says that the clock is right; nothing else may be wrong, for any user.
pipectl doctor /etc/pipeline/example.yaml
setpriv --reuid=nobody --regid=nogroup --clear-groups pipectl doctor /etc/pipeline/example.yaml >/dev/null

# What it does with what it is sent. `systemctl start` returns when it says that it is ready.
systemctl start "$service"
is StatusText running
cat >send.yaml <<YAML
version: 1
sources:
  - file: { path: Samples/session.jsonl }
sinks:
  - zmq: { connect: "tcp://127.0.0.1:5556", socket: push, linger_ms: 10000 }
YAML
sent=$(wc -l <Samples/session.jsonl)
pipectl run -q send.yaml
eventually 10 has_arrived "$sent"
say "$sent strokes sent, $(arrived) results"
[ "$(arrived)" = "$sent" ]

# A reload changes what runs, in the same process; one that is refused changes nothing. What came of it is told in the journal: systemctl
# may return before.
told() { journalctl --no-pager -o cat -u "$service" _COMM=pipectl | grep -cE 'reloaded: |goes on with the old'; }
has_told() { [ "$(told)" -ge "$1" ]; }
if [ "$(show CanReload)" = yes ]; then
    process=$(show MainPID)
    sed -i 's|results-|again-|' /etc/pipeline/example.yaml
    systemctl reload "$service"
    eventually 10 has_told 1
    pipectl run -q send.yaml
    eventually 10 sh -c "cat $results/again-*.jsonl | wc -l | grep -qx $sent"
    [ "$(arrived)" = "$sent" ]
    echo 'nonsense: true' >>/etc/pipeline/example.yaml
    systemctl reload "$service"
    eventually 10 has_told 2
    sed -i -e '/nonsense/d' -e 's|again-|results-|' /etc/pipeline/example.yaml
    systemctl reload "$service"
    eventually 10 has_told 3
    pipectl run -q send.yaml
    eventually 10 has_arrived $((2 * sent))
    eventually 10 is ActiveState active
    [ "$(show MainPID)" = "$process" ]
    [ "$(told)" = 3 ]
    say "reloaded three times, once in vain, as process $process"
else
    say "the unit cannot reload"
fi

# Without signs of life it is ended, and started again.
mkdir -p /run/systemd/system/$service.service.d
printf '[Service]\nWatchdogSec=2s\nRestartSec=100ms\n' >/run/systemd/system/$service.service.d/quick.conf
systemctl daemon-reload
systemctl restart "$service"
sleep 5
is NRestarts 0
process=$(show MainPID)
kill -STOP "$process"
eventually 15 is NRestarts 1
eventually 10 is StatusText running
[ "$(show MainPID)" != "$process" ]
journalctl --no-pager -o cat -u "$service" | grep "Watchdog timeout"
say "waited for 5 s in peace, hung, and was started again"
rm -r /run/systemd/system/$service.service.d
systemctl daemon-reload

# What fails for a while is tried until it works, for more than the five times that systemd thinks enough.
mkdir -p /run/systemd/system/pipeline@late.service.d
printf '[Service]\nRestartSec=50ms\n' >/run/systemd/system/pipeline@late.service.d/quick.conf
systemctl daemon-reload
sed -e 's|shapes.json|late.json|' -e 's|:5556|:5557|' /etc/pipeline/example.yaml >/etc/pipeline/late.yaml
systemctl start pipeline@late 2>/dev/null || true
eventually 20 sh -c '[ "$(systemctl show -P NRestarts pipeline@late)" -gt 8 ]'
cp /etc/pipeline/shapes.json /etc/pipeline/late.json
eventually 10 systemctl --quiet is-active pipeline@late
say "failed $(show NRestarts pipeline@late) times, and runs"
systemctl stop pipeline@late

# What it says is in the journal, with priorities that the journal has taken off.
journalctl --no-pager -o cat -u "$service" -p info _COMM=pipectl | grep '^pen: bound to tcp://127.0.0.1:5556'

# What is wrong stays wrong, and is not tried again.
sed 's/match:/mtach:/' /etc/pipeline/example.yaml >/etc/pipeline/wrong.yaml
if systemctl start pipeline@wrong 2>/dev/null; then false; fi
sleep 3
[ "$(show ActiveState pipeline@wrong)/$(show ExecMainStatus pipeline@wrong)/$(show NRestarts pipeline@wrong)" = failed/2/0 ]
journalctl --no-pager -o cat -u pipeline@wrong -p err _COMM=pipectl | grep 'mtach'

# The package, installed over itself, starts it again.
invocation=$(show InvocationID)
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --reinstall /root/pipectl.deb >/dev/null 2>&1
eventually 10 is StatusText running
[ "$(show InvocationID)" != "$invocation" ]
say "started again by an upgrade"

begin=$(date +%s%N)
systemctl stop "$service"
milliseconds=$((($(date +%s%N) - begin) / 1000000))
say "stopped in $milliseconds ms"
# shutdown_timeout_ms of the example
((milliseconds < 5000))
is Result success
is ExecMainStatus 0
grep '"exit_code": 0' $results/report.json
# Its folder is a link, and nobody else's.
[ "$(find $results/ -name 'results-*.jsonl' | wc -l)" = 1 ]
if setpriv --reuid=nobody --regid=nogroup --clear-groups ls $results/ 2>/dev/null; then false; fi
journalctl --no-pager -o short-iso -u "$service"
systemd-analyze security --no-pager "$service" | tail -n 1

# What is removed stops, and leaves what somebody may have written; what is purged leaves only that.
systemctl start "$service"
apt-get remove -y -qq pipectl >/dev/null 2>&1
if systemctl --quiet is-active "$service"; then false; fi
[ -e /etc/pipeline/example.yaml ] && [ -e $results/report.json ] && [ ! -e /usr/bin/pipectl ]
apt-get purge -y -qq pipectl >/dev/null 2>&1
[ ! -e /etc/pipeline/example.yaml ] && [ -e /etc/pipeline/wrong.yaml ] && [ -e $results/report.json ]
say "all is well"
