# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ci/measure triage DIR: what becomes of the findings that `assay score --keep DIR --findings K` left: each is
minimized, its bundle replayed, what is left localised, and all sorted into buckets. The name of a finding, FAULT-NUMBER, is the
truth; nothing that is measured here sees it. Writes its tables into docs/triage.md."""
import collections
import concurrent.futures
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from page import rewrite

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "triage.md")
BEGIN = "<!-- From here on written by ci/measure triage. -->\n"
END = "<!-- To here. -->\n"
FAULT = re.compile(r'^FAULT\(\w+, "([\w-]+)", (\w+), "([\w-]+)"', re.M)
# Layers of faults that no pass of the compiler holds: there is nothing to localise.
LABORATORY = ("Process", "Reference", "Oracle", "Laboratory")
# What a worker may take: shaders of the corpus need a tenth of it, and what hangs is waited for.
LIMITS = ("--timeout", "10", "--memory-limit", "1024", "--jobs", "1")
MINIMIZED = re.compile(r"^(\d+) instructions of (\d+) in function bodies", re.M)


def fault_of(case):
    return case.rpartition("-")[0]


def read_catalogue():
    """{fault: (layer, place)} in the order of support/Faults.def."""
    with open(os.path.join(ROOT, "support", "Faults.def")) as file:
        return {name: (layer, place) for name, layer, place in FAULT.findall(file.read())}


def choose(arguments, findings):
    """The findings to look at: of --faults faults that are spread evenly over the catalogue, at most --findings each."""
    numbers = collections.defaultdict(list)
    for name in os.listdir(findings):
        fault, _, number = name.rpartition("-")
        numbers[fault].append(int(number))
    catalogue = read_catalogue()
    faults = [fault for fault in catalogue if fault in numbers]
    if arguments.faults:
        faults = [faults[i * len(faults) // arguments.faults] for i in range(min(arguments.faults, len(faults)))]
    chosen = [(place, f"{fault}-{number}") for fault in faults
              for place, number in enumerate(sorted(numbers[fault])[:arguments.findings or None])]
    # All faults have one before one has two; what hangs comes last.
    def order(each):
        place, name = each
        return catalogue[fault_of(name)][0] in LABORATORY, place
    return [name for _, name in sorted(chosen, key=order)]


def run_assay(arguments, *words, **options):
    begin = time.monotonic()
    done = subprocess.run([arguments.assay, *words], capture_output=True, text=True, check=False, **options)
    return done, round(time.monotonic() - begin, 1)


def minimize(arguments, folder, record):
    """By own reductions alone: ci/measure minimize says what spirv-reduce does. A fault that minimizing cannot be asked
    for (it needs a wrong oracle, or the finding does not come again) stays as it is, and the record says why."""
    fault = fault_of(os.path.basename(folder))
    done, seconds = run_assay(arguments, "minimize", folder, "--output", os.path.join(folder, "minimal"), "--bundle",
                              os.path.join(folder, "bundle"), "--plant", fault, "--max-total-time",
                              str(arguments.limit), "--quiet", "--no-spirv-reduce", *LIMITS)
    left = MINIMIZED.search(done.stdout)
    record["minimize_seconds"] = seconds
    if done.returncode or not left:
        record["refused"] = done.stderr.strip() or f"exit code {done.returncode}"
        return
    record["instructions"], record["before"] = map(int, left.groups())
    record["finished"] = "out of time" not in done.stdout
    with open(os.path.join(folder, "minimal", "predicate.json")) as file:
        record["state"] = json.load(file)["state"]


def localise(arguments, folder, record):
    fault = fault_of(os.path.basename(folder))
    done, record["localise_seconds"] = run_assay(arguments, "localize", folder, "--plant", fault, "--format", "json",
                                                 *LIMITS)
    if done.returncode:
        record["not_localised"] = done.stderr.strip() or f"exit code {done.returncode}"
        return
    result = json.loads(done.stdout)
    record["pass"], record["phase"], record["runs"] = result["pass"], result["phase"], result["runs"]


def read_commands(bundle):
    """The commands of the README's paragraph "See it"."""
    with open(os.path.join(bundle, "README.md")) as file:
        paragraph = file.read().partition("\n## See it\n\n")[2].partition("\n\n")[0]
    return [line.strip() for line in paragraph.splitlines() if line.startswith("    assay ")]


