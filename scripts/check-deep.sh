#!/usr/bin/env bash
# Checks that take too long to run for every change. Runs all parts, or only those given as arguments:
#
#   thread    all tests under the thread sanitizer, with a million calls of a live recognizer
#   address   all tests under the address sanitizer
#   accuracy  recognition of recorded data (PIPELINE_DATA), with as many trials as in the papers
#   fuzz      the file readers on thousands of damaged files, under the address sanitizer
#   graphs    10,000 random graphs (GRAPHS), compared with a model of the expected output, and as many graphs with edges that
#             limit the frames in flight; 100 random live pipelines (REPLAYS), replayed to the same bytes; in an optimized build
#   groups    10,000 groups of processes that read from Kafka (GROUP_SEEDS), under failures in virtual time, and 3,000 series of
#             runs that continue one another in random graphs (HANDOVERS), in an optimized build
#   mcap      an MCAP file of 200 kB in each compression, truncated at every byte, and with every byte changed
#   soak      a batch run and a live run of several minutes (SOAK_S seconds each, default 120): their memory use stays flat
#   reload    a run whose configuration changes 1,000 times (RELOADS) while 5,000 strokes per second arrive over ZeroMQ: each
#             stroke is delivered once, and memory use stays flat
#   served    the cost of serving a run: at most 3 % without viewers and 10 % with ten viewers, and flat memory use
#   spark     the Python package for Spark: its types and tests, a job with SPARK_RECORDINGS (default 1000) recordings on a cluster
#             of local processes while one process is killed, and the speed compared with pipectl run
#   faults    a sender that is killed and restarted fifty times
#   kafka     groups of workers with 2,000 streams and 10^5 gestures, while workers are killed 50 times (KILLS), with both group
#             protocols and both kinds of delivery; and whether the test brokers themselves behave correctly
#   suites    every document of public test suites for JSON, YAML, MessagePack, and ZeroMQ; PIPELINE_SUITES is their folder
#             (see CONTRIBUTING.md)
#   hostile   invalid data over ZeroMQ (HOSTILE_S seconds, default 600), while the reader of the results often pauses: no crash,
#             flat memory use, every valid message arrives
#   example   the package with custom components and a custom payload in every command, and a newly created package
#   layers    Pipeline and Stages, and an app that uses them, without the rest of the project and
#             without headers of other libraries
#   install   the files installed by `make install` work without the Swift toolchain
#   deb       the Debian package, installed in a minimal Debian booted for this: the service runs
#             the example, and stops in time
#
# A sanitizer report makes its part fail, even if the tests pass.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
sender= reader=
trap 'kill $sender $reader 2>/dev/null || true; rm -rf "$work"' EXIT

# sanitized NAME ARGUMENT...: runs tests under a sanitizer.
sanitized() {
    local name=$1 status=0
    shift
    local flags=(--sanitize "$name" --scratch-path ".build/$name" --no-parallel --disable-xctest)
    # The thread sanitizer only understands these locks (Sources/Pipeline/Support/Lock.swift).
    if [ "$name" = thread ]; then flags+=(-Xswiftc -DPTHREAD_LOCKS); fi
    swift test "${flags[@]}" "$@" 2>&1 | tee "$work/log" || status=$?
    local reports
    reports=$(grep -cE '(WARNING|ERROR): (Thread|Address|Leak)Sanitizer' "$work/log" || true)
    echo "== $name sanitizer: $reports reports"
    [ "$status" = 0 ] && [ "$reports" = 0 ]
}

thread() {
    if [ "$(uname)" = Linux ]; then
        clang -shared -fPIC -O1 -Wall -Werror -o "$work/c11-threads.so" scripts/c11-threads.c
        local -x LD_PRELOAD=$work/c11-threads.so
    fi
    TSAN_OPTIONS="suppressions=$PWD/scripts/thread-sanitizer.txt" PIPELINE_DEEP_CALLS=1000000 sanitized thread
}

# Tasks that are still running when the test process ends are not leaks. Little freed memory is held back, because some tests check
# that memory use does not grow.
address() { ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=64 sanitized address; }

accuracy() {
    PIPELINE_EVAL_REPETITIONS=100 swift test --no-parallel --disable-xctest -Xswiftc -warnings-as-errors --filter 'BitmapAccuracyTests|GestureXMLTests|RealGesturesTests|RealCloudTests|RealConfidenceTests|RealSpotTests|TableTests|ThumbSwipeTests|VectorMatcherTests'
}

fuzz() { ASAN_OPTIONS=detect_leaks=0 PIPELINE_FUZZ_ROUNDS=3000 sanitized address --filter 'FuzzTests|PointTableTests'; }

