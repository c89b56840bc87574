# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of everything whose input and output is text. %opt is LLVM's opt with the project's passes,
# %llc its code generator. ASSAY_BUILD names the build tree, ASSAY_LLVM_TOOLS LLVM's programs.
import os
import lit.formats

config.name = "compiler"
config.suffixes = [".ll", ".vert", ".frag", ".spvasm"]
config.excludes = ["Inputs"]
config.test_format = lit.formats.ShTest(execute_external=False)
build = os.environ["ASSAY_BUILD"]
tools = os.environ["ASSAY_LLVM_TOOLS"]
config.test_exec_root = os.path.join(build, "lit", config.name)
config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), tools, os.environ["PATH"]])
plugin = os.path.join(build, "lib", "AssayPasses.so")
config.substitutions.append(
    ("%opt", f"{tools}/opt -load-pass-plugin={plugin} -mtriple=amdgcn--amdpal -S"))
config.substitutions.append(("%llc", f"{tools}/llc -mtriple=amdgcn--amdpal"))
