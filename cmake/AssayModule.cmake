# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# assay_module([EXCEPTIONS] [FOLDERS <folder>...] [DEPS <module>...] [TEST_DEPS <module>...]
#              [LINK <lib>...] [DRIVER_TESTS <pattern>])
#
# One folder = one module = one static library `assay.<a>.<b>`. All *.cpp / *.h in the folder and in
# its FOLDERS belong to it; *Test.cpp become the test program `assay.<a>.<b>.test`. DEPS is the single list that both
# links and permits #includes: the recorded graph goes to build/layers.txt, which
# ci/check_layers.py compares with the #includes. A DEPS entry must already exist, so cycles cannot
# be written. TEST_DEPS: further modules that only the tests may use. EXCEPTIONS: for a module that
# wraps a throwing library and catches at its border. LINK: libraries from outside.
# DRIVER_TESTS: a filter of GoogleTest (Suite.*) for the tests that need an installed Vulkan driver (*: all). They
# become a test `<a>/<b>/drivers` with label drivers, which ctest reports as skipped when one of them is.
function(assay_module)
  cmake_parse_arguments(arg "EXCEPTIONS" "DRIVER_TESTS" "FOLDERS;DEPS;TEST_DEPS;LINK" ${ARGN})
  file(RELATIVE_PATH dir ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "." suffix ${dir})
  set(target assay.${suffix})
  if(NOT BUILD_TESTING)
    set(arg_TEST_DEPS "")
  endif()
  assay_check_deps(${target} ${arg_DEPS} ${arg_TEST_DEPS})

  assay_glob(sources *.cpp ${arg_FOLDERS})
  assay_glob(headers *.h ${arg_FOLDERS})
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "Test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "Test\\.cpp$")
  assay_batch(sources)
  assay_batch(tests)

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
    assay_precompiled(${target}.test TESTS)
    assay_add_tests(${dir} ${target}.test "${arg_DRIVER_TESTS}")
  endif()
  assay_record_layer(${dir} "${arg_DEPS}" "${arg_TEST_DEPS}" ${arg_FOLDERS})
endfunction()

# assay_glob(<variable> <pattern> [<folder>...]): the files of the current folder and of these folders in it.
function(assay_glob variable pattern)
  list(TRANSFORM ARGN APPEND /${pattern} OUTPUT_VARIABLE patterns)
  file(GLOB found CONFIGURE_DEPENDS ${pattern} ${patterns})
  set(${variable} ${found} PARENT_SCOPE)
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

# assay_tool(<name> [EXCEPTIONS] [FOLDERS <folder>...] DEPS <module>... [LINK <lib>...]): the *.cpp of this
# folder and of its FOLDERS as one program in build/PRESET/bin.
function(assay_tool name)
  cmake_parse_arguments(arg "EXCEPTIONS" "" "FOLDERS;DEPS;LINK" ${ARGN})
  file(RELATIVE_PATH dir ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  assay_check_deps(${name} ${arg_DEPS})
  assay_glob(sources *.cpp ${arg_FOLDERS})
  assay_batch(sources)
  add_executable(${name} ${sources})
  list(TRANSFORM arg_DEPS PREPEND assay. OUTPUT_VARIABLE links)
  target_link_libraries(${name} PRIVATE ${links} ${arg_LINK} LLVM)
  assay_precompiled(${name} "${arg_EXCEPTIONS}")
  assay_record_layer(${dir} "${arg_DEPS}" "" ${arg_FOLDERS})
endfunction()

function(assay_check_deps target)
  foreach(dep IN LISTS ARGN)
    if(NOT TARGET assay.${dep})
      message(FATAL_ERROR "${target}: module '${dep}' is not above it; see docs/modules.md")
    endif()
  endforeach()
endfunction()

function(assay_record_layer dir deps test_deps)
  set_property(GLOBAL APPEND_STRING PROPERTY ASSAY_LAYERS "${dir}: ${deps} : ${test_deps} : ${ARGN}\n")
endfunction()

# The precompiled headers. A header compiled with -fno-exceptions is refused by a file with them. <kind>: empty,
# EXCEPTIONS or TESTS.
function(assay_precompiled target kind)
  if(kind STREQUAL "TESTS" AND TARGET assay.pch.tests)
    target_precompile_headers(${target} REUSE_FROM assay.pch.tests)
  elseif(kind)
    target_precompile_headers(${target} REUSE_FROM assay.pch.exceptions)
  else()
    target_compile_options(${target} PRIVATE -fno-exceptions)
    target_precompile_headers(${target} REUSE_FROM assay.pch)
  endif()
endfunction()

function(assay_make_precompiled)
  file(WRITE ${PROJECT_BINARY_DIR}/pch/empty.cpp "")
  set(headers
    <llvm/ADT/DenseMap.h> <llvm/ADT/SmallVector.h> <llvm/ADT/StringMap.h> <llvm/ADT/StringRef.h>
    <llvm/IR/IRBuilder.h> <llvm/IR/Module.h> <llvm/IR/PassManager.h> <llvm/Support/Error.h>
    <llvm/Support/JSON.h> <llvm/Support/raw_ostream.h> <map> <optional> <string> <vector>)
  set(headers_of_assay.pch.tests <gmock/gmock.h> <gtest/gtest.h>)
  set(kinds assay.pch assay.pch.exceptions)
  # GoogleTest's headers are large: a header of its own pays where everything is compiled once.
  if(ASSAY_UNITY AND BUILD_TESTING)
    list(APPEND kinds assay.pch.tests)
  endif()
  foreach(pch IN LISTS kinds)
    add_library(${pch} STATIC ${PROJECT_BINARY_DIR}/pch/empty.cpp)
    target_include_directories(${pch} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
    target_precompile_headers(${pch} PRIVATE ${headers} ${headers_of_${pch}})
  endforeach()
  target_compile_options(assay.pch PRIVATE -fno-exceptions)
  if(TARGET assay.pch.tests)
    # GoogleTest's headers depend on a definition that its target has.
    target_link_libraries(assay.pch.tests PRIVATE GTest::gmock)
  endif()
endfunction()
assay_make_precompiled()

# All generated files that a checker needs which reads sources but builds nothing: ci/lint.
add_custom_target(assay.generated)