def replay(arguments, folder, record):
    """Runs what the bundle's README prints, in a new folder that holds the bundle alone."""
    bundle = os.path.join(folder, "bundle")
    if "instructions" not in record:
        return
    with tempfile.TemporaryDirectory() as clean:
        place = os.path.join(clean, "bundle")
        shutil.copytree(bundle, place)
        commands = read_commands(bundle)
        # Whatever the program is called, the commands say assay.
        programs = os.path.join(clean, "bin")
        os.mkdir(programs)
        os.symlink(os.path.realpath(arguments.assay), os.path.join(programs, "assay"))
        path = programs + os.pathsep + os.environ["PATH"]
        codes = [subprocess.run(command, shell=True, cwd=place, env={**os.environ, "PATH": path}, check=False,
                                capture_output=True).returncode for command in commands]
    record["replay"] = codes


def examine(arguments, folder):
    """What is known of one finding, as a file in its folder; what was found out once stays, except for what --again does
    again: localising, and all of what could not be minimized."""
    path = os.path.join(folder, "examined.json")
    record, steps = {}, (minimize, localise, replay)
    if os.path.exists(path):
        with open(path) as file:
            record = json.load(file)
        if not arguments.again:
            return record
        if record.pop("refused", None):
            for old in ("minimal", "bundle"):
                shutil.rmtree(os.path.join(folder, old), ignore_errors=True)
        else:
            steps = (localise,)
        record.pop("not_localised", None)
    for step in steps:
        step(arguments, folder, record)
    with open(path, "w") as file:
        json.dump(record, file, indent=1)
    return record


def examine_all(arguments, names):
    findings = os.path.join(arguments.folder, "findings")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        records = list(pool.map(lambda name: examine(arguments, os.path.join(findings, name)), names))
    return dict(zip(names, records))


def describe(bucket):
    """Its key, and what is known of the first case."""
    first = bucket["symptoms"][0]
    return " ".join(filter(None, (bucket["key"], "by", first["pass"] or "-", "of", first["operation"] or "-")))


def sort_into_buckets(arguments, names):
    """[(description, {fault: [case]})] of the buckets that `assay triage` makes of these findings alone."""
    with tempfile.TemporaryDirectory() as folder:
        # A campaign's folder that has no other results.
        wanted = set(names)
        shutil.copy(os.path.join(arguments.folder, "campaign.json"), folder)
        with open(os.path.join(arguments.folder, "results.jsonl")) as old, \
                open(os.path.join(folder, "results.jsonl"), "w") as new:
            new.writelines(line for line in old if json.loads(line)["id"] in wanted)
        os.symlink(os.path.realpath(os.path.join(arguments.folder, "findings")), os.path.join(folder, "findings"))
        done, _ = run_assay(arguments, "triage", folder, "--as-is", "--format", "json")
    if not done.stdout:
        sys.exit(done.stderr)
    buckets = []
    for bucket in json.loads(done.stdout)["buckets"]:
        faults = collections.defaultdict(set)
        for verdict in bucket["verdicts"]:
            faults[fault_of(verdict["case"])].add(verdict["case"])
        buckets.append((describe(bucket), {fault: sorted(cases) for fault, cases in faults.items()}))
    return buckets


Sorted = collections.namedtuple("Sorted", "findings faults buckets mixed split")


def count(buckets):
    of = collections.Counter(fault for _, faults in buckets for fault in faults)
    return Sorted(len({case for _, faults in buckets for cases in faults.values() for case in cases}), len(of),
                  len(buckets), sum(len(faults) > 1 for _, faults in buckets),
                  sum(number > 1 for number in of.values()))


def print_buckets(buckets):
    of = collections.defaultdict(list)
    for title, faults in buckets:
        for fault, cases in faults.items():
            of[fault].append((title, cases))
        if len(faults) > 1:
            print(f"mixed: {title}: {', '.join(sum(faults.values(), []))}")
    for fault, parts in of.items():
        if len(parts) > 1:
            print(f"split: {fault}:")
            for title, cases in parts:
                print(f"    {title}: {', '.join(cases)}")


