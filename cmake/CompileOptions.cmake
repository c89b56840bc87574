# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Flags that hold for every file of the project.
# -ffp-contract=off: reference and machine models compute exact IEEE results; a fused multiply-add
# that is uninitialized would change them. -fno-pch-timestamp lets ccache reuse precompiled headers.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffp-contract=off
                    "SHELL:-Xclang -fno-pch-timestamp" -fcolor-diagnostics)
# The modules of the compiler are linked into a program and into the plugin for LLVM's opt alike.
# As an option of every compilation: CMake's own property says -fPIE for programs, which can then not
# share the precompiled headers.
add_compile_options(-fPIC)
if(ASSAY_SANITIZE)
  add_compile_options(-fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
                      # libLLVM is built with RTTI but without sanitizers: its vtables can't be checked.
                      -fno-sanitize=vptr)
  add_link_options(-fsanitize=${ASSAY_SANITIZE})
  add_compile_definitions(ASSAY_SANITIZED)
  if(ASSAY_SANITIZE MATCHES "fuzzer")
    add_compile_definitions(ASSAY_FUZZER)
    add_compile_options(-fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/fuzz/targets/coverage-ignore.txt)
  endif()
endif()
if(ASSAY_FAULTS)
  add_compile_definitions(ASSAY_FAULTS)
endif()
if(ASSAY_COVERAGE)
  # Of the modules of the compiler alone (compiler/CMakeLists.txt). Continuous: workers that are killed leave what they
  # counted. The path is for programs that run while Assay is built; LLVM_PROFILE_FILE names another one.
  # The other counters are for `assay corpus --code` and `assay fuzz --coverage` (support/CodeCounts.h).
  set(ASSAY_COUNTERS -fsanitize-coverage=inline-bool-flag,pc-table -gline-tables-only)
  set(ASSAY_COVERAGE_FLAGS -fprofile-instr-generate=${PROJECT_BINARY_DIR}/profiles/%m.profraw -fprofile-continuous)
  add_link_options(${ASSAY_COVERAGE_FLAGS})
endif()
add_link_options(-fuse-ld=lld)
