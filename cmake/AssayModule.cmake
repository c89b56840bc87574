# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# assay_module([EXCEPTIONS] [PCH none] [TABLEGEN <file.td>] [DEPS <module>...] [TEST_DEPS <module>...] [LINK <lib>...]
#              [DRIVER_TESTS <pattern>])
#
# One folder = one module = one static library `assay.<a>.<b>`. All *.cpp / *.h in the folder belong
# to it; *Test.cpp become the test program `assay.<a>.<b>.test`. DEPS is the single list that both
# links and permits #includes: the recorded graph goes to build/layers.txt, which
# ci/check_layers.py compares with the #includes. A DEPS entry must already exist, so cycles cannot
# be written. TEST_DEPS: further modules that only the tests may use. EXCEPTIONS: for a module that
# wraps a throwing library and catches at its border. LINK: libraries from outside.
# DRIVER_TESTS: a filter of GoogleTest (Suite.*) for the tests that need an installed Vulkan driver (*: all). They
# become a test `<a>/<b>/drivers` with label drivers, which ctest reports as skipped when one of them is.
function(assay_module)
  cmake_parse_arguments(arg "EXCEPTIONS" "DRIVER_TESTS" "DEPS;TEST_DEPS;LINK" ${ARGN})
  file(RELATIVE_PATH dir ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "." suffix ${dir})
  set(target assay.${suffix})
  assay_check_deps(${target} ${arg_DEPS} ${arg_TEST_DEPS})

  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB headers CONFIGURE_DEPENDS *.h)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "Test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "Test\\.cpp$")

  list(TRANSFORM arg_DEPS PREPEND assay. OUTPUT_VARIABLE links)
  list(TRANSFORM arg_TEST_DEPS PREPEND assay. OUTPUT_VARIABLE test_links)
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_sources(${target} ${scope} FILE_SET HEADERS
                 BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_include_directories(${target} SYSTEM ${scope} ${LLVM_INCLUDE_DIRS})
  target_link_libraries(${target} ${scope} ${links} ${arg_LINK} LLVM)
  if(sources)
    assay_precompiled(${target} "${arg_EXCEPTIONS}")
  endif()

  if(tests AND BUILD_TESTING)
    add_executable(${target}.test ${tests})
    target_link_libraries(${target}.test PRIVATE ${target} ${test_links} GTest::gmock GTest::gtest_main)
    target_compile_definitions(${target}.test PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                               ASSAY_BINARY_DIR="${PROJECT_BINARY_DIR}")
    assay_precompiled(${target}.test TRUE)
    assay_add_tests(${dir} ${target}.test "${arg_DRIVER_TESTS}")
  endif()
  assay_record_layer(${dir} "${arg_DEPS}" "${arg_TEST_DEPS}")
endfunction()

function(assay_add_tests dir program driver_tests)
  if(NOT driver_tests)
    add_test(NAME ${dir} COMMAND ${program})
    return()
  endif()
  if(NOT driver_tests STREQUAL "*")
    add_test(NAME ${dir} COMMAND ${program} --gtest_filter=-${driver_tests})
  endif()
  add_test(NAME ${dir}/drivers COMMAND ${program} --gtest_filter=${driver_tests})
  # The list of skipped tests is the end of the output; a list of failed ones would follow it.
  set_tests_properties(${dir}/drivers PROPERTIES LABELS drivers
    SKIP_REGULAR_EXPRESSION "tests?, listed below:\n(\\[  SKIPPED \\] [^\n]*\n)+$")
endfunction()

# assay_tool(<name> [EXCEPTIONS] DEPS <module>... [LINK <lib>...]): the *.cpp of this folder as one
# program in build/PRESET/bin.
function(assay_tool name)
  cmake_parse_arguments(arg "EXCEPTIONS" "" "DEPS;LINK" ${ARGN})
  file(RELATIVE_PATH dir ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  assay_check_deps(${name} ${arg_DEPS})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  add_executable(${name} ${sources})
  list(TRANSFORM arg_DEPS PREPEND assay. OUTPUT_VARIABLE links)
  target_link_libraries(${name} PRIVATE ${links} ${arg_LINK} LLVM)
  assay_precompiled(${name} "${arg_EXCEPTIONS}")
  assay_record_layer(${dir} "${arg_DEPS}" "")
endfunction()

function(assay_check_deps target)
  foreach(dep IN LISTS ARGN)
    if(NOT TARGET assay.${dep})
      message(FATAL_ERROR "${target}: module '${dep}' is not above it; see 'Layers' in ARCHITECTURE.md")
    endif()
  endforeach()
endfunction()

function(assay_record_layer dir deps test_deps)
  set_property(GLOBAL APPEND_STRING PROPERTY ASSAY_LAYERS "${dir}: ${deps} : ${test_deps}\n")
endfunction()

# The two precompiled headers: a header compiled with -fno-exceptions is refused by a file with them.
function(assay_precompiled target exceptions)
  if(exceptions)
    target_precompile_headers(${target} REUSE_FROM assay.pch.exceptions)
  else()
    target_compile_options(${target} PRIVATE -fno-exceptions)
    target_precompile_headers(${target} REUSE_FROM assay.pch)
  endif()
endfunction()

function(assay_make_precompiled)
  file(WRITE ${PROJECT_BINARY_DIR}/pch/empty.cpp "")
  foreach(pch assay.pch assay.pch.exceptions)
    add_library(${pch} STATIC ${PROJECT_BINARY_DIR}/pch/empty.cpp)
    target_include_directories(${pch} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
    target_precompile_headers(${pch} PRIVATE
      <llvm/ADT/DenseMap.h> <llvm/ADT/SmallVector.h> <llvm/ADT/StringMap.h> <llvm/ADT/StringRef.h>
      <llvm/IR/IRBuilder.h> <llvm/IR/Module.h> <llvm/IR/PassManager.h> <llvm/Support/Error.h>
      <llvm/Support/JSON.h> <llvm/Support/raw_ostream.h> <map> <optional> <string> <vector>)
  endforeach()
  target_compile_options(assay.pch PRIVATE -fno-exceptions)
endfunction()
assay_make_precompiled()

# All generated files that a checker needs which reads sources but builds nothing: ci/lint.
add_custom_target(assay.generated)
