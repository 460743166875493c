# SPDX-License-Identifier: MIT
"""Results of the benchmarks over time: files, statistics, pictures. README.md says what to read out of them."""
