#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rules of the tree that no compiler checks. Usage: lint.py RULE [--root DIR]; `lint.py list` names the rules.

Each rule prints one line a finding (file:line: what is wrong, what to do) and the number of things it looked at, and
exits 1 if it found anything, or if it looked at nothing: a rule that sees no file proves nothing.
"""
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.environ.get("BH_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBC = set("""assert ctype errno float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic
stdbool stddef stdint stdio stdlib stdnoreturn string strings tgmath time uchar wchar wctype""".split())
# What the pure layers may take from the C library: no clock, thread or signal.
PURE_LIBC = LIBC - {"signal", "stdatomic", "time", "setjmp"}


def tracked():
    """The files of the tree: git's list, or a walk where there is no git (a release archive)."""
    try:
        out = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             check=True, capture_output=True).stdout.decode()
        names = [n for n in out.split("\0") if n]
    except (OSError, subprocess.CalledProcessError):
        names = []
        for base, dirs, files in os.walk(ROOT):
            dirs[:] = [d for d in dirs if d not in (".git", "build", "node_modules")]
            names += [os.path.relpath(os.path.join(base, f), ROOT) for f in files]
    return sorted({n for n in names if os.path.isfile(os.path.join(ROOT, n)) and not n.startswith("build/")
                   and "node_modules/" not in n})


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


def files(*ends, under=()):
    return [n for n in tracked() if n.endswith(ends) and (not under or n.startswith(tuple(under)))]


def shell_scripts():
    found = []
    for name in tracked():
        if name.endswith((".c", ".h", ".md", ".js", ".mjs", ".json", ".png", ".css", ".html", ".txt", ".cmake")):
            continue
        with open(os.path.join(ROOT, name), "rb") as f:
            first = f.readline(80)
        if re.match(rb"#!.*\b(ba|da)?sh\b", first):
            found.append(name)
    return found


def strip_comments(text):
    """C without comments, line numbers kept; strings stay."""
    def blank(m):
        s = m.group(0)
        return s if s[0] in "\"'" else re.sub(r"[^\n]", " ", s)
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", blank, text, flags=re.S)


def includes(name):
    for i, line in enumerate(strip_comments(read(name)).split("\n"), 1):
        m = re.match(r"\s*#\s*include\s*([<\"])([^>\"]+)[>\"]", line)
        if m:
            yield i, m.group(1), m.group(2)


# --- rules: each yields findings and returns how many things it looked at -------------------------------------------

LIBRARY = re.compile(r"^(uv|libwebsockets|cJSON|cjson|mimalloc)\b")
PUBLIC_FOR_VDOM = {"base.h", "element.h", "event.h", "names.def", "html.h"}
# Where each library may be named: everything else goes through our own headers.
MIMALLOC_FILES = re.compile(r"^(vdom/mem|server/stats|bench/)")
CJSON_FILES = re.compile(r"^(server/wire_reactpy_decode\.c|tests/|bench/)")
LWS_FILES = re.compile(r"^(server/(ws|http|front|listen|server|main|lws)[a-z_]*\.[ch]|tests/|bench/)")


def layer_of(name):
    return "include" if name.startswith("include/") else name.split("/")[0]


