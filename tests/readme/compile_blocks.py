#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the ```c blocks of Markdown pages: gcc and clang, C11, C17 and C2x, -Wall -Wextra -Wpedantic -Werror.

Usage: compile_blocks.py [--run LIBBACKHAUL.so] PAGE.md...

  ```c            a file of its own; without an #include it gets <backhaul/backhaul.h> and <backhaul/html.h>
  ```c continue   goes on from the block before it (as a page that builds up one program does)
  ```c fragment   statements of a render function: put into one, with cx and the headers

--run also links the first block that has a main() and expects it to serve its page.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

ROOT = os.environ.get("BH_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADERS = "#include <backhaul/backhaul.h>\n#include <backhaul/html.h>\n"
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", os.path.join(ROOT, "include")]


def blocks(page):
    """(line, info, text) of each ```c block."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        lines = f.read().split("\n")
    i = 0
    while i < len(lines):
        m = re.match(r"^( *)```(\w*)[ \t]*(.*)$", lines[i])
        if not m:
            i += 1
            continue
        start, body = i + 1, []
        i += 1
        while i < len(lines) and not re.match(r"^ *```\s*$", lines[i]):
            body.append(lines[i])
            i += 1
        i += 1
        if m.group(2) in ("c", "C"):
            yield start + 1, m.group(3).strip(), "\n".join(body) + "\n"


def units(page):
    """Translation units: (line, text)."""
    before = ""
    for line, info, text in blocks(page):
        if info not in ("", "continue", "fragment"):
            sys.exit(f"{page}:{line}: ```c {info}: only 'continue' and 'fragment' are known")
        if info == "continue":
            if not before:
                sys.exit(f"{page}:{line}: nothing to continue from")
            text = before + f'#line {line} "{page}"\n' + text
        elif info == "fragment":
            text = HEADERS + (f"BH_COMPONENT0(Sample)\n{{\n#line {line} \"{page}\"\n{text}}}\n")
        else:
            head = "" if "#include" in text else HEADERS
            text = head + f'#line {line} "{page}"\n' + text
        before = text
        yield line, text


def compile_all(pages):
    compilers = [c for c in ("gcc", "clang-14") if shutil.which(c)]
    failed = ran = 0
    for page in pages:
        count = 0
        for line, text in units(page):
            count += 1
            # A part of a program need not use all it defines.
            loose = [] if re.search(r"\bmain\s*\(", text) else ["-Wno-unused-function", "-Wno-unused-variable",
                                                               "-Wno-unused-const-variable"]
            for cc in compilers:
                for std in ("c11", "c17", "c2x"):
                    ran += 1
                    r = subprocess.run([cc, f"-std={std}", *FLAGS, *loose, "-fsyntax-only", "-x", "c", "-"], input=text,
                                       text=True, capture_output=True)
                    if r.returncode:
                        failed += 1
                        print(f"{page}:{line}: {cc} -std={std}\n{r.stderr[:1500]}")
        print(f"{page}: {count} blocks")
        if not count:
            failed += 1
            print(f"{page}: there is no ```c block to compile")
    print(f"{ran} compilations, {failed} failed")
    return 1 if failed or not ran else 0


def run_first(library, pages):
    for page in pages:
        for line, text in units(page):
            if re.search(r"\bint\s+main\s*\(", text) and "bh_main" in text:
                return run(library, page, line, text)
    print("no block has a main()")
    return 1


def run(library, page, line, text):
    with tempfile.TemporaryDirectory() as tmp:
        src, exe = os.path.join(tmp, "app.c"), os.path.join(tmp, "app")
        with open(src, "w", encoding="utf-8") as f:
            f.write(text)
        where = os.path.dirname(library)
        subprocess.run(["gcc", "-std=c11", *FLAGS, src, "-o", exe, library, f"-Wl,-rpath,{where}"], check=True)
        # Its own session and no standard input: whatever happens, this process alone is ended.
        p = subprocess.Popen([exe, "--port=0"], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        try:
            first = p.stdout.readline()
            m = re.match(r"LISTENING (http://\S+)", first)
            if not m:
                print(f"{page}:{line}: said {first!r} instead of LISTENING")
                return 1
            html = urllib.request.urlopen(m.group(1), timeout=10).read().decode()
            if "<backhaul-view" not in html:
                print(f"{page}:{line}: the page holds no view:\n{html[:500]}")
                return 1
            p.send_signal(signal.SIGTERM)
            status = p.wait(timeout=10)
        finally:
            if p.poll() is None:
                p.kill()
        print(f"{page}:{line}: served {m.group(1)}, exit {status}")
        return 1 if status else 0


if __name__ == "__main__":
    args = sys.argv[1:]
    if args[:1] == ["--run"] and len(args) >= 3:
        sys.exit(run_first(args[1], args[2:]))
    if not args or args[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(compile_all(args))
