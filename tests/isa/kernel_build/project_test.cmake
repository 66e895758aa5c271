# Builds project/ in WORK_DIR: incrementally, and with every mistake that davsim_add_kernel
# explains.
# Needs DAVSIM_ROOT, DAVSIM_CC, WORK_DIR, GENERATOR and CXX.
set(source ${WORK_DIR}/source)
set(binary ${WORK_DIR}/build)
file(REMOVE_RECURSE ${WORK_DIR})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/project/ DESTINATION ${source})

# Configures with further definitions; sets status and output.
function(configure)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${binary} -G ${GENERATOR}
                          -D CMAKE_CXX_COMPILER=${CXX} -D DAVSIM_ROOT=${DAVSIM_ROOT}
                          -D DAVSIM_CC_PROGRAM=${DAVSIM_CC} ${ARGN}
                  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(status ${status} PARENT_SCOPE)
  set(output "${out}${err}" PARENT_SCOPE)
endfunction()

function(build)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${binary}
                  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(status ${status} PARENT_SCOPE)
  set(output "${out}${err}" PARENT_SCOPE)
endfunction()

# The last step must have failed and said `words`. CMake breaks lines in messages; so compare words.
function(expect_failure words)
  string(REGEX REPLACE "[ \n]+" " " flat "${output}")
  string(FIND "${flat}" "${words}" found)
  if(status EQUAL 0 OR found EQUAL -1)
    message(SEND_ERROR "expected a failure that says '${words}', got status ${status}:\n${output}")
  endif()
endfunction()

function(expect_program_prints expected)
  build()
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the project does not build:\n${output}")
  endif()
  execute_process(COMMAND ${binary}/program OUTPUT_VARIABLE printed)
  if(NOT printed STREQUAL "${expected}\n")
    message(SEND_ERROR "expected '${expected}', the program prints '${printed}'")
  endif()
endfunction()

configure()
expect_program_prints("aic 11 aiv 12")

# A changed header, then a changed source. File times may be no finer than a second.
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
file(WRITE ${source}/kernel/answer.hpp "#define ANSWER 20\n")
expect_program_prints("aic 21 aiv 22")
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
file(READ ${source}/kernel/kernel.cpp kernel)
string(REPLACE "ANSWER +" "ANSWER + 100 +" kernel "${kernel}")
file(WRITE ${source}/kernel/kernel.cpp "${kernel}")
expect_program_prints("aic 121 aiv 122")

# A kernel as samples have them: C++ linkage, a type from the build, host code that launches, signs
# mixed up, the bits of a float through a pointer.
file(WRITE ${source}/kernel/sample.asc [[
#include "answer.hpp"
#include "ascendc/language.h"

#if defined(__DAV_VEC__) == defined(__DAV_CUBE__)
#error one of them is the core
#endif

__global__ __aicore__ void answer(DTYPE_OUT* out) {
  float one = 1.0f;
  *out = *reinterpret_cast<int32_t*>(&one) >> 23;
  int32_t count = g_coreType;
  for (uint32_t i = 0; i < count; ++i) *out += ANSWER;
}

void answer_do(uint32_t blocks, void* stream, DTYPE_OUT* out) {
  answer<<<blocks, nullptr, stream>>>(out);
}
]])
configure(-DKERNEL_ARGUMENTS=NAME,answer,SOURCE,sample.asc,DEFINITIONS,DTYPE_OUT=int)
expect_program_prints("aic 147 aiv 167")
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
file(APPEND ${source}/kernel/sample.asc "#error of the kernel\n")
build()
expect_failure("sample.asc:18:2: error: #error of the kernel")

# The source does not define what NAME says: not at all, in a namespace, twice, in one half only.
configure(-DKERNEL_ARGUMENTS=NAME,question,SOURCE,kernel.cpp)
build()
expect_failure("kernel.cpp does not define the kernel's entry point.")
expect_failure("__global__ __aicore__ void question(...)")
file(WRITE ${source}/kernel/hidden.cpp "namespace my { void answer(int*) {} }\n")
configure(-DKERNEL_ARGUMENTS=NAME,answer,SOURCE,hidden.cpp)
build()
expect_failure("hidden.cpp does not define the kernel's entry point.")
file(WRITE ${source}/kernel/twice.cpp "void answer(int*) {}\nvoid answer(float*) {}\n")
configure(-DKERNEL_ARGUMENTS=NAME,answer,SOURCE,twice.cpp)
build()
expect_failure("twice.cpp defines 2 functions of the kernel's name.")
file(WRITE ${source}/kernel/one_half.cpp
     "#ifdef __DAV_C220_VEC__\nextern \"C\" void answer(int*) {}\n#endif\n")
configure(-DKERNEL_ARGUMENTS=NAME,answer,SOURCE,one_half.cpp)
build()
expect_failure("Kernel answer (aic):")

# Wrong calls stop the configuration.
configure(-DKERNEL_ARGUMENTS=NAME,answer)
expect_failure("NAME and SOURCE are required")
configure(-DKERNEL_ARGUMENTS=NAME,answer,SOURCE,missing.cpp)
expect_failure("missing.cpp does not exist")
configure(-DKERNEL_ARGUMENTS=NAME,answer,SOURCE,kernel.cpp,TYPE,MIX_1_2)
expect_failure("TYPE is MIX_1_2, allowed are AIV_ONLY, AIC_ONLY, MIX_AIV_1_0")
configure(-DKERNEL_ARGUMENTS=NAME,ns::answer,SOURCE,kernel.cpp)
expect_failure("NAME is 'ns::answer'")
configure(-DKERNEL_ARGUMENTS=NAME,answer,SOURCE,kernel.cpp,KIND,AIV_ONLY)
expect_failure("unknown arguments KIND;AIV_ONLY")
configure(-DKERNEL_ARGUMENTS=NAME,answer,SOURCE,kernel.cpp -DKERNEL_TARGET=nothing)
expect_failure("there is no target nothing")
