#!/bin/bash
# Runs inside the minimal Debian that `check-deep.sh deb` boots, after pipectl was installed. Starts the example service,
# sends it strokes, makes it reload its configuration, suspends it, upgrades it, and stops it.
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
        ((left-- > 0)) || { say "timed out: $*"; return 1; }
        sleep 0.1
    done
}

# is PROPERTY VALUE: checks a property of the service in systemd.
is() { [ "$(show "$1")" = "$2" ]; }

arrived() { cat $results/results-*.jsonl 2>/dev/null | wc -l; }
has_arrived() { [ "$(arrived)" -ge "$1" ]; }

# A minimal Debian has no man program.
findings=$(systemd-analyze verify --man=no "/lib/systemd/system/pipeline@.service" 2>&1) || true
[ -z "$findings" ] || { say "$findings"; false; }
say "systemd $(systemctl --version | sed -nE '1s/^systemd ([0-9]+).*/\1/p') accepts the unit"
# A container has no time synchronization status. There must be no other problem, for any user.
pipectl doctor /etc/pipeline/example.yaml
setpriv --reuid=nobody --regid=nogroup --clear-groups pipectl doctor /etc/pipeline/example.yaml >/dev/null

# Check the processing of input. `systemctl start` returns when the service reports that it is ready.
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

# A reload changes the running pipeline in the same process. A rejected reload changes nothing. The outcome is read from the
# journal, because systemctl may return earlier.
told() { journalctl --no-pager -o cat -u "$service" _COMM=pipectl | grep -cE 'reloaded: |continues with the old'; }
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
    say "reloaded twice and refused one reload, all in process $process"
else
    say "skipped the reloads: the unit does not support them"
fi

# A service without watchdog notifications is killed and restarted.
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
grep '"exit_code": null' $results/failed.json
say "ran undisturbed for 5 s, was suspended, and was restarted"
rm -r /run/systemd/system/$service.service.d
systemctl daemon-reload

# A temporary failure is retried until it succeeds, more often than systemd's default limit of five attempts.
mkdir -p /run/systemd/system/pipeline@late.service.d
printf '[Service]\nRestartSec=50ms\n' >/run/systemd/system/pipeline@late.service.d/quick.conf
systemctl daemon-reload
sed -e 's|shapes.json|late.json|' -e 's|:5556|:5557|' /etc/pipeline/example.yaml >/etc/pipeline/late.yaml
systemctl start pipeline@late 2>/dev/null || true
eventually 20 sh -c '[ "$(systemctl show -P NRestarts pipeline@late)" -gt 8 ]'
cp /etc/pipeline/shapes.json /etc/pipeline/late.json
eventually 10 systemctl --quiet is-active pipeline@late
say "failed $(show NRestarts pipeline@late) times, then started"
systemctl stop pipeline@late

# The service's messages are in the journal. The journal has removed their priority prefixes.
journalctl --no-pager -o cat -u "$service" -p info _COMM=pipectl | grep '^pen: bound to tcp://127.0.0.1:5556'

# A permanent error is not retried.
sed 's/match:/mtach:/' /etc/pipeline/example.yaml >/etc/pipeline/wrong.yaml
if systemctl start pipeline@wrong 2>/dev/null; then false; fi
sleep 3
[ "$(show ActiveState pipeline@wrong)/$(show ExecMainStatus pipeline@wrong)/$(show NRestarts pipeline@wrong)" = failed/2/0 ]
journalctl --no-pager -o cat -u pipeline@wrong -p err _COMM=pipectl | grep 'mtach'

# Reinstalling the package restarts the service.
invocation=$(show InvocationID)
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --reinstall /root/pipectl.deb >/dev/null 2>&1
eventually 10 is StatusText running
[ "$(show InvocationID)" != "$invocation" ]
say "restarted by an upgrade"

begin=$(date +%s%N)
systemctl stop "$service"
milliseconds=$((($(date +%s%N) - begin) / 1000000))
say "stopped in $milliseconds ms"
# The example has shutdown_timeout_ms: 5000.
((milliseconds < 5000))
is Result success
is ExecMainStatus 0
grep '"exit_code": 0' $results/report.json
# The service's folder is a link to a folder that other users cannot read.
[ "$(find $results/ -name 'results-*.jsonl' | wc -l)" = 1 ]
if setpriv --reuid=nobody --regid=nogroup --clear-groups ls $results/ 2>/dev/null; then false; fi
journalctl --no-pager -o short-iso -u "$service"
systemd-analyze security --no-pager "$service" | tail -n 1

# Removing the package stops the service and keeps files that users may have changed. Purging it keeps only files that the
# package does not own.
systemctl start "$service"
apt-get remove -y -qq pipectl >/dev/null 2>&1
if systemctl --quiet is-active "$service"; then false; fi
[ -e /etc/pipeline/example.yaml ] && [ -e $results/report.json ] && [ ! -e /usr/bin/pipectl ]
apt-get purge -y -qq pipectl >/dev/null 2>&1
[ ! -e /etc/pipeline/example.yaml ] && [ -e /etc/pipeline/wrong.yaml ] && [ -e $results/report.json ]
say "all is well"