graphs() {
    PIPELINE_GRAPHS=${GRAPHS:-10000} PIPELINE_REPLAYS=${REPLAYS:-100} swift test -c release --scratch-path .build/optimized \
        -Xswiftc -enable-testing --no-parallel --disable-xctest --filter 'RandomGraphTests|RandomSlotTests|RandomReplayTests|AlignmentOrderTests|LiveJoinTests'
}

groups() {
    PIPELINE_GROUPS=${GROUP_SEEDS:-10000} PIPELINE_HANDOVERS=${HANDOVERS:-3000} swift test -c release --scratch-path .build/optimized -Xswiftc -enable-testing \
        --no-parallel --disable-xctest --filter 'GroupSimulationTests|HandoverTests'
}

mcap() {
    PIPELINE_DEEP_MCAP=1 swift test -c release --scratch-path .build/optimized -Xswiftc -enable-testing \
        --no-parallel --disable-xctest --filter 'MCAPTests.DamageTests|HostileRecordingTests'
}

suites() {
    if [ -z "${PIPELINE_SUITES:-}" ]; then
        echo "== suites: skipped, PIPELINE_SUITES is not set"
        return
    fi
    swift test --no-parallel --disable-xctest -Xswiftc -warnings-as-errors --filter 'PublicSuitesTests|ZMTPSuiteTests'
}

faults() {
    scripts/peers
    PIPELINE_DEEP_RESTARTS=50 swift test --no-parallel --disable-xctest -Xswiftc -warnings-as-errors --filter ZMQFaultTests
}

kafka() {
    scripts/peers
    .venv/bin/python Tests/peers/kafka_broker_check.py
    PIPELINE_DEEP_KILLS=${KILLS:-50} swift test --no-parallel --disable-xctest -Xswiftc -warnings-as-errors \
        --filter 'KafkaGroupTests'
}

# The cluster listens on loopback only.
spark() {
    if ! command -v java >/dev/null; then scripts/bootstrap default-jre-headless; fi
    scripts/peers spark
    swift build -c release --product pipectl
    local python=$PWD/.venv/bin/python
    PIPECTL="$(swift build -c release --show-bin-path)/pipectl"
    export PIPECTL
    # Check that the package that a user installs contains its types.
    cp -R Examples/spark "$work/spark"
    "$python" -m pip wheel --quiet --no-deps --wheel-dir "$work" "$work/spark"
    "$python" -m zipfile --list "$work"/pipeline_spark-*.whl | grep -q pipeline_spark/py.typed
    (cd Examples/spark && "$python" -m mypy)
    (cd Examples/spark && PIPELINE_SPARK_RECORDINGS=${SPARK_RECORDINGS:-1000} "$python" -m pytest -q)
    # An absolute path, because the executors work in other folders.
    PYTHONPATH="$PWD/Examples/spark/src" "$python" -m pipeline_spark.bench Configs/points.yaml Samples/points.jsonl
}

hostile() {
    local seconds=${HOSTILE_S:-600}
    scripts/peers
    swift build -c release --product pipectl
    local pipectl port=5599
    pipectl="$(swift build -c release --show-bin-path)/pipectl"
    cat >"$work/hostile.yaml" <<END
version: 1
sources:
  - zmq: { id: camera, bind: "tcp://127.0.0.1:$port", socket: pull, kind: stroke, on_error: skip, on_disorder: drop, ends: 0 }
stages:
  - filter: { stream: "good/*" }
sinks:
  - file: { path: "$work/good", if_exists: overwrite, format: jsonl }
END
    # The reader of the results pauses, so that messages pile up in the whole run. Otherwise they would only pile up, and memory use
    # rise, when the machine happens to be busy.
    mkfifo "$work/good"
    python3 Tests/peers/pausing_reader.py "$work/good" "$work/good.jsonl" &
    reader=$!
    .venv/bin/python Tests/peers/hostile.py "tcp://127.0.0.1:$port" "$seconds" 1 >"$work/sent.txt" &
    sender=$!
    watched hostile "$((seconds + 10))" "$pipectl" run "$work/hostile.yaml"
    wait "$sender" "$reader"
    sender= reader=
    local sent arrived
    sent=$(sed 's/sent //' "$work/sent.txt")
    arrived=$(wc -l <"$work/good.jsonl")
    echo "== hostile: $sent good messages sent, $arrived arrived"
    [ "$sent" = "$arrived" ]
}