def check_include(name, mark, what):
    """None if the include is allowed, else the reason it is not."""
    layer, stem = layer_of(name), what[:-2] if what.endswith(".h") else what
    head = what.split("/")[0]
    if mark == '"' and not os.path.isfile(os.path.join(ROOT, what)):
        near = os.path.join(ROOT, os.path.dirname(name), what)
        beside = os.path.isfile(os.path.join(ROOT, "tests", what))  # tests have tests/ on their path
        if layer in ("examples", "tests", "bench") and (os.path.isfile(near) or beside):
            return None
        if head in ("vdom", "render", "server", "web") or os.path.isfile(near):
            return "write it from the root of the tree" if os.path.isfile(near) else "there is no such file"
        return None if layer in ("server", "web", "tests", "bench", "examples") else "there is no such file"
    if layer == "include":
        ok = head == "backhaul" if mark == "<" and "/" in what else mark == "<" and stem in LIBC
        return None if ok else "an installed header includes only <backhaul/...> and libc"
    if re.match(r"c[jJ]son|cJSON", what) and not CJSON_FILES.match(name):
        return "cJSON is for server/wire_reactpy_decode.c alone"
    if what.startswith("libwebsockets") and not LWS_FILES.match(name):
        return "libwebsockets is for the files that own a socket (ws, http, front)"
    if what.startswith("mimalloc") and not MIMALLOC_FILES.match(name):
        return "memory goes through vdom/mem.h"
    if layer == "vdom":
        if head in ("render", "server", "web") or (LIBRARY.match(what) and not what.startswith("mimalloc")):
            return "vdom includes only vdom, <backhaul/...> and libc"
        if head == "backhaul":
            return None if what.split("/")[1] in PUBLIC_FOR_VDOM else "vdom knows no component, session or server"
        if mark == "<" and stem not in PURE_LIBC and not (what == "mimalloc.h" or
                                                           what == "sys/mman.h" and name.startswith("vdom/")):
            return "vdom has no thread, clock or I/O"
    elif layer == "render":
        if head in ("server", "web") or LIBRARY.match(what):
            return "render includes only render, vdom, <backhaul/...> and libc"
        # setjmp: how a fault leaves a render function for its error boundary.
        if mark == "<" and head != "backhaul" and stem not in PURE_LIBC | {"setjmp"}:
            return "render has no thread, clock, socket or I/O"
    elif layer == "examples":
        if head in ("vdom", "render", "server", "web"):
            return "an example uses only what is installed"
    return None


def rule_layers():
    """includes go only downwards"""
    seen = 0
    for name in files(".c", ".h", under=("include/", "vdom/", "render/", "server/", "web/", "examples/", "bench/", "tests/")):
        for line, mark, what in includes(name):
            seen += 1
            why = check_include(name, mark, what)
            if why:
                yield f"{name}:{line}: #include {mark}{what}: {why}"
    # stdio.h is there for snprintf; the pure layers neither print nor open anything.
    for name in files(".c", ".h", under=("vdom/", "render/")):
        seen += 1
        for i, line in enumerate(strip_comments(read(name)).split("\n"), 1):
            m = re.search(r"\b(printf|fprintf|puts|fputs|putchar|fopen|fwrite|fread|getenv|time|clock_gettime)\s*\(", line)
            if m and not re.search(r"__attribute__", line):
                yield f"{name}:{i}: {m.group(1)}(): vdom and render do no I/O and read no clock"
    return seen


def rule_headers():
    """every header compiles alone, with gcc and with clang"""
    seen = 0
    compilers = [c for c in ("gcc", "clang-14") if shutil.which(c)]
    if not compilers:
        yield "no compiler found"
    uv = subprocess.run(["pkg-config", "--cflags", "libuv", "libwebsockets", "libcjson"], capture_output=True,
                        text=True).stdout.split()
    for name in files(".h"):
        if name.startswith(("examples/", "tests/", "bench/")):
            where = ["-I", os.path.join(ROOT, os.path.dirname(name))]
        else:
            where = []
        seen += 1
        flags = ["-std=c11", "-pedantic"] if name.startswith("include/") else ["-std=gnu11", "-D_GNU_SOURCE"]
        for cc in compilers:
            r = subprocess.run([cc, *flags, "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-fsyntax-only", "-I", ROOT, "-I",
                                os.path.join(ROOT, "include"), "-I", os.path.join(ROOT, "tests"), *where,
                                *[u.replace("-I", "-isystem") for u in uv], "-x", "c", "-"],
                               input=f'#include "{os.path.join(ROOT, name)}"\nextern int bh__lint;\n', text=True,
                               capture_output=True)
            if r.returncode:
                yield f"{name}: does not compile alone with {cc}:\n" + "\n".join(r.stderr.split("\n")[:6])
    return seen


def rule_length():
    """no file over 800 lines"""
    seen = 0
    for name in files(".c", ".h", ".js", ".mjs", ".py", ".css", ".cmake", "CMakeLists.txt") + shell_scripts():
        seen += 1
        n = read(name).count("\n")
        if n > 800:
            yield f"{name}: {n} lines; 800 is the limit, 400 the aim: split it by topic"
    return seen


