#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the medians of a Google Benchmark JSON file as a Markdown table.

Usage: bench_table.py small|cache|compile|decode|draw|exec|interpret|validate RESULT.json
Benchmarks are called WHAT/INPUT; "calibration" is the loop that absolute figures are next to.
"""
import json
import math
import sys

MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0}

# What is compared when compiling, and its text.
COMPILERS = {
    "assay-O2": "assay, gfx1100, -O 2",
    "assay-O2-validated": "assay, gfx1100, -O 2, spirv-val first",
    "assay-O0": "assay, gfx1100, -O 0",
    "assay-a630": "assay, a630, -O 2",
    "aco": "RADV with ACO, navi31 null device",
    "radv-llvm": "RADV with LLVM, navi31 null device",
}
PEERS = ("aco", "radv-llvm")
# What is counted of code, and its text.
CODE = {"instructions": "instructions", "bytes": "bytes of code", "vgprs": "VGPRs, as allocated", "parameters": "exported parameters"}
KINDS = {"compute": "compute shaders", "graphics": "pipelines of vertex and fragment shaders"}
EXPLAINED = 1.3  # Ratios above it are listed; docs/performance.md says why they are.


class Results:
    def __init__(self, path):
        self.times, self.rates, self.labels, self.errors = {}, {}, {}, {}
        self.counters = {}  # Of the code, by compiler and name.
        self.names = {}  # Labels by the whole name.
        with open(path) as file:
            for row in json.load(file)["benchmarks"]:
                what, _, name = row["run_name"].partition("/")
                if row.get("error_occurred"):
                    self.errors.setdefault(what, {})[name] = row.get("error_message", "error")
                elif row.get("aggregate_name") == "median":
                    time = row["cpu_time"] * MILLISECONDS[row["time_unit"]]
                    self.times.setdefault(what, {})[name] = time
                    self.counters.setdefault(what, {})[name] = {key: row[key] for key in CODE if key in row}
                    if "items_per_second" in row:
                        self.rates.setdefault(what, {})[name] = row["items_per_second"]
                    self.labels[what] = self.names[row["run_name"]] = row.get("label", "")

    def calibration(self):
        return f"\nCalibration loop (1 M multiply-adds): {self.times['calibration']['']:.3f} ms."


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def describe(results, compiler):
    label = results.labels.get(compiler)
    return COMPILERS[compiler] + (f" ({label})" if label else "")


def print_small(results):
    ours = results.times.get("assay-O2") or results.errors["assay-O2"]
    name = next(iter(ours))
    base = results.times.get("assay-O2", {}).get(name)
    print("| compiler | ms, median of 9 | assay -O 2 takes |\n| --- | --- | --- |")
    for compiler in COMPILERS:
        text = describe(results, compiler)
        if name in results.times.get(compiler, {}):
            time = results.times[compiler][name]
            print(f"| {text} | {time:.3f} | {f'{base / time:.2f} x' if base else '-'} |")
        else:
            reason = results.errors.get(compiler, {}).get(name, "not run")
            print(f"| {text} | unsupported: {reason} | - |")


def code_ratios(results, peer, kind, what):
    """By name, Assay's count as a share of the peer's; those without are left out."""
    ratios = {}
    for name, theirs in results.counters.get(peer, {}).items():
        ours = results.counters.get("assay-O2", {}).get(name, {})
        if name.startswith(kind + "/") and ours.get(what) and theirs.get(what):
            ratios[name] = ours[what] / theirs[what]
    return ratios


def time_ratios(results, peer, kind, compiler="assay-O2"):
    times = results.times.get(peer, {})
    return {name: time / times[name] for name, time in results.times.get(compiler, {}).items()
            if name in times and name.startswith(kind + "/")}


def print_parameters(results):
    """How many pipelines export at most as many parameters as ACO's."""
    ours, theirs = (results.counters.get(which, {}) for which in ("assay-O2", "aco"))
    names = [name for name in ours if name in theirs and name.startswith("graphics/")]
    more = [name for name in names if ours[name]["parameters"] > theirs[name]["parameters"]]
    if names:
        print(f"\nExported parameters: at most ACO's in {len(names) - len(more)} of {len(names)} pipelines "
              f"({100 * (1 - len(more) / len(names)):.1f} %)" + "".join(f"\nmore: {name}" for name in more))


