# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the program under test, for the tests next to this file."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ASSAY = os.environ["ASSAY"]
SOURCE = pathlib.Path(os.environ["ASSAY_SOURCE_DIR"])
COMPUTE = SOURCE / "corpora" / "compute"

STATES = ["pass", "fail", "crash", "timeout", "oom", "unsupported", "invalid", "flaky", "tool_error"]

# Every invocation of one element of a buffer: its index, times three, minus one.
GOOD = """#!amber
SHADER compute s GLSL
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer B { int data[]; } b;
void main() {
  uint i = gl_GlobalInvocationID.x;
  b.data[i] = b.data[i] * 3 - 1;
}
END
BUFFER buf DATA_TYPE int32 DATA 0 1 2 3 4 5 6 7 END
PIPELINE compute p
  ATTACH s
  BIND BUFFER buf AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT buf IDX 0 EQ -1 2 5 8 11 14 17 20
"""


def run(*arguments, **options):
    """The finished process; stdout and stderr are text."""
    options.setdefault("timeout", 540)
    return subprocess.run([ASSAY, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, errors="replace", **options)


def run_json(*arguments):
    """Exit code and parsed stdout of a run with --format json."""
    done = run(*arguments, "--format", "json")
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise AssertionError(f"no JSON ({error}): {done.stdout[:300]} {done.stderr[:300]}") from None


def main_or_skip():
    """unittest.main(), except that a skipped test is no success: the exit code is 77 (ctest's "Skipped") when one was
    skipped and none failed."""
    result = unittest.main(exit=False).result
    for test, reason in result.skipped:
        print(f"skipped: {test.id()}: {reason}", file=sys.stderr)
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)


class CommandTest(unittest.TestCase):
    """A test with a folder of its own."""

    maxDiff = 4000

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def start(self, *command, **options):
        """A process that does not outlive the test."""
        child = subprocess.Popen(list(map(str, command)), **options)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def assertOneLine(self, text):
        self.assertEqual(text.count("\n"), 1, text)
        self.assertTrue(text.startswith("assay: "), text)
