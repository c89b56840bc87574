// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay bugs list|show|check: the bugs of other projects that bugs/ keeps.
#include "harness/bugs/Bug.h"
#include "harness/bugs/Check.h"
#include "harness/cli/Cli.h"
#include "harness/cli/Installed.h"
#include "support/Count.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <mutex>

using namespace llvm;
using namespace assay;

namespace {
/// Options of all three verbs; list and show ignore the last two.
struct BugsVerb {
  std::string folder = "bugs";
  std::vector<std::string> ids; ///< Empty: all bugs.
  std::string product;          ///< Only bugs of this project; empty: of any.
  std::string format = "text";  ///< text or json.
  unsigned jobs = 0;            ///< Reproducers at one time; 0: one for each core.
  double timeoutSeconds = 30;   ///< Of one reproducer.
};

/// A bug, which belongs to the caller's list, with what its reproducer showed.
struct Checked {
  const KnownBug *bug;
  BugResult result;
};
} // namespace

/// Returns the bugs that the command line names, or all where it names none, of the chosen product.
/// InvalidInput for an unknown id and for a folder with a malformed bug.
static Expected<std::vector<KnownBug>> chooseBugs(const BugsVerb &verb) {
  if (!sys::fs::is_directory(verb.folder))
    return invalidInput(verb.folder +
                        ": is not a folder; --bugs DIR names the one with a folder for "
                        "each bug");
  Expected<std::vector<KnownBug>> bugs = readBugs(verb.folder);
  if (!bugs)
    return bugs;
  for (const std::string &id : verb.ids)
    if (none_of(*bugs, [&](const KnownBug &bug) { return bug.id == id; }))
      return invalidInput("bug '" + id + "': " + verb.folder + " has no folder of this name");
  erase_if(*bugs, [&](const KnownBug &bug) {
    return (!verb.ids.empty() && !is_contained(verb.ids, bug.id)) ||
           (!verb.product.empty() && bug.product != verb.product);
  });
  return bugs;
}

/// Writes the attributes of an element of `bugs list --format json`.
static void writeBug(json::OStream &json, const KnownBug &bug) {
  json.attribute("id", bug.id);
  writeTextAttribute(json, "title", bug.title);
  json.attribute("product", bug.product);
  json.attribute("component", bug.component);
  json.attribute("kind", bug.kind);
  json.attribute("severity", bug.severity);
  json.attribute("evidence", bug.evidence);
  json.attribute("state", bug.status.state);
  json.attribute("upstream", bug.status.upstream);
}

/// Prints a row for each bug. Ids determine the width of the first column. With JSON it prints an
/// array without the last line, which has the count.
static int listBugs(const BugsVerb &verb, const Invocation &) {
  Expected<std::vector<KnownBug>> bugs = chooseBugs(verb);
  if (!bugs)
    return failUsage(bugs.takeError());
  if (verb.format == "json") {
    json::OStream json(outs(), 2);
    json.array([&] {
      for (const KnownBug &bug : *bugs)
        json.object([&] { writeBug(json, bug); });
    });
    outs() << "\n";
    return ExitGood;
  }
  size_t widest = 0;
  for (const KnownBug &bug : *bugs)
    widest = std::max(widest, bug.id.size());
  for (const KnownBug &bug : *bugs)
    outs() << left_justify(bug.id, widest + 2) << left_justify(bug.product, 13)
           << left_justify(bug.component, 14) << left_justify(bug.kind, 17)
           << left_justify(bug.severity, 8) << left_justify(bug.status.state, 10) << bug.title
           << "\n";
  outs() << countOf(bugs->size(), "bug") << "\n";
  return ExitGood;
}

/// Prints a paragraph for each bug, with the command that reproduces it.
static int showBugs(const BugsVerb &verb, const Invocation &) {
  Expected<std::vector<KnownBug>> bugs = chooseBugs(verb);
  if (!bugs)
    return failUsage(bugs.takeError());
  for (const KnownBug &bug : *bugs) {
    outs() << bug.id << ": " << bug.title << "\n"
           << "  " << bug.product << " " << bug.component << ", " << bug.kind << ", severity "
           << bug.severity << ", evidence: " << bug.evidence << "\n"
           << "  seen: " << bug.firstVersion << " to " << bug.lastVersion << "; "
           << bug.status.state
           << (bug.status.upstream.empty() ? "" : ", upstream " + bug.status.upstream) << "\n"
           << "  specification: " << bug.specification << "\n"
           << "  expected: " << bug.expected << "\n"
           << "  actual: " << bug.actual << "\n"
           << "  command (in " << bug.folder << "): " << bug.command << "\n";
  }
  return ExitGood;
}

/// Returns the words that both formats use.
static StringRef nameOf(BugOutcome outcome) {
  switch (outcome) {
  case BugOutcome::Reproduced:
    return "reproduced";
  case BugOutcome::NotReproduced:
    return "not reproduced";
  case BugOutcome::Skipped:
    return "skipped";
  }
  llvm_unreachable("all outcomes have a name");
}

