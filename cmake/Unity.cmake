# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Unity builds (ASSAY_UNITY): cmake/unity.py chooses which files of a module are compiled together. Files that have compile
# options of their own are compiled alone; they are listed here because one run of the script serves all modules. So are
# files that mean LLVM's Type where others of their folder see assay::ir3::Type.
set(ASSAY_ALONE oracles/machine/gcn_alu/Valu*.cpp oracles/machine/gcn_alu/Kernel.cpp support/CodeCountsTest.cpp
    harness/bugs/runner/*.cpp harness/peer/turnip/guest/*.cpp harness/peer/turnip/Install.cpp compiler/ir3/lower/*.cpp compiler/dialect/tablegen/*.cpp fuzz/targets/*.cpp)
foreach(file Alu AluStep AluTwo AluThree Rows Wave Program Footprint HazardChecker Timing Definedness AdrenoDispatch)
  list(APPEND ASSAY_ALONE oracles/machine/adreno/${file}.cpp)
endforeach()

set(ASSAY_UNITY_EXCEPT "" CACHE STRING "Folders, relative to the root, whose files are compiled one by one in a unity build: those that one works on")

function(assay_make_batches)
  set(files "")
  foreach(layer support compiler oracles reports fuzz corpora harness)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${layer}/*.cpp)
    list(APPEND files ${found})
  endforeach()
  file(GLOB alone RELATIVE ${PROJECT_SOURCE_DIR} ${ASSAY_ALONE})
  list(REMOVE_ITEM files ${alone})
  foreach(folder IN LISTS ASSAY_UNITY_EXCEPT)
    list(FILTER files EXCLUDE REGEX "^${folder}/")
  endforeach()
  # A file that changed may define another name, and then belong to another batch.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files} cmake/unity.py)
  list(JOIN files "\n" lines)
  file(WRITE ${PROJECT_BINARY_DIR}/unity/files.txt "${lines}\n")
  execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/unity.py ${PROJECT_SOURCE_DIR}
                          ${PROJECT_BINARY_DIR}/unity
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# assay_batch(<variable>): replaces the files of the current folder in the list by the batches that have them.
function(assay_batch variable)
  set(files "")
  foreach(file IN LISTS ${variable})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${file})
    if(ASSAY_UNITY AND DEFINED "ASSAY_BATCH_OF_${name}")
      list(APPEND files ${ASSAY_BATCH_OF_${name}})
    else()
      list(APPEND files ${file})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# assay_list_folders(<folder> <variable>): the folder and all folders below it that this build configures.
function(assay_list_folders folder variable)
  set(result ${folder})
  get_property(children DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS children)
    assay_list_folders(${child} below)
    list(APPEND result ${below})
  endforeach()
  set(${variable} ${result} PARENT_SCOPE)
endfunction()

# assay_check_batches(): the options that a CMakeLists.txt sets for a file would be lost where it is in a batch. To be
# called after all folders.
function(assay_check_batches)
  get_cmake_property(variables VARIABLES)
  list(FILTER variables INCLUDE REGEX "^ASSAY_BATCH_OF_")
  assay_list_folders(${PROJECT_SOURCE_DIR} configured)
  foreach(variable IN LISTS variables)
    string(REPLACE "ASSAY_BATCH_OF_" "" file ${variable})
    set(dir ${PROJECT_SOURCE_DIR}/${file})
    while(NOT EXISTS ${dir}/CMakeLists.txt)
      cmake_path(GET dir PARENT_PATH dir)
    endwhile()
    # Without BUILD_TESTING the folders that only tests use are not configured.
    if(NOT dir IN_LIST configured)
      continue()
    endif()
    get_source_file_property(options ${PROJECT_SOURCE_DIR}/${file} DIRECTORY ${dir} COMPILE_OPTIONS)
    if(options)
      message(FATAL_ERROR "${file} has compile options of its own: add it to ASSAY_ALONE (cmake/Unity.cmake)")
    endif()
  endforeach()
endfunction()

if(ASSAY_UNITY)
  assay_make_batches()
  include(${PROJECT_BINARY_DIR}/unity/batches.cmake)
endif()
