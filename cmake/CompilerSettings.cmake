# How everything in the project is compiled.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
if(HOOKE_SYMBOLS)
  string(APPEND CMAKE_CXX_FLAGS_RELEASE " -g1")  # enough for stack traces
endif()
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
set(CMAKE_CXX_FLAGS_QUICK "-O0")  # compiles fastest: does it compile at all?

# ccache caches nothing that uses a precompiled header unless told that macros and times in it are harmless.
find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_DEPEND=1  # headers by the list that the compiler writes: nothing is preprocessed twice
      ${CCACHE_PROGRAM})
endif()

if(HOOKE_SANITIZE)
  # -g1: full debug information of instrumented Eigen code takes minutes and gigabytes for one test file.
  add_compile_options(-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(HOOKE_FUZZ AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# The instructions the code may use, where the user does not say: those that most machines have, if this one does. FMUs
# are made of the same objects, so that they compute the same to the last bit, and go to other machines.
if(NOT HOOKE_PROCESSOR AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  include(CheckCXXSourceRuns)
  check_cxx_source_runs("int main() { return !(__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\")
    && __builtin_cpu_supports(\"bmi2\")); }" HOOKE_HAS_X86_64_V3)
  if(HOOKE_HAS_X86_64_V3)
    set(HOOKE_PROCESSOR x86-64-v3)
  endif()
endif()
set(processor_flags)
if(HOOKE_PROCESSOR STREQUAL "native")
  # Without AVX-512: 3- and 6-vectors do not fill its registers, and GCC 12 miscompiles its own headers' warnings.
  set(processor_flags -march=native -mno-avx512f)
elseif(HOOKE_PROCESSOR)
  set(processor_flags -march=${HOOKE_PROCESSOR})
endif()

# What whoever links the library must share with it.
function(hooke_public_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} PUBLIC
    # Threads are Hooke's own decision (and results must not depend on their number): Eigen starts none.
    EIGEN_DONT_PARALLELIZE
    # Eigen would take its alignment from the instruction set, and objects compiled with another -march would
    # disagree about the layout of every class that holds a vector. Fixed to that of AVX, it depends on neither.
    EIGEN_MAX_ALIGN_BYTES=32 EIGEN_MAX_STATIC_ALIGN_BYTES=32)
  if(processor_flags)
    target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:${processor_flags}>)
  endif()
endfunction()

# What stays inside the project: warnings, and sqrt() as one instruction. Never -ffast-math: it breaks the NaN
# tests that catch a diverging step.
function(hooke_private_settings target)
  target_compile_options(${target} PRIVATE -fno-math-errno
    -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual -Wvla -Wextra-semi
    -Wno-missing-field-initializers)  # settings structs are filled with designated initializers
  if(HOOKE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wduplicated-cond -Wlogical-op -Wshadow
      -fpch-preprocess  # lets ccache see through the precompiled header
      -Wno-psabi
      # GCC 12 finds these in inlined Eigen and std::string code at -O3 where there is nothing to find.
      -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
    # Its garbage collector frees what a unit of Eigen needs again: a tenth of the time, for memory.
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-heapsize=800000")
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${target} PRIVATE -Wno-uninitialized)  # its own AVX-512 headers (GCC bug 105593)
    endif()
  else()
    target_compile_options(${target} PRIVATE
      -ffp-contract=fast  # a*b + c is one instruction across statements as well, as with GCC
      -Wno-deprecated-declarations  # libstdc++'s stable_sort uses what it calls deprecated
      -Wno-overlength-strings)  # the page of `hooke view`
    if(NOT HOOKE_PROCESSOR MATCHES "v3|native")
      target_compile_options(${target} PRIVATE -Wno-psabi)  # packs go in other registers without AVX: a library agrees
    endif()
  endif()
endfunction()

# Debug information goes to NAME.debug beside the program or shared library, where debuggers look for it.
function(hooke_keep_symbols_apart target)
  set(file $<TARGET_FILE:${target}>)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${CMAKE_OBJCOPY} --only-keep-debug ${file} ${file}.debug
    COMMAND ${CMAKE_STRIP} --strip-unneeded ${file}
    COMMAND ${CMAKE_OBJCOPY} --add-gnu-debuglink=${file}.debug ${file})
endfunction()

# Sources of one folder in one translation unit share what they include and instantiate. Not bodies and math: one
# unit of them takes longer than its sources do one by one (the compiler inlines by the size of the unit).
function(hooke_compile_together target)
  if(HOOKE_UNITY)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(GET folder FILENAME name)
      if(NOT name MATCHES "^(bodies|math)$" AND NOT source MATCHES "TARGET_OBJECTS")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name})
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
endfunction()
