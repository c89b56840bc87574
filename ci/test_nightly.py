# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ci/nightly around a program that only notes what it is asked: seeds, what steers, and what a night is compared with."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
# Notes its arguments; a campaign leaves its folder with its coverage, and campaign waves a finding. END_CAMPAIGN=CODE in
# the environment, as in END_assay=77, is how one ends; HANG is one that ends with SIGTERM alone.
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
  [ "$(basename "$output")" != "${HANG-}" ] || {
    trap 'echo ended >>"$NOTES"; echo {} >"$output/result.json"; exit 0' TERM
    echo hangs >>"$NOTES"
    for _ in $(seq 600); do sleep 0.1; done
    exit 9
  }
  code=END_$(basename "$output")
  code=${!code-0}
  [ "$code" = 0 ] || [ "$code" = 77 ] || exit "$code"
  echo {} >"$output/result.json"
  echo {} >"$coverage"
  [ "$code" = 0 ] || exit "$code"
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
        self.notes = os.path.join(self.folder, "notes")

    def path(self, *names):
        return os.path.join(self.folder, "nights", *names)

    def run_nightly(self, *arguments):
        if os.path.exists(self.notes):
            os.remove(self.notes)
        return subprocess.run([self.script, *arguments], env=dict(os.environ, NOTES=self.notes), capture_output=True,
                              text=True, check=False)

    def night(self, name, minutes="1", code=0):
        """Lines of arguments by verb."""
        done = self.run_nightly("--minutes", minutes, "--assay", self.program, "--output", self.path(name))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.printed = done.stdout
        lines = self.noted()
        self.assertEqual(len(lines["fuzz"]), len(CAMPAIGNS))
        return lines

    def noted(self):
        lines = {}
        with open(self.notes) as file:
            for line in file:
                lines.setdefault(line.split()[0], []).append(line.split())
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
        for arguments in (["--minutes"], ["--minutes", "0"], ["--minutes", "x"], ["--minutes", "1.5"], ["--minutes", "-1"],
                          ["--nonsense", "1"], ["--assay", ""]):
            done = self.run_nightly(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("usage: ci/nightly", done.stderr)
        text = os.path.join(self.folder, "text")
        with open(text, "w") as file:
            file.write("No program.\n")
        for program in (os.path.join(self.folder, "nowhere"), self.folder, text):
            done = self.run_nightly("--minutes", "1", "--assay", program, "--output", self.path("2001-01-01"))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr, f"ci/nightly: there is no program {program}\n")
            self.assertFalse(os.path.exists(self.path()))

    def test_what_compares_nothing_is_said(self):
        with unittest.mock.patch.dict(os.environ, END_peers="77"):
            lines = self.night("2001-01-01")
        self.assertIn("campaign peers: nothing was compared", self.printed)
        self.assertEqual(len([word for word in lines["report"][0] if "/2001-01-01/" in word and "result" not in word]), 5)
        # Assay's own campaigns need nothing that may be missing.
        with unittest.mock.patch.dict(os.environ, END_transformed="77"):
            self.night("2001-01-02", code=1)
        self.assertIn("campaign transformed: nothing was compared", self.printed)

    def test_a_campaign_that_cannot_run_does_not_hide_the_others(self):
        with unittest.mock.patch.dict(os.environ, END_waves="2", END_peers="3"):
            first = self.night("2001-01-01", code=1)
        for name, code in (("waves", 2), ("peers", 3)):
            self.assertIn(f"campaign {name} could not run: exit code {code}", self.printed)
            self.assertNotIn(self.path("2001-01-01", name), first["report"][0])
        self.assertIn(self.path("2001-01-01", "lavapipe"), first["report"][0])
        again = self.night("2001-01-01")
        self.assertEqual(self.seeds(again), self.seeds(first))

    def test_a_night_that_is_stopped_reports_what_it_has(self):
        child = subprocess.Popen([self.script, "--minutes", "1", "--assay", self.program, "--output", self.path("2001-01-01")],
                                 env=dict(os.environ, NOTES=self.notes, HANG="transformed"), stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.kill)
        deadline = time.monotonic() + 60
        while not (os.path.exists(self.notes) and "hangs" in self.noted()):
            self.assertIsNone(child.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        child.terminate()
        out, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 0, out + err)
        lines = self.noted()
        self.assertIn("ended", lines)
        self.assertEqual(len(lines["fuzz"]), 2)
        self.assertNotIn("minimize", lines)
        campaigns = [self.path("2001-01-01", name) for name in ("assay", "transformed")]
        for report in lines["report"]:
            self.assertEqual([word for word in report if word in campaigns], campaigns)
        self.assertIn("stopped; the same command goes on", out)
        self.assertEqual(len(self.night("2001-01-01")["fuzz"]), len(CAMPAIGNS))


if __name__ == "__main__":
    sys.exit(unittest.main())
