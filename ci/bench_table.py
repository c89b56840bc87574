#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the medians of a Google Benchmark JSON file as a Markdown table of ratios.

Usage: bench_table.py RESULT.json
"""
import json
import sys

# Row: benchmark, what it is. Ratios are times of assay-O2 divided by the row's time.
ROWS = [
    ("assay-O2", "assay, gfx1100, -O 2, with spirv-val"),
    ("assay-O0", "assay, gfx1100, -O 0, with spirv-val"),
    ("aco", "RADV with ACO, navi31 null device"),
    ("radv-llvm", "RADV with LLVM, navi31 null device"),
]


def main(path: str) -> int:
    with open(path) as file:
        benchmarks = json.load(file)["benchmarks"]
    medians, labels, errors = {}, {}, {}
    for row in benchmarks:
        name = row["run_name"].split("/")[0]
        if row.get("error_occurred"):
            errors[name] = row.get("error_message", "error")
        elif row.get("aggregate_name") == "median":
            scale = {"ns": 1e-6, "us": 1e-3, "ms": 1.0}[row["time_unit"]]
            medians[name] = row["cpu_time"] * scale
            labels[name] = row.get("label", "")
    print("| compiler | ms, median of 9 | assay -O 2 takes |")
    print("| --- | --- | --- |")
    for name, text in ROWS:
        text += f" ({labels[name]})" if labels.get(name) else ""
        if name in errors or name not in medians:
            print(f"| {text} | unsupported: {errors.get(name, 'not run')} | - |")
        else:
            ratio = medians["assay-O2"] / medians[name]
            print(f"| {text} | {medians[name]:.3f} | {ratio:.2f} x |")
    print(f"\nCalibration loop (1 M multiply-adds): {medians['calibration']:.3f} ms.")
    return 1 if "assay-O2" in errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