def measure_sorting(arguments, names):
    """Rows of a table: all, those of what is compiled, every second fault of the catalogue, and the others."""
    catalogue = read_catalogue()
    order = [fault for fault in catalogue if fault in set(map(fault_of, names))]
    compiled = [fault for fault in order if catalogue[fault][0] not in LABORATORY]
    halves = {"all": order, "except for the laboratory's": compiled, "even": order[0::2], "odd": order[1::2]}
    rows = []
    for half, faults in halves.items():
        buckets = sort_into_buckets(arguments, [name for name in names if fault_of(name) in faults])
        if half == "all":
            print_buckets(buckets)
        rows.append((half, count(buckets)))
    return rows


def middle(values):
    return round(statistics.median(values), 1) if values else "-"


def measure_examination(records):
    """(lines of the page, whether the goals hold)."""
    places = read_catalogue()
    wrong = {name: record for name, record in records.items() if record.get("state") == "fail"}
    sizes = [record["instructions"] for record in wrong.values()]
    times = [record["minimize_seconds"] for record in wrong.values()]
    compiled = {name: record for name, record in records.items() if places[fault_of(name)][0] not in LABORATORY}
    found = [name for name, record in compiled.items()
             if places[fault_of(name)][1] in (record.get("pass"), record.get("phase"))]
    replayed = [name for name, record in records.items() if record.get("replay")]
    shown = [name for name in replayed if all(code == 1 for code in records[name]["replay"])]
    for name, record in records.items():
        for key in ("refused", "not_localised"):
            if key in record:
                print(f"{key}: {name}: {record[key]}")
    for name in sorted(set(compiled) - set(found)):
        print(f"elsewhere: {name}: {compiled[name].get('pass', '-')}, not {places[fault_of(name)][1]}")
    for name in sorted(set(replayed) - set(shown)):
        print(f"not replayed: {name}: {records[name]['replay']}")
    for name, record in wrong.items():
        if record["instructions"] > 30:
            print(f"large: {name}: {record['instructions']} instructions")
    lines = [
        "| of | number | |", "| --- | --- | --- |",
        f"| findings | {len(records)} | of {len(set(map(fault_of, records)))} faults |",
        f"| minimized | {sum('instructions' in record for record in records.values())} | |",
        f"| wrong code among them | {len(wrong)} | instructions in function bodies: median {middle(sizes)}, most "
        f"{max(sizes, default='-')}; {sum(size <= 30 for size in sizes)} with at most 30 |",
        f"| seconds of minimizing | {middle(times)} | median; most {max(times, default='-')}; "
        f"{sum(not record['finished'] for record in wrong.values())} out of time |",
        f"| localised | {len(found)} of {len(compiled)} | to the pass or phase that holds the fault; faults of the "
        "laboratory are left out |",
        f"| seconds of localising | {middle([r['localise_seconds'] for r in records.values()])} | median |",
        f"| bundles that replay | {len(shown)} of {len(replayed)} | by both commands of their README, in a clean "
        "folder |"]
    good = (all(size <= 30 for size in sizes) and len(found) * 10 >= len(compiled) * 9 and len(shown) == len(replayed)
            and sizes and middle(sizes) <= 12 and middle(times) < 120)
    return lines, good


def measure_triage(arguments):
    names = choose(arguments, os.path.join(arguments.folder, "findings"))
    if not names:
        sys.exit(f"ci/measure: there are no findings in {arguments.folder}")
    lines, good = measure_examination(examine_all(arguments, names))
    rows = measure_sorting(arguments, names)
    lines += ["", "| faults | findings | of faults | buckets | buckets a fault | mix faults | faults split |",
              "| --- | --- | --- | --- | --- | --- | --- |"]
    for half, result in rows:
        lines.append(f"| {half} | {result.findings} | {result.faults} | {result.buckets} | "
                     f"{result.buckets / result.faults:.2f} | {result.mixed} | {result.split} |")
    rewrite(PAGE, BEGIN, END, "\n".join(lines) + "\n")
    print("\n".join(lines))
    whole = rows[0][1]
    return good and whole.mixed == 0 and 0.92 * whole.faults <= whole.buckets <= 1.1 * whole.faults
