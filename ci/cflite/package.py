#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the fuzz targets of a build where a fuzz engine expects them: OUT/fuzz-T with its libraries in
OUT/lib, fuzz-T_seed_corpus.zip, fuzz-T.options and, where there is one, fuzz-T.dict.

  ci/cflite/package.py BUILD OUT     package
  ci/cflite/package.py --check OUT BUILD
                                     package, then start every target and look at every file: exit 1
                                     where one is missing, empty or can't be read
"""
import argparse
import configparser
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "fuzz" / "targets"
# Of every system; an engine's runner has its own.
SYSTEM = re.compile(r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|resolv))\.so")
# Its input is bitcode, which it mutates as IR and never as bytes.
WITHOUT_DICTIONARY = {"fat-pointers"}
# What ClusterFuzz takes of a seed corpus: 5 MiB a file.
MOST_SEED_BYTES = 5 << 20


def targets_of(build):
    """Name -> seed folders, as the build lists them."""
    lines = (build / "fuzz-targets.txt").read_text().split("\n")
    return {line.split()[0]: line.split()[1:] for line in lines if line.strip()}


def libraries_of(program):
    """The shared libraries that `program` loads, except for the system's."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    paths = re.findall(r"=> (/\S+)", text)
    return [pathlib.Path(path) for path in paths if not SYSTEM.match(pathlib.Path(path).name)]


def write_seeds(archive, folders):
    """Every file of the folders once, by its contents."""
    seeds = {}
    for folder in folders:
        for path in sorted(pathlib.Path(folder).iterdir()):
            contents = path.read_bytes()
            if len(contents) <= MOST_SEED_BYTES:
                seeds[hashlib.sha1(contents).hexdigest()] = contents
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for name, contents in sorted(seeds.items()):
            out.writestr(zipfile.ZipInfo(name), contents)


def package(build, out):
    (out / "lib").mkdir(parents=True, exist_ok=True)
    for name, folders in targets_of(build).items():
        program = build / "bin" / f"fuzz-{name}"
        shutil.copy2(program, out / program.name)
        for library in libraries_of(program):
            if not (out / "lib" / library.name).exists():
                shutil.copy2(library, out / "lib" / library.name)
        write_seeds(out / f"fuzz-{name}_seed_corpus.zip", folders)
        shutil.copy2(SOURCE / f"{name}.options", out / f"fuzz-{name}.options")
        if (SOURCE / f"{name}.dict").exists():
            shutil.copy2(SOURCE / f"{name}.dict", out / f"fuzz-{name}.dict")


def check_dictionary(path):
    """Wrong lines: libFuzzer's format is NAME="bytes with \\xHH, \\\\ and \\"", or the bytes alone."""
    entry = re.compile(r'^(\w+=)?"([^"\\]|\\x[0-9a-fA-F]{2}|\\\\|\\")+"$')
    lines = path.read_text().split("\n")
    return [line for line in lines if line and not line.startswith("#") and not entry.match(line)]


def check_target(name, out):
    """What is wrong with the files of one target, each a line."""
    target = out / f"fuzz-{name}"
    with zipfile.ZipFile(f"{target}_seed_corpus.zip") as archive:
        if archive.testzip() or not archive.namelist():
            yield f"{name}: no seeds"
    options = configparser.ConfigParser()
    options.read(f"{target}.options")
    if not {"max_len", "timeout", "rss_limit_mb"} <= set(options["libfuzzer"] if "libfuzzer" in options else ()):
        yield f"{name}: its options lack a limit"
    if name not in WITHOUT_DICTIONARY and not pathlib.Path(f"{target}.dict").exists():
        yield f"{name}: no dictionary"
    if pathlib.Path(f"{target}.dict").exists():
        for line in check_dictionary(pathlib.Path(f"{target}.dict")):
            yield f"{name}: not an entry of a dictionary: {line}"
    missing = [each.name for each in libraries_of(target) if not (out / "lib" / each.name).exists()]
    if missing:
        yield f"{name}: without its libraries {missing}"
    # An engine runs it on nothing first: that must do.
    run = subprocess.run([target, "-runs=0"] if is_engine(target) else [target], capture_output=True,
                         text=True, timeout=100, env={"LD_LIBRARY_PATH": str(out / "lib")})
    if run.returncode:
        yield f"{name}: does not start: {run.stderr[-500:]}"


def is_engine(target):
    """Whether it is linked with libFuzzer, not with the replay program."""
    return b"libFuzzer" in target.read_bytes()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", metavar="OUT", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path, nargs="?")
    arguments = parser.parse_args()
    out = arguments.check or arguments.out
    if not out:
        parser.error("OUT is missing")
    if arguments.check:
        shutil.rmtree(out, ignore_errors=True)
    package(arguments.build, out)
    wrong = []
    if arguments.check:
        for name in targets_of(arguments.build):
            wrong += check_target(name, out)
    print("\n".join(wrong) if wrong else f"{len(targets_of(arguments.build))} targets in {out}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
