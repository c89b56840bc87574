# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Everything found on the machine; one line a dependency. docs/dependencies.md says what each is for.
find_package(LLVM 22.1 REQUIRED CONFIG)
find_package(Threads REQUIRED)
# glslang 12's package config expects these three to exist already, in this order.
find_package(SPIRV-Tools REQUIRED CONFIG)
find_package(SPIRV-Tools-opt REQUIRED CONFIG)
find_package(glslang REQUIRED CONFIG)
find_package(Boost 1.74 REQUIRED COMPONENTS filesystem system)
find_package(CLI11 REQUIRED CONFIG)
find_package(msgpack REQUIRED CONFIG PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/msgpackc-cxx)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  # Its header includes GMP's, but nothing of GMP is called.
  find_library(MPFR_LIBRARY mpfr REQUIRED)
endif()
find_package(Vulkan REQUIRED)
find_package(benchmark QUIET)
if(NOT benchmark_FOUND)
  message(STATUS "harness/tools/bench is left out: Google Benchmark is not installed (ci/deps --test)")
endif()
find_package(SQLite3 REQUIRED)
find_package(PNG REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