example() (
    cd Examples/CustomStage
    swift test
    swift run tour
    swift run custom run thin.yaml
    ./verbs.sh "$(swift build --show-bin-path)/custom"
    # A package as created by `pipectl new`.
    swift run custom new begun --package "$PWD/../.." && mv begun "$work/begun" && cd "$work/begun"
    swift test
    [ "$(swift run begun run -q pipeline.yaml | wc -l)" = 4 ]
    swift run begun test pipeline.yaml
)

# Builds the app with copies of only the targets that it needs. There are no module maps of C libraries, and each header of these
# libraries is replaced by one that cannot be included.
layers() (
    mkdir -p "$work/layers/Sources" "$work/layers/Examples" "$work/poison"
    for target in CKernels Pipeline PipelineComponents Stages; do cp -R "Sources/$target" "$work/layers/Sources/"; done
    cp -R Examples/InApp "$work/layers/Examples/"
    for header in yaml zmq librdkafka/rdkafka simdjson expat cairo/cairo cairo msgpack msgpack/pack zstd lz4 lz4frame zlib sodium; do
        mkdir -p "$(dirname "$work/poison/$header.h")"
        echo "#error \"Pipeline and Stages must not include <$header.h>\"" >"$work/poison/$header.h"
    done
    # The declarations of these targets in Package.swift.
    cat >"$work/layers/Package.swift" <<'END'
// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
]
let package = Package(
    name: "pipeline",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "Pipeline", targets: ["Pipeline"]), .library(name: "Stages", targets: ["Stages"])],
    targets: [
        .target(name: "CKernels"),
        .target(name: "Pipeline", swiftSettings: settings),
        .target(name: "PipelineComponents", dependencies: ["Pipeline"], swiftSettings: settings),
        .target(name: "Stages", dependencies: ["Pipeline", "PipelineComponents", "CKernels"], swiftSettings: settings),
    ])
END
    cd "$work/layers/Examples/InApp"
    swift run -Xcc -I"$work/poison" in-app | tee "$work/in-app.txt"
    [ "$(tr "\n" " " <"$work/in-app.txt")" = "diamond zigzag " ]
)

# installed PIPECTL: checks that the program works and does not look for anything in the toolchain.
installed() {
    if readelf -d "$1" | grep -E 'NEEDED.*lib(swift|Foundation|dispatch|BlocksRuntime|_Foundation)|R(UN)?PATH'; then
        echo "$1 needs libraries or paths that only the toolchain has" >&2
        return 1
    fi
    # Hide the folder of the toolchain if permissions allow it. Environment variables are never passed on.
    local toolchain hide=()
    toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
    if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
        echo "== $toolchain is hidden"
        hide=(unshare -m bash -c 'mount --make-rprivate / && mount -t tmpfs none "$1" && shift && exec "$@"' hide "$toolchain")
    fi
    local lines
    lines=$("${hide[@]}" env -i PATH=/usr/bin:/bin "$1" run -q Configs/strokes.yaml | wc -l)
    echo "== installed: $lines results, $(stat -c %s "$1") bytes"
    [ "$lines" = 24 ]
}

install() {
    # Unset DESTDIR, which may be set if make runs this script, because it would change the install location.
    env -u DESTDIR make install PREFIX="$work/prefix"
    # Installs as for a package, with the systemd unit.
    make install DESTDIR="$work/root" PREFIX=/opt/pipeline UNITDIR=/etc/systemd/system
    grep -q '^ExecStart=/opt/pipeline/bin/pipectl run ' "$work/root/etc/systemd/system/pipeline@.service"
    "$work/root/opt/pipeline/bin/pipectl" validate -q "$work/root/etc/pipeline/example.yaml"
    if [ "$(uname)" = Linux ]; then installed "$work/prefix/bin/pipectl"; fi
    bash -n "$work/prefix/share/bash-completion/completions/pipectl"
    [ -s "$work/prefix/share/man/man1/pipectl.1" ]
    if command -v zsh >/dev/null; then zsh -n "$work/prefix/share/zsh/site-functions/_pipectl"; fi
    if command -v fish >/dev/null; then fish -n "$work/prefix/share/fish/vendor_completions.d/pipectl.fish"; fi
}

