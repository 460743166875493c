#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs to a prefix of its own, builds examples/counter/counter.c against that copy alone, and uses the program.
# Usage: consume.sh cmake-shared|cmake-static|pkgconfig-shared|pkgconfig-static BUILD SOURCE CC CMAKE
set -euo pipefail
how=$1 build=$2 source=$3 cc=$4 cmake=$5
work=$(mktemp -d)
pid=
cleanup() {
    [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

prefix=$work/prefix
"$cmake" --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log" >&2; exit 1; }
# Out of the tree: an include of ours that is not installed must not be found.
mkdir "$work/app"
cp "$source"/examples/counter/*.[ch] "$work/app/"
cp "$source"/tests/install/consumer/* "$work/app/"
cd "$work/app"
libdir=$(dirname "$(find "$prefix" -name libbackhaul.a)")

case $how in
cmake-*)
    if ! { "$cmake" -S . -B out -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" -DLINKAGE="${how#cmake-}" &&
        "$cmake" --build out; } >cmake.log 2>&1; then
        cat cmake.log >&2
        exit 1
    fi
    program=out/counter
    ;;
pkgconfig-*)
    export PKG_CONFIG_PATH=$libdir/pkgconfig
    pkg-config --validate backhaul
    static=()
    if [ "$how" = pkgconfig-static ]; then
        static=(--static)
    fi
    read -ra cflags <<<"$(pkg-config --cflags backhaul)"
    read -ra libs <<<"$(pkg-config "${static[@]}" --libs backhaul)"
    if [ "$how" = pkgconfig-static ]; then
        # With both in one directory -lbackhaul means the shared one.
        libs=("${libs[@]/#-lbackhaul/-l:libbackhaul.a}")
    fi
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "${cflags[@]}" counter.c -o counter "${libs[@]}"
    program=./counter
    ;;
*)
    echo "consume.sh: what is '$how'?" >&2
    exit 2
    ;;
esac

needs_shared=$(readelf -d "$program" | grep -c 'NEEDED.*libbackhaul' || true)
case $how in
*-shared)
    [ "$needs_shared" -eq 1 ] || { echo "$program does not use libbackhaul.so" >&2; exit 1; }
    readelf -d "$program" | grep -q 'NEEDED.*libbackhaul\.so\.0\.1' || { echo "soname is not libbackhaul.so.0.1" >&2; exit 1; }
    export LD_LIBRARY_PATH=$libdir
    ;;
*-static)
    [ "$needs_shared" -eq 0 ] || { echo "$program uses libbackhaul.so" >&2; exit 1; }
    ;;
esac

"$program" --port=0 >stdout.log 2>stderr.log &
pid=$!
url=
for _ in $(seq 100); do
    url=$(sed -n 's/^LISTENING //p' stdout.log)
    [ -z "$url" ] || break
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
done
if [ -z "$url" ]; then
    echo "no LISTENING line" >&2
    cat stdout.log stderr.log >&2
    exit 1
fi
curl -fsS --max-time 10 "${url}" >page.html
grep -q '<backhaul-view' page.html || { echo "the page holds no view" >&2; head -c 600 page.html >&2; exit 1; }
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
pid=
[ "$status" -eq 0 ] || { echo "exit status $status after SIGTERM" >&2; cat stderr.log >&2; exit 1; }
echo "$how: built, served $url, stopped"