def rule_functions():
    """no function over 80 lines, unless a NOLINT(readability-function-size) above it says why"""
    names = files(".c", ".h")
    if not shutil.which("ctags"):
        yield "ctags is missing: apt-get install universal-ctags"
        return 0
    out = subprocess.run(["ctags", "--output-format=json", "--fields=+ne", "--kinds-C=f", "--langmap=C:.c.h", "-f", "-", "-L", "-"],
                         cwd=ROOT, input="\n".join(names), text=True, capture_output=True, check=True).stdout
    seen = 0
    for row in out.splitlines():
        tag = json.loads(row)
        if tag.get("kind") != "function" or "end" not in tag:
            continue
        seen += 1
        size = tag["end"] - tag["line"] + 1
        if size <= 80:
            continue
        lines = read(tag["path"]).split("\n")
        above = "\n".join(lines[max(0, tag["line"] - 6):tag["line"]])
        if not re.search(r"NOLINT(NEXTLINE)?\(readability-function-size[^)]*\): *\S", above):
            yield f"{tag['path']}:{tag['line']}: {tag['name']} has {size} lines; 80 is the limit"
    return seen


def rule_spdx():
    """the licence in the first three lines"""
    seen = 0
    for name in set(files(".c", ".h", ".def", ".js", ".mjs", ".py", ".css", ".cmake") + shell_scripts()):
        seen += 1
        if "SPDX-License-Identifier: MIT" not in "\n".join(read(name).split("\n")[:3]):
            yield f"{name}:1: no SPDX-License-Identifier: MIT in the first three lines"
    return seen


def rule_format():
    """clang-format 14 has nothing to change (scripts/format mends it)"""
    names = files(".c", ".h")
    tool = shutil.which("clang-format-14")
    if not tool:
        yield "clang-format-14 is missing"
        return 0
    r = subprocess.run([tool, "--dry-run", "--Werror", "--style=file", *names], cwd=ROOT, text=True, capture_output=True)
    bad = {}
    for m in re.finditer(r"^(\S+?):(\d+):\d+: (?:error|warning): code should be clang-formatted", r.stderr, re.M):
        bad.setdefault(m.group(1), m.group(2))
    for name, line in sorted(bad.items()):
        yield f"{name}:{line}: not formatted; run scripts/format"
    if r.returncode and not bad:
        yield r.stderr.strip()
    return len(names)


def rule_modes():
    """one path for both modes: no #if and no question about the mode outside the executor"""
    seen = 0
    for name in files(".c", ".h", under=("include/", "vdom/", "render/", "server/", "examples/")):
        seen += 1
        for i, line in enumerate(strip_comments(read(name)).split("\n"), 1):
            if re.match(r"\s*#\s*(el)?if", line) and re.search(r"BACKHAUL_THREAD|THREADED|INLINE_MODE|BH_MODE", line):
                yield f"{name}:{i}: conditional compilation by mode"
            if re.search(r"\bif\s*\(.*\b(threaded|is_inline|inline_mode)\b", line) and "exec" not in name:
                yield f"{name}:{i}: asks for the mode; only the executor knows it"
    return seen


def rule_words():
    """no words that mark unfinished work"""
    seen = 0
    marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "W" + "IP", "TB" + "D"]
    words = re.compile(r"\b(" + "|".join(marks) + r")\b|\bnot (yet )?implemented\b|\bunimplemented\b|filled in by its part", re.I)
    case = set(marks)
    for name in tracked():
        if name.endswith((".png", ".ico", ".bin", ".woff2", "package-lock.json")) or name.startswith("tests/fuzz/corpus"):
            continue
        try:
            text = read(name)
        except UnicodeDecodeError:
            continue
        seen += 1
        for i, line in enumerate(text.split("\n"), 1):
            for m in words.finditer(line):
                # The marks count in capitals only: todo is an example's name.
                if m.group(1) and m.group(1) not in case:
                    continue
                if name == "tests/lint/lint.py" and "words = re.compile" in line:
                    continue
                yield f"{name}:{i}: '{m.group(0)}'"
    return seen


def slug(heading):
    text = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", lambda m: m.group(1) or "", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def outside_code(text):
    return re.sub(r"^(```|~~~).*?^\1\s*$", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.M | re.S)


