# Installs the build into an empty prefix, then configures, builds and tests projects that only know that prefix: what
# a user of the library does.

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
foreach(project IN LISTS PROJECTS)
  step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${project} -B ${WORK_DIR}/${project} -G ${GENERATOR}
       -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
  step(${CMAKE_COMMAND} --build ${WORK_DIR}/${project})
  step(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/${project} --output-on-failure --no-tests=error)
endforeach()
