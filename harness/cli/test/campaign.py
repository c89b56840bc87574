# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Campaigns of a few small cases, for the tests next to this file."""
import time

from command import CommandTest, run

CAMPAIGN = ("--seed", "5", "--profile", "small", "--targets", "gfx1100", "-O", "2", "--quiet")


class CampaignTest(CommandTest):
    """A test with campaigns in its folder."""

    def fuzz(self, name, *options, cases=12):
        return run("fuzz", *CAMPAIGN, "--cases", cases, "-o", self.folder / name, *options)

    def contents(self, name):
        """Everything a campaign leaves, except for what depends on the order of its work."""
        folder = self.folder / name
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes()
                for path in files if path.name != "results.jsonl" and path.parent.name != "journal"}

    def await_results(self, name, child):
        """Until the campaign that child runs has kept a batch."""
        results = self.folder / name / "results.jsonl"
        deadline = time.monotonic() + 120
        while not results.exists():
            self.assertIsNone(child.poll(), "it ended before its first batch")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
