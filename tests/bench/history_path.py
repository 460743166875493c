# SPDX-License-Identifier: MIT
"""Makes bench/history importable for the tests beside this file."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPARE = os.path.join(ROOT, "bench", "compare")
CHARTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "charts")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