/// Runs the reproducers of \p bugs in parallel and returns the results in the order of \p bugs. The
/// project's programs are found next to assay. Errors of all reproducers that could not be run are
/// returned together.
static Expected<std::vector<Checked>> checkAll(const std::vector<KnownBug> &bugs,
                                               const BugsVerb &verb, const Invocation &invocation) {
  BugCheckOptions options;
  options.timeoutSeconds = verb.timeoutSeconds;
  SmallString<128> program(invocation.program);
  sys::fs::make_absolute(program);
  options.programFolder = sys::path::parent_path(program);
  options.mesaVersion = findMesaVersion();
  std::vector<Checked> checked(bugs.size());
  Error problems = Error::success();
  std::mutex mutex;
  DefaultThreadPool pool(hardware_concurrency(verb.jobs));
  for (size_t i = 0; i < bugs.size(); ++i)
    pool.async([&, i] {
      Expected<BugResult> result = checkBug(bugs[i], options);
      std::lock_guard lock(mutex);
      if (result)
        checked[i] = {&bugs[i], std::move(*result)};
      else
        problems = joinErrors(std::move(problems), result.takeError());
    });
  pool.wait();
  if (problems)
    return std::move(problems);
  return checked;
}

/// Prints a line for each bug, or a JSON array of id, outcome and reason.
static void printChecked(ArrayRef<Checked> checked, const BugsVerb &verb) {
  if (verb.format == "json") {
    json::OStream json(outs(), 2);
    json.array([&] {
      for (const Checked &each : checked)
        json.object([&] {
          json.attribute("id", each.bug->id);
          json.attribute("outcome", nameOf(each.result.outcome));
          writeTextAttribute(json, "reason", each.result.reason);
        });
    });
    outs() << "\n";
    return;
  }
  for (const Checked &each : checked) {
    outs() << left_justify(nameOf(each.result.outcome), 16) << each.bug->id;
    if (!each.result.reason.empty())
      outs() << ": " << each.result.reason;
    outs() << "\n";
  }
}

/// Runs all reproducers. Findings if a bug no longer reproduces; unsupported if all were skipped.
/// The summary line is printed for text only.
static int checkBugs(const BugsVerb &verb, const Invocation &invocation) {
  Expected<std::vector<KnownBug>> bugs = chooseBugs(verb);
  if (!bugs)
    return failUsage(bugs.takeError());
  Expected<std::vector<Checked>> checked = checkAll(*bugs, verb, invocation);
  if (!checked)
    return fail(checked.takeError());
  printChecked(*checked, verb);
  auto count = [&](BugOutcome outcome) {
    return count_if(*checked, [&](const Checked &each) { return each.result.outcome == outcome; });
  };
  auto gone = count(BugOutcome::NotReproduced), skipped = count(BugOutcome::Skipped);
  if (verb.format == "text")
    outs() << countOf(checked->size(), "bug") << ": " << count(BugOutcome::Reproduced)
           << " reproduced, " << gone << " not reproduced, " << skipped << " skipped\n";
  if (gone)
    return ExitFindings;
  return size_t(skipped) == checked->size() && !checked->empty() ? ExitUnsupported : ExitGood;
}

/// All three verbs share folder, ids and product. `check` alone runs anything.
void assay::addBugs(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<BugsVerb>();
  CLI::App *bugs = app.add_subcommand("bugs", "Bugs of other projects that Assay found");
  bugs->require_subcommand(1);
  using Action = int (*)(const BugsVerb &, const Invocation &);
  auto add = [&](const char *name, const char *text, Action action) {
    CLI::App *verb = bugs->add_subcommand(name, text);
    verb->add_option("id", options->ids, "Names of bugs (default: all)");
    verb->add_option("--bugs", options->folder, "Folder that has a folder for each bug")
        ->capture_default_str();
    verb->add_option("--product", options->product, "Only bugs of this project");
    verb->callback([action, options, &invocation] {
      invocation.action = [action, options, &invocation] { return action(*options, invocation); };
    });
    return verb;
  };
  auto addFormat = [&](CLI::App *verb) {
    verb->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
  };
  addFormat(add("list", "A line for each bug", listBugs));
  add("show", "What is wrong, and how to see it", showBugs);
  CLI::App *check = add("check",
                        "Run the reproducers whose tools are installed; 1 where a bug no "
                        "longer reproduces, 77 where all are skipped",
                        checkBugs);
  addFormat(check);
  check->add_option("--jobs", options->jobs, "Reproducers at one time (default: number of cores)")
      ->check(CLI::Range(1, 4096));
  check->add_option("--timeout", options->timeoutSeconds, "Seconds a reproducer may take")
      ->check(secondsBetween(0.001, 1e6))
      ->capture_default_str();
}
