# Run by cpack on what it is about to pack: the tarball takes the libraries along that are not on every system. The
# program finds them by its path, which (unlike the newer RUNPATH) holds for the libraries of libraries, too.
if(CPACK_GENERATOR STREQUAL TGZ)
  file(GLOB_RECURSE programs ${CPACK_TEMPORARY_DIRECTORY}/*/bin/hooke)
  list(GET programs 0 program)
  cmake_path(GET program PARENT_PATH bin)
  file(GLOB own ${bin}/../lib/libhooke*.so.*.*.*)
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${program} LIBRARIES ${own} RESOLVED_DEPENDENCIES_VAR libraries
       PRE_EXCLUDE_REGEXES "^libhooke" "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv)\\.so")
  foreach(library IN LISTS libraries)
    file(INSTALL ${library} DESTINATION ${bin}/../lib FOLLOW_SYMLINK_CHAIN)
  endforeach()
endif()
