# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes HEADER with the commit of SOURCE, "unknown" outside a git checkout.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                RESULT_VARIABLE status ERROR_QUIET)
if(NOT status EQUAL 0)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define ASSAY_COMMIT \"@commit@\"\n" @ONLY)
