# cmake --install build/release --prefix DIR: the library, its headers, the program, the models, and what
# find_package(Hooke) needs. Headers go to include/hooke and keep their include lines ("frames/frame.h").

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Hooke)
set(HOOKE_MODELS_DIR ${CMAKE_INSTALL_DATADIR}/hooke/models)

install(TARGETS hooke EXPORT HookeTargets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hooke)
install(EXPORT HookeTargets NAMESPACE Hooke:: DESTINATION ${package_dir})
if(TARGET hooke_program)
  install(TARGETS hooke_program)
endif()

install(DIRECTORY DESTINATION ${HOOKE_MODELS_DIR})
if(EXISTS ${PROJECT_SOURCE_DIR}/models)
  install(DIRECTORY models/ DESTINATION ${HOOKE_MODELS_DIR})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/HookeConfig.cmake.in ${PROJECT_BINARY_DIR}/HookeConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS HOOKE_MODELS_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HookeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/HookeConfig.cmake ${PROJECT_BINARY_DIR}/HookeConfigVersion.cmake
              cmake/HookeDependencies.cmake
        DESTINATION ${package_dir})
