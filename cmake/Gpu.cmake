# libhooke_cuda.so: steps on a graphics card, where CUDA's compiler is. It is loaded when a run asks for a device, so that
# no program needs CUDA's libraries to start. Machine code for Hopper, and what newer cards make their own of (PTX).
option(HOOKE_WITH_GPU "Build libhooke_cuda.so, where nvcc is found" ON)
find_program(HOOKE_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
if(NOT HOOKE_WITH_GPU OR NOT HOOKE_NVCC OR HOOKE_PACKAGE)
  return()
endif()
cmake_path(GET HOOKE_NVCC PARENT_PATH cuda_bin)
cmake_path(GET cuda_bin PARENT_PATH cuda_root)
set(cuda_library ${PROJECT_BINARY_DIR}/libhooke_cuda.so)
file(GLOB cuda_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hooke/gpu/*.h)
file(GLOB cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hooke/gpu/*.cu)
add_custom_command(OUTPUT ${cuda_library} VERBATIM
  DEPENDS ${cuda_sources} ${cuda_headers}
  COMMAND ${HOOKE_NVCC} -std=c++20 -O3 -shared -Xcompiler -fPIC -gencode arch=compute_90,code=[sm_90,compute_90]
          -I${PROJECT_SOURCE_DIR}/src ${cuda_sources} -o ${cuda_library}
          -lcublas -lcusolver -Xlinker -rpath=${cuda_root}/lib64)
add_custom_target(hooke_cuda ALL DEPENDS ${cuda_library})
install(FILES ${cuda_library} DESTINATION lib/hooke OPTIONAL)
