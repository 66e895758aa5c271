# compile(OPTIONS...): compiles SOURCE without a result; gives `status` and `errors`. Needs CXX and
# ROOT.
function(compile)
  execute_process(COMMAND ${CXX} -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I${ROOT}
                          -I${ROOT}/isa/include ${ARGN} ${SOURCE}
                  RESULT_VARIABLE status ERROR_VARIABLE errors OUTPUT_QUIET)
  set(status ${status} PARENT_SCOPE)
  set(errors "${errors}" PARENT_SCOPE)
endfunction()
