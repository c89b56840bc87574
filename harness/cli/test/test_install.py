#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An installation into an empty folder, the Debian package, the manual page and the completion for bash."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from command import ASSAY, SOURCE, CommandTest, main_or_skip, run

BUILD = pathlib.Path(os.environ["ASSAY_BINARY_DIR"])
FILES = ["bin/assay", "bin/vulkan-runner", "bin/vulkan-draw", "share/assay/corpora/compute/saxpy.amber", "share/assay/bugs/README.md",
         "share/doc/assay/README.md", "share/doc/assay/LICENSE", "share/doc/assay/docs/command.md",
         "share/man/man1/assay.1", "share/bash-completion/completions/assay"]
NOT_BUILT = "target assay.installed is not built"


def verbs():
    """The verbs that `assay --help` lists."""
    listed = run("--help").stdout.split("Subcommands:\n")[1]
    return re.findall(r"(?m)^  ([a-z][\w-]*)", listed)


SANITIZED = "an instrumented program needs the libraries of its sanitizers"


@unittest.skipIf(os.environ.get("ASSAY_SANITIZE"), SANITIZED)
@unittest.skipUnless((BUILD / "share" / "assay.1").exists() and (BUILD / "lib" / "AssayPasses.so").exists(), NOT_BUILT)
class Installation(CommandTest):
    def check(self, *command, **options):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=540, **options)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout

    def check_tree(self, prefix):
        """All parts are at their places, and the program judges a case with nothing else at hand."""
        for name in FILES:
            self.assertTrue((prefix / name).is_file(), name)
        self.assertEqual(len(list(prefix.glob("lib/**/assay/AssayPasses.so"))), 1)
        self.assertEqual(list(prefix.rglob("CMakeLists.txt")) + list(prefix.rglob("*Test.cpp")), [])
        (self.folder / "home").mkdir(exist_ok=True)
        out = self.check(prefix / "bin" / "assay", "diff", prefix / "share/assay/corpora/compute/saxpy.amber",
                         "--targets", "gfx900,gfx1201", "-O", "2", cwd=self.folder / "home",
                         env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder / "home")})
        self.assertIn("3 verdicts: 3 pass", out)

    def test_cmake_installs_into_an_empty_root(self):
        root = self.folder / "root"
        self.check("cmake", "--install", BUILD, "--prefix", "/usr", "--strip", env=dict(os.environ, DESTDIR=str(root)))
        self.check_tree(root / "usr")

    def packages_of_libraries(self):
        """The Debian packages of the libraries that the installed programs are linked with."""
        names = set()
        for file in (ASSAY, BUILD / "bin" / "vulkan-runner", BUILD / "bin" / "vulkan-draw", BUILD / "lib" / "AssayPasses.so"):
            headers = self.check("llvm-readelf-22", "--dynamic-table", file)
            names |= set(re.findall(r"NEEDED.*\[(.*)\]", headers))
        paths = dict(re.findall(r"(?m)^\t(\S+) .*x86-64.* => (\S+)$", self.check("ldconfig", "-p")))
        owners = set()
        for name in names:
            # Debian 12 has /lib as a link to /usr/lib; packages name files by either.
            found = [subprocess.run(["dpkg", "-S", path], capture_output=True, text=True, timeout=60).stdout
                     for path in (paths[name], os.path.realpath(paths[name]))]
            owners.add(re.match(r"[^:]+", "".join(found)).group())
        return owners

    def test_debian_package(self):
        self.check("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", self.folder / "package",
                   cwd=self.folder)
        packages = list((self.folder / "package").glob("assay_*.deb"))
        self.assertEqual(len(packages), 1)
        depends = self.check("dpkg-deb", "--field", packages[0], "Depends").strip().split(", ")
        self.assertEqual(sorted(depends), sorted(self.packages_of_libraries()))
        self.check("dpkg-deb", "--extract", packages[0], self.folder / "root")
        self.check_tree(self.folder / "root" / "usr")


class Manual(CommandTest):
    def test_the_page_has_every_verb_and_option(self):
        page = run("manual", "man").stdout
        self.assertGreater(len(verbs()), 20)
        for verb in verbs():
            self.assertIn(f"\n.SS assay {verb}".replace("-", r"\-"), page)
            for option in re.findall(r"(?m)^  (?:-\w,)?(--[\w-]+)", run(verb, "--help").stdout):
                self.assertIn(option.replace("-", r"\-"), page, f"{verb} {option}")
        self.assertNotIn("plant", page)

    def test_the_page_has_no_errors(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        # A line that cannot be filled ("break") is no error: lists of names have no spaces.
        done = subprocess.run(["groff", "-man", "-ww", "-Wbreak", "-Tutf8", "-P-c"], input=run("manual", "man").stdout, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        plain = re.sub(".\b", "", done.stdout) # Bold is a character, a backspace, and the character again.
        self.assertIn("--targets, --target VALUE", plain)

    def complete(self, *words):
        script = self.write("assay.bash", run("manual", "bash").stdout)
        line = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(["bash", "-c", f". {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _assay; "
                                             "printf '%s\\n' \"${COMPREPLY[@]}\""], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_completion(self):
        self.assertEqual(sorted(self.complete("assay", "")), sorted(verbs()))
        self.assertEqual(self.complete("assay", "comp"), ["compile"])
        self.assertEqual(self.complete("assay", "compile", "--emit", "l"), ["lgc", "llvm"])
        self.assertIn("--targets", self.complete("assay", "diff", "case.amber", "--t"))
        self.assertEqual(sorted(self.complete("assay", "cache", "")), ["clear", "stat", "verify"])
        self.assertEqual(self.complete("assay", "diff", "ca"), [])
        self.assertEqual(self.complete("assay", "diff", "case.amber", "--", "--t"), [])


if __name__ == "__main__":
    main_or_skip()
