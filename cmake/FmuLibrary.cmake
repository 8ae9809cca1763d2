# What goes into every FMU that Hooke exports: one shared library with the functions of FMI 2.0 and 3.0, which reads its
# model from the resources of the FMU. It is made of the library's own objects and needs libc and libm and nothing else:
# no YAML (fmi/runtime reads JSON), no HDF5, and the files that call METIS, BLAS or SuiteSparse are compiled without them.

hooke_sources(runtime_sources fmi/runtime)
list(FILTER runtime_sources EXCLUDE REGEX "/fmi/runtime/fmi[23].*.cpp$")

set(light_sources ${core_sources} ${model_sources} ${additions} ${runtime_sources})

add_library(hooke_light STATIC EXCLUDE_FROM_ALL
  $<TARGET_OBJECTS:hooke_core_objects> $<TARGET_OBJECTS:hooke_model_objects> ${additions} ${runtime_sources})
hooke_compile_settings(hooke_light)
target_compile_definitions(hooke_light PRIVATE HOOKE_VERSION="${PROJECT_VERSION}")
target_precompile_headers(hooke_light REUSE_FROM hooke_core_objects)

file(GLOB functions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hooke/fmi/runtime/fmi[23]*.cpp)
add_library(hooke_fmu MODULE ${functions})
target_link_libraries(hooke_fmu PRIVATE hooke_light)
target_compile_options(hooke_fmu PRIVATE -ffunction-sections -fdata-sections -fPIC)
target_compile_definitions(hooke_fmu PRIVATE HOOKE_VERSION="${PROJECT_VERSION}")
target_precompile_headers(hooke_fmu REUSE_FROM hooke_core_objects)
hooke_private_settings(hooke_fmu)
set(exported ${PROJECT_SOURCE_DIR}/cmake/fmu_functions.map)
target_link_options(hooke_fmu PRIVATE -static-libgcc -static-libstdc++ -Wl,--gc-sections -Wl,--exclude-libs,ALL
  -Wl,--version-script=${exported} -Wl,-Bsymbolic-functions $<$<CONFIG:Release>:-s>)
set_target_properties(hooke_fmu PROPERTIES PREFIX "" DEFINE_SYMBOL "" LINK_DEPENDS ${exported}
                      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# The same as text, for FMUs with sources (hooke export-fmu --sources): all that a C++20 compiler with Eigen needs.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hooke/*.h)
set(packed)
foreach(file IN LISTS light_sources functions headers)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src)
  string(APPEND packed "${file}\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/hooke_fmu_sources.txt CONTENT "${packed}")
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/hooke_fmu_sources.zip
  COMMAND ${CMAKE_COMMAND} -E tar cf ${PROJECT_BINARY_DIR}/hooke_fmu_sources.zip --format=zip
          --files-from=${PROJECT_BINARY_DIR}/hooke_fmu_sources.txt
  DEPENDS ${light_sources} ${functions} ${headers} ${PROJECT_BINARY_DIR}/hooke_fmu_sources.txt
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/src VERBATIM)
add_custom_target(hooke_fmu_sources ALL DEPENDS ${PROJECT_BINARY_DIR}/hooke_fmu_sources.zip)
