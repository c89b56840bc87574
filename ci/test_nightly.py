# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ci/nightly around a program that only notes what it is asked: seeds, what steers, and what a night is compared with."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
# Notes its arguments; a campaign leaves its folder with its coverage, and campaign waves a finding.
PROGRAM = """#!/usr/bin/env bash
set -euo pipefail
printf '%s ' "$@" >>"$NOTES"
echo >>"$NOTES"
verb=$1
name=
while [ $# -gt 0 ]; do
  case $1 in
  --output) output=$2; shift ;;
  --steer) steer=$2; shift ;;
  --coverage) coverage=$2; shift ;;
  esac
  shift
done
case $verb in
fuzz)
  mkdir -p "$output"
  echo {} >"$output/campaign.json"
  [ -z "${steer-}" ] || [ -f "$output/steering.json" ] || echo {} >"$output/steering.json"
  echo {} >"$coverage"
  [ "$(basename "$output")" != waves ] || { mkdir -p "$output/findings/1"; exit 1; }
  ;;
report) mkdir -p "$(dirname "$output")"; [ -d "$output" ] || echo {} >"$output" ;;
minimize) mkdir -p "$output/../bundle" ;;
localize) exit "${LOCALIZE-0}" ;;
triage) [ -z "${output-}" ] || echo "no buckets" >"$output" ;;
esac
"""
CAMPAIGNS = ["assay", "transformed", "waves", "peers", "lavapipe"]


class Nightly(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(os.path.join(self.folder, "ci"))
        self.script = shutil.copy(os.path.join(HERE, "nightly"), os.path.join(self.folder, "ci"))
        self.program = os.path.join(self.folder, "program")
        with open(self.program, "w") as file:
            file.write(PROGRAM)
        os.chmod(self.program, 0o755)

    def path(self, *names):
        return os.path.join(self.folder, "nights", *names)

    def run_nightly(self, *arguments):
        self.notes = os.path.join(self.folder, "notes")
        if os.path.exists(self.notes):
            os.remove(self.notes)
        return subprocess.run([self.script, *arguments], env=dict(os.environ, NOTES=self.notes), capture_output=True,
                              text=True, check=False)

    def night(self, name, minutes="1"):
        """Lines of arguments by verb."""
        done = self.run_nightly("--minutes", minutes, "--assay", self.program, "--output", self.path(name))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.printed = done.stdout
        lines = {}
        with open(self.notes) as file:
            for line in file:
                lines.setdefault(line.split()[0], []).append(line.split())
        self.assertEqual(len(lines["fuzz"]), len(CAMPAIGNS))
        return lines

    @staticmethod
    def values(line, option):
        return [value for name, value in zip(line, line[1:]) if name == option]

    def seeds(self, lines):
        return [self.values(line, "--seed")[0] for line in lines["fuzz"]]

    def steering(self, lines):
        return [self.values(line, "--steer") for line in lines["fuzz"]]

    def known(self, lines):
        return self.values(lines["triage"][-1], "--known")

    def set_seed(self, name, seed):
        with open(self.path(name, "seed"), "w") as file:
            file.write(seed + "\n")

    def test_each_night_is_steered_by_those_before(self):
        first = self.night("2001-01-01")
        self.assertEqual(self.steering(first), [[]] * len(CAMPAIGNS))
        self.assertEqual(self.known(first), [])
        self.assertEqual(len(set(self.seeds(first))), len(CAMPAIGNS))
        second = self.night("2001-01-02")
        tables = [self.path("2001-01-01", name, "coverage.json") for name in CAMPAIGNS]
        self.assertEqual(self.steering(second), [[table] for table in tables])
        self.assertEqual(self.known(second), [self.path("2001-01-01", "result.json")])
        for day in range(3, 12):
            lines = self.night(f"2001-01-{day:02}")
        self.assertEqual(self.steering(lines)[0],
                         [self.path(f"2001-01-{day:02}", "assay", "coverage.json") for day in range(4, 11)])
        self.assertEqual(self.known(lines), [self.path("2001-01-10", "result.json")])

    def test_the_same_folder_goes_on(self):
        self.night("2001-01-01")
        self.set_seed("2001-01-01", "0101010000")
        self.night("2001-01-02")
        self.set_seed("2001-01-02", "0101020000")
        again = self.night("2001-01-02")
        self.assertEqual(self.seeds(again), [f"0101020000{number}" for number in range(len(CAMPAIGNS))])
        self.assertEqual(self.steering(again),
                         [[self.path("2001-01-02", name, "steering.json")] for name in CAMPAIGNS])
        self.assertEqual(self.known(again), [self.path("2001-01-01", "result.json")])
        self.assertEqual(self.values(again["triage"][0], "--night"), ["2001-01-02"])
        # A first night has nothing that steers it, its own coverage least of all.
        again = self.night("2001-01-01")
        self.assertEqual(self.steering(again), [[]] * len(CAMPAIGNS))
        self.assertEqual(self.known(again), [])

        self.assertEqual(os.path.realpath(self.path("last")), self.path("2001-01-02"))

    def test_findings_are_looked_into_once(self):
        lines = self.night("2001-01-01", minutes="4")  # Of which a twentieth is for findings.
        finding = self.path("2001-01-01", "waves", "findings", "1")
        self.assertEqual([line[1] for line in lines["minimize"] + lines["localize"]], [finding] * 2)
        self.assertNotIn("could not be", self.printed)
        self.assertNotIn("minimize", self.night("2001-01-01", minutes="4"))
        for code, said in (("77", False), ("3", True)):
            shutil.rmtree(self.path("2001-01-01", "waves", "findings", "1", "bundle"))
            with unittest.mock.patch.dict(os.environ, LOCALIZE=code):
                self.night("2001-01-01", minutes="4")
            self.assertEqual("could not be localised" in self.printed, said, code)

    def test_wrong_arguments_are_refused(self):
        for arguments in (["--minutes"], ["--minutes", "0"], ["--minutes", "x"], ["--nonsense", "1"], ["--assay", ""]):
            done = self.run_nightly(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("usage: ci/nightly", done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
