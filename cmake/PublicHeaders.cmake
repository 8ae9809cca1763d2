cmake_policy(VERSION 3.25)  # also where it is included by the script of the installation

# The public headers: what the given headers (paths from src/ on) include with quotes, directly or not.
function(hooke_public_headers result source_dir)
  set(todo ${ARGN})
  set(found)
  while(todo)
    list(POP_FRONT todo header)
    if(NOT header IN_LIST found)
      list(APPEND found ${header})
      file(STRINGS ${source_dir}/${header} lines REGEX "^#include \"")
      list(TRANSFORM lines REPLACE "^#include \"([^\"]*)\".*" "\\1" OUTPUT_VARIABLE included)
      list(APPEND todo ${included})
    endif()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()