def print_ratios(results, kind):
    print(f"\n| {KINDS[kind]}, assay -O 2 as a share of | time | with spirv-val | " +
          " | ".join(CODE.values()) + " | count |\n" + "| --- " * (len(CODE) + 4) + "|")
    for peer in PEERS:
        times = time_ratios(results, peer, kind)
        if not times:
            reasons = sorted(set(results.errors.get(peer, {}).values())) or ["not run"]
            print(f"| {COMPILERS[peer]} | unsupported: {reasons[0]} |")
            continue
        cells = [times, time_ratios(results, peer, kind, "assay-O2-validated")]
        cells += [code_ratios(results, peer, kind, what) for what in CODE]
        print(f"| {describe(results, peer)} | " +
              " | ".join(f"{geomean(each.values()):.2f}" if each else "-" for each in cells) + f" | {len(times)} |")
    for peer in PEERS:
        for what in CODE:
            high = {name: ratio for name, ratio in code_ratios(results, peer, kind, what).items() if ratio > EXPLAINED}
            if high:
                print(f"\n{CODE[what]}, above {EXPLAINED} of {peer}: " +
                      ", ".join(f"{name} {ratio:.2f}" for name, ratio in sorted(high.items(), key=lambda row: -row[1])))


def print_compile(results):
    ours = results.times.get("assay-O2", {})
    print("| shader | assay -O 2, ms | of ACO's time | of RADV-LLVM's time |\n| --- | --- | --- | --- |")
    for name, time in sorted(ours.items()):
        cells = [f"{time / results.times[peer][name]:.2f} x"
                 if name in results.times.get(peer, {}) else "-" for peer in PEERS]
        print(f"| {name} | {time:.3f} | {' | '.join(cells)} |")
    for kind in KINDS:
        if any(name.startswith(kind + "/") for name in ours):
            print_ratios(results, kind)
    print_parameters(results)
    adreno = [time / ours[name] for name, time in results.times.get("assay-a630", {}).items() if name in ours]
    if adreno:
        print(f"\nA compilation for a630 takes {geomean(adreno):.2f} x the time of one for gfx1100 ({len(adreno)} compute shaders).")
    for peer in PEERS:
        for reason in sorted(set(results.errors.get(peer, {}).values())):
            count = list(results.errors[peer].values()).count(reason)
            print(f"\n{COMPILERS[peer]} does not compile {count}: {reason}")
    for name, reason in sorted(results.errors.get("assay-O2", {}).items()):
        print(f"\nassay does not compile {name}: {reason}")


def print_cache(results):
    fresh = results.times["fresh"]
    print("| what, next to a compilation for gfx1100 at -O 2 without spirv-val | geometric mean | worst |\n| --- | --- | --- |")
    for what, text in (("memory", "a hit in memory is faster by"), ("folder", "a hit in a folder is faster by")):
        ratios = [fresh[name] / time for name, time in results.times[what].items()]
        print(f"| {text} | {geomean(ratios):.0f} x | {min(ratios):.0f} x |")
    shares = [results.times["chain"][name] / time for name, time in fresh.items()]
    print(f"| the hash chain takes | {100 * geomean(shares):.2f} % | {100 * max(shares):.2f} % |")
    print(f"\n{len(fresh)} pipelines.")


def print_interpret(results):
    rates = results.rates["interpret"]
    print("| case | million SPIR-V instructions a second, one core |\n| --- | --- |")
    for name, rate in sorted(rates.items()):
        print(f"| {name} | {rate * 1e-6:.2f} |")
    print(f"\nGeometric mean of {len(rates)}: {geomean(rates.values()) * 1e-6:.2f} M/s.")


