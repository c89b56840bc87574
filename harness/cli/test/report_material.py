# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report with something of everything, for the tests of pages: a store of nights in which bugs come, go and come again, a
campaign with a minimized finding, and a result next to its baseline."""
import json

from command import GOOD, run

HOSTILE = "a<b>&\"'\x01 ]]><script>alert(1)<script>.amber"
CONFIGURATIONS = ("--machines", "spirv,gcn,vulkan:nodriver", "--targets", "gfx1100", "-O", "2")


def _diff(folder, name, *options):
    done = run("diff", folder / "cases", *CONFIGURATIONS, "--timings", "--format", "json", "--output", folder / name,
               *options)
    assert done.returncode in (0, 1), done.stderr
    return folder / name


def _make_cases(folder):
    cases = folder / "cases"
    cases.mkdir()
    (cases / "good.amber").write_text(GOOD)
    for name, factor in (("triple", 3), ("five", 5), ("seven", 7)):
        values = " ".join(str(i * factor) for i in range(8))
        (cases / f"{name}.amber").write_text(GOOD.replace("* 3 - 1", f"* {factor}").replace("-1 2 5 8 11 14 17 20", values))
    (cases / HOSTILE).write_text(GOOD.replace("8 11", "8 12"))
    (cases / "broken.spvasm").write_text("OpEntryPoint GLCompute\n")
    (cases / "graphics.amber").write_text(GOOD.replace("compute", "fragment"))


def _make_store(folder):
    """Five nights; a crash that is fixed and comes again, a wrong value that stays, one that is new in the last."""
    nights = [["compile-crash@good"], ["compile-crash@good", "wrong-subtract@good"], [], [],
              ["compile-crash@good", "compile-fatal-error@triple"]]
    for number, faults in enumerate(nights, 1):
        plants = [word for fault in faults for word in ("--plant", fault)]
        result = _diff(folder, f"night-{number}.json", *plants)
        done = run("triage", result, "--store", folder / "store", "--night", f"2026-12-0{number}", "--revision",
                   f"{number:07x}", "--clean-nights", "2", "--time", 1796000000000 + number * 86400000)
        assert done.returncode in (0, 1, 4), done.stderr
    return folder / "store"


def _make_campaign(folder):
    campaign, plant = folder / "campaign", ("--plant", "wrong-subtract")
    done = run("fuzz", "-o", campaign, "--seed", "5", "--profile", "small", "--cases", "8", "--batch", "2", *CONFIGURATIONS,
               "--quiet", *plant)
    assert done.returncode == 1, done.stderr
    finding = sorted((campaign / "findings").iterdir())[0]
    done = run("minimize", finding, "--targets", "gfx1100", "-O", "2", "--quiet", "--max-total-time", "4", *plant,
               "--output", finding / "minimal", "--bundle", finding / "bundle")
    assert done.returncode in (0, 1), done.stderr
    done = run("localize", finding, "--targets", "gfx1100", "-O", "2", *plant, timeout=60)
    assert done.returncode == 0, done.stderr
    done = run("triage", campaign, "--store", folder / "store", "--night", "2026-12-05", "--time", 1796000000000 + 5 * 86400000 + 1)
    assert done.returncode in (0, 1, 4), done.stderr
    return campaign


def _change_statistics(result, changed):
    """As if the code had been better in some and worse in others."""
    value = json.loads(result.read_text())
    for verdict in value["verdicts"]:
        for row in verdict["statistics"]:
            row[1] = max(0, row[1] + {"five.amber": 3, "seven.amber": -1}.get(verdict["case"], 0))
    changed.write_text(json.dumps(value))
    return changed


def make(folder, site):
    """The finished `assay report` that wrote the pages."""
    _make_cases(folder)
    store, campaign = _make_store(folder), _make_campaign(folder)
    now = _diff(folder, "now.json", "--plant", "compile-crash@good", "--plant", "wrong-subtract@triple")
    baseline = _change_statistics(folder / "night-3.json", folder / "baseline.json")
    return run("report", store, campaign, now, "--baseline", baseline, "--format", "html", "--output", site, "--title",
               "Nightly <report>")
