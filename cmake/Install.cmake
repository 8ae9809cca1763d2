# cmake --install build/release --prefix DIR: the libraries, their public headers, the program, the models, and
# what find_package(Hooke) needs. Public is what hooke/hooke.h (hooke/core.h) includes, directly or not.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Hooke)
set(HOOKE_MODELS_DIR ${CMAKE_INSTALL_DATADIR}/hooke/models)

set(libraries hooke_core)
set(front_headers hooke/core.h)
if(NOT HOOKE_CORE_ONLY)
  list(APPEND libraries hooke hooke_commands)
  list(APPEND front_headers hooke/hooke.h)
  install(TARGETS hooke_program)
  install(FILES apps/hooke/program.h apps/hooke/command_line.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hooke)
  install(TARGETS hooke_fmu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/hooke)
  install(FILES ${PROJECT_BINARY_DIR}/hooke_fmu_sources.zip DESTINATION ${CMAKE_INSTALL_LIBDIR}/hooke)
endif()
install(TARGETS ${libraries} EXPORT HookeTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(HOOKE_PACKAGE)
  install(TARGETS hooke_core_v3 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/x86-64-v3 NAMELINK_SKIP)
endif()
install(EXPORT HookeTargets NAMESPACE Hooke:: DESTINATION ${package_dir})

# Found when installing, not when configuring: an include that comes or goes needs no new configuration.
install(CODE "
  include(${PROJECT_SOURCE_DIR}/cmake/PublicHeaders.cmake)
  hooke_public_headers(headers ${PROJECT_SOURCE_DIR}/src ${front_headers})
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH folder)
    file(INSTALL ${PROJECT_SOURCE_DIR}/src/\${header}
         DESTINATION \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/\${folder})
  endforeach()")

install(DIRECTORY models/ DESTINATION ${HOOKE_MODELS_DIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/HookeConfig.cmake.in ${PROJECT_BINARY_DIR}/HookeConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS HOOKE_MODELS_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HookeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/HookeConfig.cmake ${PROJECT_BINARY_DIR}/HookeConfigVersion.cmake
              cmake/HookeDependencies.cmake
        DESTINATION ${package_dir})
