#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The lint rules on a small tree full of faults: each rule finds its own, and nothing in a clean file."""
import os
import subprocess
import sys
import tempfile

LINT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lint.py")
SPDX = "/* SPDX-License-Identifier: MIT */\n"
LONG = "int bh_long(int x)\n{\n" + "    x++;\n" * 90 + "    return x;\n}\n"
CLEAN = {
    "vdom/CMakeLists.txt": "target_sources(x PRIVATE clean.c)\n",
    "vdom/clean.h": SPDX + "#include <stddef.h>\nsize_t bh_clean(void);\n",
    "vdom/clean.c": SPDX + '#include "vdom/clean.h"\n\nsize_t bh_clean(void) { return 1; }\n',
    "docs/A.md": "# One\n[two](B.md#a-heading)\n```c\n[not](a/link)\n```\n",
    "docs/B.md": "# A heading\n",
    "docs/OPERATIONS.md": "| `--port=N` |\n",
    "server/config.c": SPDX + 'static const int options[] = {\n    {"port", 1},\n};\n',
    "server/CMakeLists.txt": "target_sources(x PRIVATE config.c)\n",
    "examples/counter/CMakeLists.txt": "add_executable(x counter.c)\n",
    "examples/counter/counter.c": SPDX + "int bh_x;\n",
    "scripts/ok": "#!/bin/sh\n# SPDX-License-Identifier: MIT\necho ok\n",
}
FAULTS = {
    "layers": [("vdom/up.c", SPDX + '#include "vdom/clean.h"\n#include <uv.h>\n'),
               ("vdom/up.c", SPDX + "#include <pthread.h>\n"),
               ("vdom/up.c", SPDX + "#include <backhaul/component.h>\n"),
               ("render/up.c", SPDX + "#include <cjson/cJSON.h>\n"),
               ("render/up.c", SPDX + "void f(void) { printf(\"x\"); }\n"),
               ("server/up.c", SPDX + "#include <cjson/cJSON.h>\n"),
               ("server/mbox.c", SPDX + "#include <libwebsockets.h>\n"),
               ("examples/x/x.c", SPDX + '#include "vdom/clean.h"\n'),
               ("include/backhaul/x.h", SPDX + "#include <uv.h>\n")],
    "headers": [("vdom/bad.h", SPDX + "size_t bh_bad(void);\n")],
    "length": [("vdom/long.c", SPDX + "\n" * 801)],
    "functions": [("vdom/long.c", SPDX + LONG)],
    "spdx": [("vdom/bare.c", "int x;\n")],
    "format": [("vdom/ugly.c", SPDX + "int  x ;\n")],
    "modes": [("server/mode.c", SPDX + "#if BACKHAUL_THREAD\n#endif\n"),
              ("server/mode.c", SPDX + "void f(int threaded) { if (threaded) f(0); }\n")],
    "words": [("vdom/w.c", SPDX + "/* TO" + "DO: more */\n"), ("docs/C.md", "This is not yet imple" + "mented.\n")],
    "links": [("docs/C.md", "[x](nowhere.md)\n"), ("docs/C.md", "[x](B.md#no-such-heading)\n")],
    "shell": [("scripts/bad", "#!/bin/sh\necho $1\n")],
    "tests": [("tests/vdom/orphan.c", SPDX)],
    "options": [("server/config.c", SPDX + '    {"port", 1},\n    {"new-one", 1},\n')],
    "examples": [("examples/counter/counter.c", SPDX + "int x;\n" * 20)],
}


def run(rule, tree):
    with tempfile.TemporaryDirectory() as root:
        for name, text in tree.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            if name.startswith("scripts/"):
                os.chmod(path, 0o755)
        r = subprocess.run([sys.executable, LINT, rule], env={**os.environ, "BH_SOURCE_DIR": root}, text=True,
                           capture_output=True)
        return r.returncode, r.stdout + r.stderr


def main():
    failed = ran = 0
    for rule, faults in FAULTS.items():
        code, out = run(rule, CLEAN)
        ran += 1
        if code:
            failed += 1
            print(f"{rule}: a clean tree is refused:\n{out}")
        for name, text in faults:
            code, out = run(rule, {**CLEAN, name: text})
            ran += 1
            if code != 1 or name not in out:
                failed += 1
                print(f"{rule}: not found in {name}: {text[:80]!r}\n{out}")
    print(f"{ran} trees, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
