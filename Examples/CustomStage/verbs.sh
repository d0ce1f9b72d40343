#!/usr/bin/env bash
# Tests the verbs that use components or payloads, with those of this package. Usage: verbs.sh PROGRAM, where PROGRAM is the built
# `custom`.
set -euo pipefail
custom=$(realpath "$1")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lengths=$work/lengths.jsonl

step() { echo "== $*"; }

step describe: validate, graph, stages, schema, completion, explain, new
"$custom" validate lengths.yaml live.yaml measured.yaml echo.yaml thin.yaml table.yaml
"$custom" graph lengths.yaml | grep -q length
"$custom" stages length | grep -q 'value (number, px, required)'
for component in spirals thin measure_length ruler; do "$custom" stages "$component" >/dev/null; done
"$custom" schema | grep -q '"length"'
"$custom" completion bash >/dev/null
"$custom" explain option.choice >/dev/null
"$custom" explain thin.not_finite | grep -q 'lose a pen'
"$custom" new --pipeline stdin tap stdout >/dev/null
! "$custom" validate --set lengths.kind=lenght live.yaml >"$work/said" 2>&1 || exit 1
grep -q 'did you mean "length"?' "$work/said"

step test
"$custom" test lengths.yaml

step run: frames survive a round trip through JSON, MessagePack and CSV
"$custom" run -q measured.yaml >"$lengths"
[ "$(wc -l <"$lengths")" = 5 ]
for format in jsonl msgpack csv; do
    "$custom" run -q echo.yaml --set stdout.format=$format <"$lengths" >"$work/again.$format"
    "$custom" run -q echo.yaml --set stdin.decode.format="${format/jsonl/json}" <"$work/again.$format" | cmp - "$lengths"
done
echo '{"when":1.5,"result":{"length":7},"mood":"good"}' |
    "$custom" run -q echo.yaml --set 'stdin.decode={ keys: { value: result.length }, t: when, t_unit: s }' |
    grep -qx '{"v":1,"kind":"length","stream":"stdin","seq":0,"t_us":1500000,"value":7,"mood":"good"}'

step run: a table whose columns have other names
printf 'who,ms,px,gesture\nann,5,60,hook\nbob,6,7.5,\n' | "$custom" run -q table.yaml >"$work/table.jsonl"
diff "$work/table.jsonl" - <<'END'
{"v":1,"kind":"length","stream":"ann","seq":0,"t_us":5000,"value":60,"label":"hook"}
{"v":1,"kind":"length","stream":"bob","seq":0,"t_us":6000,"value":7.5}
END

step record: a recorded run can be replayed exactly
"$custom" run -q lengths.yaml --set ruler.path="$work/lengths.txt" --record "$work/box.mcap"
[ "$(wc -l <"$work/lengths.txt")" = 5 ]
"$custom" replay --exact "$work/box.mcap"

step info, convert, diff
"$custom" convert -q "$lengths" "$work/lengths.mcap"
"$custom" info "$work/lengths.mcap" | grep -q length
"$custom" info "$work/again.csv" | grep -q length
"$custom" convert -q "$work/lengths.mcap" "$work/back.jsonl"
cmp "$work/back.jsonl" "$lengths"
"$custom" diff echo.yaml echo.yaml --on "$lengths" >/dev/null

step simulate, whatif
"$custom" run -q live.yaml --simulate "$lengths" | cmp - "$lengths"
"$custom" whatif live.yaml "$lengths" --capacity 1,2 >/dev/null

step replay, record: over ZeroMQ
"$custom" replay -q "$lengths" --to "ipc://$work/wire" --wait-for-subscribers=1 --rate=max &
"$custom" record -q "ipc://$work/wire" --kind=length -o "$work/heard.jsonl" --limit=5
wait
[ "$(wc -l <"$work/heard.jsonl")" = 5 ]
