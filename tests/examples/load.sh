#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# load.sh COUNTER BH_LOAD: the load generator against a real server for a moment; nothing may be lost or unanswered.
set -euo pipefail
counter=$1 load=$2 work=$(mktemp -d)
case ${BH_TEST_MODE:-thread} in thread) mode=on ;; *) mode=off ;; esac
"$counter" --port 0 "--backhaul=$mode" --max-event-rate=0 >"$work/out" 2>"$work/err" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do
    url=$(sed -n 's/^LISTENING //p' "$work/out")
    [ -n "$url" ] && break
    sleep 0.1
done
[ -n "$url" ] || { cat "$work/err"; exit 1; }
for protocol in v1 reactpy; do
    for run in connect:300 idle:200 click:40 churn:30; do
        echo "== $protocol $run"
        "$load" --proto $protocol --mode "${run%:*}" --sessions "${run#*:}" --seconds 1 "$url" | tee "$work/load"
        grep -qx 'lost 0' "$work/load"
        case $run in
        click:*) awk '$1 == "clicks" && $2 > 100 { ok = 1 } END { exit !ok }' "$work/load" ;;
        churn:*) awk '$1 == "pages_per_s" && $2 > 10 { ok = 1 } END { exit !ok }' "$work/load" ;;
        *) ;;
        esac
    done
done
kill $server
wait $server
[ ! -s "$work/err" ] || { cat "$work/err"; exit 1; }