def rule_links():
    """every relative link in a .md file leads to a file, and every #anchor to a heading"""
    seen = 0
    anchors = {}
    for name in files(".md"):
        heads = re.findall(r"^#+\s+(.*?)\s*#*$", outside_code(read(name)), re.M)
        anchors[name] = {slug(h) for h in heads}
    for name in files(".md"):
        seen += 1
        text = outside_code(read(name))
        for i, line in enumerate(text.split("\n"), 1):
            line = re.sub(r"`[^`]*`", "", line)
            for target in re.findall(r"\]\(\s*<?([^)\s>]+)", line) + re.findall(r"(?:src|href)=\"([^\"]+)\"", line):
                if re.match(r"[a-z][a-z0-9+.-]*:", target) or target.startswith("//"):
                    continue
                path, _, anchor = target.partition("#")
                dest = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
                seen += 1
                if not os.path.exists(os.path.join(ROOT, dest)):
                    yield f"{name}:{i}: link to {target}: there is no {dest}"
                elif anchor and dest in anchors and anchor not in anchors[dest]:
                    yield f"{name}:{i}: link to {target}: {dest} has no such heading"
    return seen


def rule_shell():
    """shellcheck finds nothing in the scripts, and each has its run bit"""
    names = shell_scripts()
    if not shutil.which("shellcheck"):
        yield "shellcheck is missing"
        return 0
    r = subprocess.run(["shellcheck", "-f", "gcc", "-x", *names], cwd=ROOT, text=True, capture_output=True)
    yield from r.stdout.splitlines()
    for name in names:
        if not os.access(os.path.join(ROOT, name), os.X_OK):
            yield f"{name}: no run bit"
    return len(names)


def rule_tests():
    """every C file is named by a CMake file of its folder, or by one elsewhere with its folder's name"""
    seen = 0
    lists = {n: read(n) for n in files("CMakeLists.txt", ".cmake")}
    for name in files(".c", under=("vdom/", "render/", "server/", "tests/", "examples/", "bench/")):
        if name.startswith("tests/install/"):
            continue
        seen += 1
        folder, base = os.path.split(name)
        # A loop over the varying part (foreach(n IN ITEMS a b) ... test_${n}.c) counts as naming its files.
        stem = "(?:" + "|".join(re.escape(base[i:-2]) for i in range(len(base) - 2) if i == 0 or base[i - 1] == "_") + ")"
        full = re.escape(f"{os.path.basename(folder)}/{base}")
        for where, listing in lists.items():
            near = (folder + "/").startswith(os.path.dirname(where) + "/")
            loop = re.search(r"\$\{\w+\}\.c", listing) and re.search(rf"(?<![\w.-]){stem}(?!\w)", listing)
            if re.search(full, listing) or near and (loop or re.search(rf"(?<![\w.-]){re.escape(base)}", listing)):
                break
        else:
            yield f"{name}: no CMake file builds it"
    return seen


def rule_options():
    """every option of the command line stands in docs/OPERATIONS.md"""
    names = re.findall(r'^\s*\{"([a-z-]+)", ', read("server/config.c"), flags=re.M)
    doc = read("docs/OPERATIONS.md")
    for name in names:
        if not re.search(rf"`--{name}(?![a-z-])", doc):
            yield f"docs/OPERATIONS.md: --{name} (server/config.c) is not described"
    return len(names)


def rule_examples():
    """the examples that show how little it takes stay that small"""
    limits = {"counter": 20, "todo": 80}
    for n in files(".c", under=("examples/",)):
        limits.setdefault(n.split("/")[1], 150)
    seen = 0
    for name in files(".c", under=("examples/",)):
        lines, most = read(name).count("\n"), limits[name.split("/")[1]]
        seen += 1
        if lines > most:
            yield f"{name}: {lines} lines, at most {most}"
    return seen


RULES = {k[5:]: v for k, v in list(globals().items()) if k.startswith("rule_")}


def main(argv):
    if len(argv) == 2 and argv[1] == "list":
        for name, fn in RULES.items():
            print(f"{name}: {fn.__doc__}")
        return 0
    if len(argv) != 2 or argv[1] not in RULES:
        print(f"usage: lint.py {'|'.join(RULES)}|list", file=sys.stderr)
        return 2
    bad = 0
    gen = RULES[argv[1]]()
    try:
        while True:
            print(next(gen))
            bad += 1
    except StopIteration as stop:
        seen = stop.value or 0
    print(f"lint {argv[1]}: {seen} looked at, {bad} found")
    return 1 if bad or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
