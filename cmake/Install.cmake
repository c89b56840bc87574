# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` copies, and the Debian package that CPack makes of it (ci/package). Target assay.installed builds
# all of it; the rest of the tree need not be built.
include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

set(documents ${PROJECT_BINARY_DIR}/share)
add_custom_command(OUTPUT ${documents}/assay.1 ${documents}/assay.bash DEPENDS assay VERBATIM
  COMMAND ${CMAKE_COMMAND} -E make_directory ${documents}
  COMMAND assay manual man -o ${documents}/assay.1
  COMMAND assay manual bash -o ${documents}/assay.bash)
add_custom_target(assay.installed ALL DEPENDS ${documents}/assay.1 ${documents}/assay.bash)
add_dependencies(assay.installed assay AssayPasses vulkan-runner vulkan-draw)

install(TARGETS assay vulkan-runner vulkan-draw RUNTIME)
install(TARGETS AssayPasses LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/assay)
install(DIRECTORY corpora bugs DESTINATION ${CMAKE_INSTALL_DATADIR}/assay
        PATTERN "*.cpp" EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE)
install(FILES README.md LICENSE ARCHITECTURE.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${documents}/assay.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${documents}/assay.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME assay)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "Assay")
set(CPACK_PACKAGE_CONTACT "Assay maintainers <maintainers@assay.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Shader compiler for AMD and Adreno GPUs, and a laboratory that tests it")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# The packages of the libraries that the programs are linked with; the test harness/cli/install compares. (CPack's own
# search, SHLIBDEPS, starts a process for each of a thousand files.)
set(CPACK_DEBIAN_PACKAGE_DEPENDS libboost-filesystem1.74.0 libboost-system1.74.0 libc6 libgcc-s1 libllvm22 libpng16-16
    libsqlite3-0 libstdc++6 libvulkan1 zlib1g)
list(JOIN CPACK_DEBIAN_PACKAGE_DEPENDS ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
include(CPack)