def print_draw(results):
    """Real time, since threads take processor time together."""
    one, two = results.rates["draw"], results.rates.get("draw2", {})
    print("| case | thousand fragments a second, one thread | ms an image of 256 x 256 | two threads are faster by |")
    print("| --- | --- | --- | --- |")
    strip = lambda name: name.split("/")[0]
    two = {strip(name): rate for name, rate in two.items()}
    times = []
    for name, rate in sorted(one.items()):
        times.append(1e3 * 65536 / rate)
        faster = f"{two[strip(name)] / rate:.2f} x" if strip(name) in two else "-"
        print(f"| {strip(name)} | {rate * 1e-3:.1f} | {times[-1]:.1f} | {faster} |")
    print(f"\nGeometric mean of {len(one)}: {geomean(one.values()) * 1e-3:.1f} thousand fragments a second; the median "
          f"image takes {sorted(times)[len(times) // 2]:.0f} ms.")
    for name, reason in sorted(results.errors.get("draw", {}).items()):
        print(f"\n{strip(name)}: unsupported: {reason}")


# What is measured of ELFs, and its text.
VALIDATORS = {
    ("validate", "without-code"): "assay validate-elf --no-code",
    ("validate", "with-code"): "assay validate-elf",
    ("llvm", "readelf"): "llvm-readelf --notes",
    ("llvm", "objdump"): "llvm-objdump -d",
}


def print_validate(results):
    print("| tool | ELFs a second, one core | of validate-elf's rate |\n| --- | --- | --- |")
    base = results.rates["validate"]["with-code"]
    for (what, name), text in VALIDATORS.items():
        name = name if what == "validate" else f"{name}/manual_time"
        rate = results.rates.get(what, {}).get(name)
        if rate:
            print(f"| {text} | {rate:.0f} | {rate / base:.2f} x |")
        else:
            reason = results.errors.get(what, {}).get(name, "not run")
            print(f"| {text} | unsupported: {reason} | - |")


def print_decode(results):
    print("| decoder | million instructions a second, one core |\n| --- | --- |")
    for name, text in (("own", "the project's, with text"), ("llvm", "LLVM's, with text")):
        print(f"| {text} | {results.rates['decode'][name] * 1e-6:.2f} |")


def print_exec(results):
    rates, times = results.rates["exec"], results.times["calibration"][""]
    print("| what runs | M instructions/s, sanitizer on | off | on / off |")
    print("| --- | --- | --- | --- |")
    for name, text in (("loop", "wave32 on gfx1100: loop of vector and scalar arithmetic"),
                       ("cases", f"wave32 on gfx1100: {results.names.get('exec/cases-plain')} cases, as assay compiles them"),
                       ("draws", f"wave32 on gfx1100: {results.names.get('exec/draws-plain')} draws, as assay compiles them"),
                       ("adreno-loop", "wave of 64 on a630: loop of arithmetic"),
                       ("adreno-cases", f"a630: {results.names.get('exec/adreno-cases-plain')} cases, as assay compiles them")):
        if f"{name}-plain" in rates:
            on, off = (rates[f"{name}-{mode}"] for mode in ("sanitized", "plain"))
            print(f"| {text} | {on * 1e-6:.2f} | {off * 1e-6:.2f} | {on / off:.2f} x |")
    on, off = (rates[f"loop-{mode}"] * times * 1e-9 for mode in ("sanitized", "plain"))
    print(f"\nThe loop executes {on:.4f} instructions a multiply-add of the calibration loop; "
          f"{off:.4f} without the sanitizer.")


PRINTERS = {"small": print_small, "cache": print_cache, "compile": print_compile, "decode": print_decode,
            "draw": print_draw, "exec": print_exec, "interpret": print_interpret, "validate": print_validate}


def main(what, path):
    results = Results(path)
    PRINTERS[what](results)
    print(results.calibration())
    return 1 if "assay-O2" in results.errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
