#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What campaigns cost: cases a second and core - generated, compiled for one target, executed, judged -, with warm workers
and with a process a job, the share of each step, and executions a second of each libFuzzer target.

Usage: bench_fuzz.py ASSAY CALIBRATION FOLDER-OF-FUZZ-TARGETS [CASES]
CALIBRATION is assay-bench, which knows the calibration loop. Time is that of processors (all of them
together), so that other work on the machine disturbs little.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

REPETITIONS = 3
SECONDS = 5  # Of each fuzz target.
STEPS = {"generate": "generate, as Amber text", "read": "read the case", "validate": "spirv-val",
         "reference": "reference run", "compile": "compile", "fat-pointers": "check the lowering of fat pointers",
         "validate-elf": "validate-elf", "machine": "execute on gcn", "judge": "judge", "write": "write the verdict",
         "keep": "keep results", "processes": "processes, jobs to and from them"}


def run_campaign(assay, cases, *options):
    with tempfile.TemporaryDirectory() as folder:
        times = pathlib.Path(folder, "times")
        command = [assay, "fuzz", "--seed", "1", "--cases", cases, "--targets", "gfx1100", "-O", "2", "--jobs", "1",
                   "--quiet", "--output", folder + "/campaign", "--times", times, *options]
        done = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL)
        if done.returncode not in (0, 1, 4):  # Findings, flaky ones.
            sys.exit(f"bench_fuzz.py: assay fuzz ended with {done.returncode}")
        return json.loads(times.read_text())


def rate(result):
    return result["cases"] / result["cpuSeconds"]


def print_campaigns(assay, cases):
    rows = {"warm workers": [], "a process a job (--warm off)": []}
    for _ in range(REPETITIONS):
        for name, options in zip(rows, ((), ("--warm", "off"))):
            rows[name].append(run_campaign(assay, cases, *options))
    base = statistics.median(map(rate, rows["warm workers"]))
    print("| profile default, gfx1100, -O 2 | cases a second and core | of warm workers |\n| --- | --- | --- |")
    for name, results in rows.items():
        median = statistics.median(map(rate, results))
        print(f"| {name} | {median:.1f} | {median / base:.2f} x |")
    best = sorted(rows["warm workers"], key=rate)[REPETITIONS // 2]
    print("\n| step | share | ms a case |\n| --- | --- | --- |")
    for step, seconds in sorted(best["stages"].items(), key=lambda row: -row[1]):
        print(f"| {STEPS.get(step, step)} | {seconds / best['cpuSeconds']:.1%} | "
              f"{1000 * seconds / best['cases']:.2f} |")


def executions_a_second(target, seeds):
    with tempfile.TemporaryDirectory() as folder:
        command = [target, f"-max_total_time={SECONDS}", "-print_final_stats=1", f"-artifact_prefix={folder}/", folder]
        command += [seed for seed in seeds if pathlib.Path(seed).is_dir()]
        done = subprocess.run([str(word) for word in command], stderr=subprocess.PIPE, text=True, errors="replace")
    found = re.search(r"stat::average_exec_per_sec:\s*(\d+)", done.stderr)
    return found[1] if found else "?"


def print_targets(folder):
    """Those of the build's list (fuzz/targets/CMakeLists.txt: a line a target, its name and its seeds) that are built."""
    listed = folder.parent / "fuzz-targets.txt"
    rows = sorted(line.split() for line in listed.read_text().splitlines()) if listed.exists() else []
    rows = [row for row in rows if row and (folder / f"fuzz-{row[0]}").is_file()]
    if not rows:
        print("\nFuzz targets: not built (ci/build fuzz).")
        return
    print("\n| fuzz target, sanitizers on | executions a second |\n| --- | --- |")
    for name, *seeds in rows:
        print(f"| {name} | {executions_a_second(folder / f'fuzz-{name}', seeds)} |")


def print_calibration(program):
    done = subprocess.run([program, "--benchmark_filter=calibration", "--benchmark_format=json",
                           "harness/tools/bench/twenty.spvasm"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    rows = [row for row in json.loads(done.stdout)["benchmarks"] if row["name"].startswith("calibration")]
    milliseconds = {"ns": 1e-6, "us": 1e-3, "ms": 1.0}
    print(f"\nCalibration loop (1 M multiply-adds): {rows[0]['cpu_time'] * milliseconds[rows[0]['time_unit']]:.3f} ms.")


def main(assay, calibration, targets, cases="512"):
    print_campaigns(assay, cases)
    print_targets(pathlib.Path(targets))
    print_calibration(calibration)


if __name__ == "__main__":
    main(*sys.argv[1:])
