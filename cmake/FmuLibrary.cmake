# What goes into every FMU that Hooke exports: one shared library with the functions of FMI 2.0 and 3.0, which reads its
# model from the resources of the FMU. It is made of the rooms it needs, compiled for any x86-64, and needs libc and libm
# and nothing else: no YAML (fmi/runtime reads JSON), no HDF5, no METIS, BLAS or SuiteSparse.

set(light_sources)
foreach(room IN LISTS core_rooms ITEMS catalog analysis record io/document io/mesh io/model fmi/runtime)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hooke/${room}/*.cpp)
  list(APPEND light_sources ${found})
endforeach()
list(FILTER light_sources EXCLUDE REGEX "/io/document/yaml.cpp$|/fmi/runtime/fmi[23].*.cpp$")
foreach(file simulation/simulation simulation/handles simulation/checkpoint simulation/subsystems
        simulation/force_displacement simulation/coupling_stability fmi/observable fmi/manifest)
  list(APPEND light_sources ${PROJECT_SOURCE_DIR}/src/hooke/${file}.cpp)
endforeach()

add_library(hooke_light STATIC ${light_sources})
target_include_directories(hooke_light PUBLIC ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(hooke_light PUBLIC Eigen3::Eigen Threads::Threads)
target_compile_definitions(hooke_light PRIVATE HOOKE_VERSION="${PROJECT_VERSION}")
target_compile_options(hooke_light PRIVATE -ffunction-sections -fdata-sections)
target_precompile_headers(hooke_light PRIVATE
  <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span> <string>
  <string_view> <utility> <variant> <vector> <Eigen/Dense>)
set_target_properties(hooke_light PROPERTIES
  POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
hooke_compile_together(hooke_light)
hooke_portable_settings(hooke_light)
hooke_private_settings(hooke_light)

file(GLOB functions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hooke/fmi/runtime/fmi[23]*.cpp)
add_library(hooke_fmu MODULE ${functions})
target_link_libraries(hooke_fmu PRIVATE hooke_light)
target_compile_options(hooke_fmu PRIVATE -ffunction-sections -fdata-sections -fPIC)
target_compile_definitions(hooke_fmu PRIVATE HOOKE_VERSION="${PROJECT_VERSION}")
target_precompile_headers(hooke_fmu REUSE_FROM hooke_light)
hooke_private_settings(hooke_fmu)
set(exported ${PROJECT_SOURCE_DIR}/cmake/fmu_functions.map)
target_link_options(hooke_fmu PRIVATE -static-libgcc -static-libstdc++ -Wl,--gc-sections -Wl,--exclude-libs,ALL
  -Wl,--version-script=${exported} $<$<CONFIG:Release>:-s>)
set_target_properties(hooke_fmu PROPERTIES PREFIX "" DEFINE_SYMBOL "" LINK_DEPENDS ${exported}
                      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
