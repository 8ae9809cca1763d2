# Everything the library links, found in one place: the build includes this file, and so does the installed
# HookeConfig.cmake, so that a consumer finds exactly what the library was built with. HOOKE_ADDITIONS names what
# is used besides Eigen in hooke_core, HOOKE_CORE_ONLY says that hooke is not wanted.

find_package(Eigen3 3.4 REQUIRED)
find_package(Threads REQUIRED)

# Debian 12 ships no CMake files for SuiteSparse and HDF5, and CMake's own FindHDF5 wants the C language in
# every consumer, so these are looked up by header and library name.
function(hooke_find_libraries target header_suffixes header)
  find_path(HOOKE_${target}_INCLUDE_DIR ${header} PATH_SUFFIXES ${header_suffixes})
  mark_as_advanced(HOOKE_${target}_INCLUDE_DIR)
  if(NOT HOOKE_${target}_INCLUDE_DIR)
    message(FATAL_ERROR "Hooke: ${header} was not found; tools/setup lists the packages that are needed")
  endif()

  set(found)
  foreach(names IN LISTS ARGN)
    string(REPLACE "|" ";" names "${names}")
    list(GET names 0 first)
    find_library(HOOKE_${target}_${first}_LIBRARY NAMES ${names} PATH_SUFFIXES ${header_suffixes})
    mark_as_advanced(HOOKE_${target}_${first}_LIBRARY)
    if(NOT HOOKE_${target}_${first}_LIBRARY)
      message(FATAL_ERROR "Hooke: lib${first} was not found; tools/setup lists the packages that are needed")
    endif()
    list(APPEND found ${HOOKE_${target}_${first}_LIBRARY})
  endforeach()

  if(NOT TARGET Hooke::${target})
    add_library(Hooke::${target} INTERFACE IMPORTED)
    target_include_directories(Hooke::${target} SYSTEM INTERFACE ${HOOKE_${target}_INCLUDE_DIR})
    target_link_libraries(Hooke::${target} INTERFACE ${found})
  endif()
endfunction()

foreach(name IN LISTS HOOKE_ADDITIONS)
  if(name STREQUAL METIS)
    hooke_find_libraries(METIS "" metis.h metis)
  elseif(name STREQUAL KLU)
    hooke_find_libraries(KLU suitesparse klu.h klu btf amd colamd suitesparseconfig)
  elseif(name STREQUAL BLAS)
    hooke_find_libraries(BLAS openblas-pthread cblas.h openblas)
  elseif(name STREQUAL GPL)
    hooke_find_libraries(GPL suitesparse umfpack.h umfpack cholmod amd colamd camd ccolamd suitesparseconfig)
  endif()
endforeach()
if(NOT HOOKE_CORE_ONLY)
  find_package(yaml-cpp REQUIRED)
  hooke_find_libraries(HDF5 "hdf5/serial" hdf5.h "hdf5_serial|hdf5" "hdf5_serial_hl|hdf5_hl")
  find_package(pugixml REQUIRED)
  hooke_find_libraries(ZIP "" zip.h zip)
endif()
