#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Exported names: the shared library shows bh_ and nothing else; the static one adds bh__ (internal, but linked) and
# nothing a program could collide with. Usage: symbols.sh LIB.so LIB.a
set -euo pipefail
shared=$1 static=$2

dynamic=$(nm -D --defined-only "$shared" | awk 'NF >= 3 {print $3}' | sed 's/@.*//' | sort -u)
# A version node of the linker script is an absolute symbol named like the library.
wrong=$(grep -vE '^bh_|^BACKHAUL_[0-9.]+$' <<<"$dynamic" || true)
public=$(grep -cE '^bh_' <<<"$dynamic" || true)

internal=$(nm -g --defined-only "$static" 2>/dev/null | awk 'NF >= 3 {print $3}' | sort -u)
collide=$(grep -vE '^bh_' <<<"$internal" | grep -vE '^(__asan_|__odr_asan|__tsan_|__ubsan_|__start_|__stop_|DW\.ref\.)' || true)

echo "shared: $public names; static: $(wc -l <<<"$internal") names"
if [ "$public" -eq 0 ]; then
    echo "the shared library exports nothing" >&2
    exit 1
fi
if [ -n "$wrong" ] || [ -n "$collide" ]; then
    printf 'exported without the bh_ prefix:\n%s\n%s\n' "$wrong" "$collide" >&2
    exit 1
fi
