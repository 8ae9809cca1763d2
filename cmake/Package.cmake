# `make package`: a Debian package, and a tarball that runs wherever it is unpacked. Both hold the program, the
# libraries with their headers, the models, the manual page and the completion of the shell, built for any x86-64;
# hooke_core is there a second time for processors with AVX2 (HOOKE_DISPATCH).

set(help_dir ${PROJECT_BINARY_DIR}/help)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_custom_command(OUTPUT ${help_dir}/hooke.1 ${help_dir}/hooke VERBATIM
  COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/help_pages $<TARGET_FILE:hooke_program> ${help_dir}
  DEPENDS hooke_program tools/help_pages)
add_custom_target(help_pages ALL DEPENDS ${help_dir}/hooke.1 ${help_dir}/hooke)
install(FILES ${help_dir}/hooke.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${help_dir}/hooke DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME hooke)
set(CPACK_PACKAGE_VENDOR "the Hooke authors")
set(CPACK_PACKAGE_CONTACT "the Hooke authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_FILE_NAME hooke-${PROJECT_VERSION}-x86_64)
set(CPACK_STRIP_FILES OFF)  # hooke_keep_symbols_apart did
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/BundleLibraries.cmake)

set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libeigen3-dev)  # to compile against the headers
include(CPack)