deb() {
    if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
        echo "== deb: skipped, it needs Debian and root"
        return
    fi
    scripts/bootstrap dpkg-dev lintian debootstrap systemd-container
    scripts/make-deb.sh
    local root=$work/debian package codename
    package=$(find build -name 'pipectl_*.deb' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2)
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    # Downloaded packages are cached for the next run.
    mkdir -p .build/debootstrap
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus --cache-dir="$PWD/.build/debootstrap" \
        "$codename" "$root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >"$work/debootstrap.txt" || { tail "$work/debootstrap.txt"; return 1; }
    cp "$package" "$root/root/pipectl.deb"
    chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /root/pipectl.deb \
        >"$work/apt.txt" 2>&1 || { tail "$work/apt.txt"; return 1; }
    mkdir "$root/root/check"
    cp -r Samples "$root/root/check"
    # Use `cp -p`, because `install` is a function of this script.
    cp -p scripts/check-service.sh "$root/root/check/check-service"
    cat >"$root/etc/systemd/system/check.service" <<'END'
[Unit]
Requires=basic.target
After=basic.target

[Service]
Type=oneshot
ExecStart=/root/check/check-service
StandardOutput=file:/root/check/log
StandardError=inherit
ExecStopPost=/bin/systemctl --no-block poweroff
END
    # Do not register the container, because the host may have no machine manager. Its network is private, so ports cannot
    # conflict.
    timeout 300 systemd-nspawn --quiet --register=no --keep-unit --private-network --directory="$root" \
        --boot systemd.unit=check.service >"$work/boot.txt" 2>&1 </dev/null || true
    cat "$root/root/check/log" || tail -n 20 "$work/boot.txt"
    grep -q '^== service: all is well$' "$root/root/check/log"
}

soak() {
    local seconds=${SOAK_S:-120}
    swift build -c release --product pipectl
    local pipectl stages
    pipectl="$(swift build -c release --show-bin-path)/pipectl"
    stages="  - resample: { points: 16 }
  - normalize: { scale: none }
  - vectorize
  - match: { library: $PWD/Samples/shapes.json }"
    cat >"$work/batch.yaml" <<END
version: 1
sources:
  - synthetic: { count: 0, streams: 100 }
stages:
$stages
sinks:
  - discard
END
    cat >"$work/sender.yaml" <<END
version: 1
sources:
  - synthetic: { count: 0, streams: 20, rate: 1, rate_hz: 100 }
sinks:
  - zmq: { connect: "ipc://$work/wire", socket: push }
END
    cat >"$work/live.yaml" <<END
version: 1
mode: live
sources:
  - zmq: { id: pen, bind: "ipc://$work/wire", socket: pull, kind: stroke }
stages:
$stages
sinks:
  - discard
END
    watched batch "$seconds" "$pipectl" run "$work/batch.yaml"
    "$pipectl" run "$work/sender.yaml" >/dev/null 2>&1 &
    sender=$!
    watched live "$seconds" "$pipectl" run "$work/live.yaml"
    kill "$sender"
    wait "$sender" || true
    sender=
}

# watched NAME SECONDS COMMAND...: runs a pipeline and compares its memory use in the second quarter with that in the last
# quarter.
watched() {
    local name=$1 seconds=$2 early=0 late=0 second rss
    shift 2
    "$@" --duration "$seconds" >"$work/$name.txt" 2>&1 &
    local pid=$!
    for ((second = 1; second < seconds; second++)); do
        sleep 1
        rss=$(ps -o rss= -p "$pid" | tr -d ' ') || break
        [ -n "$rss" ] || break
        if ((second > seconds / 4 && second <= seconds / 2 && rss > early)); then early=$rss; fi
        if ((second > seconds * 3 / 4 && rss > late)); then late=$rss; fi
    done
    wait "$pid" || { cat "$work/$name.txt"; return 1; }
    tail -n 12 "$work/$name.txt"
    echo "== $name: $early KB in the second quarter, $late KB in the last"
    # The allocator causes variations of a few pages.
    ((early > 0 && late > 0 && late <= early + 2048))
}

# Checks that no frame is lost by reloads, and that memory use stays flat.
reload() {
    PIPELINE_RELOADS=${RELOADS:-1000} swift test --no-parallel --disable-xctest \
        -Xswiftc -warnings-as-errors --filter RunReloadTests/messages
}

# Checks the cost of serving a run, and whether its memory use stays flat.
served() {
    swift build -c release --product pipectl
    python3 Benchmarks/served.py
}

parts=(thread address accuracy fuzz graphs groups mcap suites soak reload served faults kafka spark hostile example layers install deb)
[ $# -gt 0 ] || set -- "${parts[@]}"
for part in "$@"; do
    case " ${parts[*]} " in
    *" $part "*) echo "== $part" ;;
    *)
        echo "there is no part \"$part\": ${parts[*]}" >&2
        exit 2
        ;;
    esac
    # Do not call the part in a condition, because `set -e` would then ignore failures in the middle of the part.
    "$part"
done
