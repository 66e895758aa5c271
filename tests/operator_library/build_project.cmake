# Builds project/ in WORK_DIR, as somebody outside this tree would, with CXX, GENERATOR, DAVSIM_ROOT
# and the generator OPBUILD. ccache, where LAUNCHER names it, serves later runs.
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${out}${err}")
  endif()
endfunction()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${WORK_DIR} -G ${GENERATOR}
    -D CMAKE_CXX_COMPILER=${CXX} -D "CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
    -D DAVSIM_ROOT=${DAVSIM_ROOT} -D DAVSIM_OPBUILD=${OPBUILD} -D DAVSIM_ASCENDCL=${ASCENDCL}
    -D WITHOUT_PROGRAMS=${SANITIZE})
run(${CMAKE_COMMAND} --build ${WORK_DIR})

# Programs that call the operators by their generated functions. They are built without sanitizers
# and could not load a library with them.
if(NOT SANITIZE)
  run(${WORK_DIR}/call_add_custom)
  run(${WORK_DIR}/call_more)
  # Functions that are written by hand, with the checker.
  run(${CMAKE_COMMAND} -E env DAVSIM_CHECK=1 ${WORK_DIR}/call_own)
  # On an A3, with the checker.
  run(${CMAKE_COMMAND} -E env DAVSIM_SOC=Ascend910_9391 DAVSIM_CHECK=1
      ${WORK_DIR}/call_add_custom)
  # On two dies of an A2 and of an A3.
  foreach(system IN ITEMS atlas_a2_server:2 ascend_910c)
    run(${CMAKE_COMMAND} -E env DAVSIM_SYSTEM=${system} DAVSIM_CHECK=1 ${WORK_DIR}/call_ranks)
  endforeach()
  # Installed, a package has the device's folders. Its functions find the kernels from where they lie.
  run(${CMAKE_COMMAND} --install ${WORK_DIR} --prefix ${WORK_DIR}/opp --component operators)
  set(package ${WORK_DIR}/opp/packages/vendors/more)
  foreach(file IN ITEMS op_api/include/aclnn_join_custom.h op_api/lib/libmore_opapi.so
                        op_impl/ai_core/davsim/libmore.so)
    if(NOT EXISTS ${package}/${file})
      message(SEND_ERROR "the package has no ${file}")
    endif()
  endforeach()
  get_filename_component(runtime ${ASCENDCL} DIRECTORY)
  set(environment LD_LIBRARY_PATH=${package}/op_api/lib:${runtime}
      LD_PRELOAD=${package}/op_api/lib/libmore_opapi.so)
  run(${CMAKE_COMMAND} -E env ${environment} ${WORK_DIR}/call_more)
  file(RENAME ${package}/op_impl ${package}/elsewhere)
  run(${CMAKE_COMMAND} -E env ${environment} ${WORK_DIR}/call_more moved)
endif()

# The same operator by the vendor's functions, and as a folder without build files: what the build
# would compile is the same.
function(configure source folder)
  run(${CMAKE_COMMAND} -S ${source} -B ${WORK_DIR}/${folder} -G ${GENERATOR}
      -D CMAKE_CXX_COMPILER=${CXX} -D DAVSIM_ROOT=${DAVSIM_ROOT} -D DAVSIM_OPBUILD=${OPBUILD}
      ${ARGN})
endfunction()

function(expect_kernels file)
  file(STRINGS ${WORK_DIR}/${file} kernels REGEX "davsim_add_kernel")
  list(LENGTH kernels count)
  if(NOT count EQUAL 4)
    message(SEND_ERROR "expected AddCustom's kernels of two types and two keys in ${file}, found "
                       "${count}")
  endif()
endfunction()

# Options for the kernel of one operator are those of no other.
function(expect_line file pattern)
  file(STRINGS ${WORK_DIR}/${file} lines REGEX "${pattern}")
  list(LENGTH lines count)
  if(NOT count EQUAL ${ARGN})
    message(SEND_ERROR "expected ${ARGN} lines with ${pattern} in ${file}, found ${count}")
  endif()
endfunction()
file(STRINGS ${WORK_DIR}/more_operators/operators.cmake of_pick REGEX "pick_custom")
list(LENGTH of_pick of_pick)
expect_line(more_operators/operators.cmake "AUTO_SYNC OFF" ${of_pick})

expect_kernels(cust_operators/operators.cmake)
configure(${CMAKE_CURRENT_LIST_DIR}/vendor_project vendor)
expect_kernels(vendor/customize_operators/operators.cmake)
expect_line(vendor/customize_operators/operators.cmake "\"OWN=2\".* AUTO_SYNC OFF" 4)
configure(${DAVSIM_ROOT}/cmake/operator_project plain
          -D OPERATORS=${DAVSIM_ROOT}/examples/custom_operator)
expect_kernels(plain/cust_operators/operators.cmake)

# Tiling functions in a folder below op_host, those of another architecture, and tests.
set(folders ${WORK_DIR}/folders/scale)
file(COPY ${DAVSIM_ROOT}/examples/custom_operator/op_host
          ${DAVSIM_ROOT}/examples/custom_operator/op_kernel DESTINATION ${folders})
file(RENAME ${folders}/op_host ${folders}/op_tiling)
file(MAKE_DIRECTORY ${folders}/op_host)
file(RENAME ${folders}/op_tiling ${folders}/op_host/op_tiling)
file(WRITE ${folders}/op_host/op_tiling/arch35/other.cpp "#include \"no_such.h\"\n")
file(WRITE ${folders}/tests/ut/op_host/test_scale.cpp "#include \"no_such.h\"\n")
configure(${DAVSIM_ROOT}/cmake/operator_project in_folders -D OPERATORS=${WORK_DIR}/folders)
expect_kernels(in_folders/cust_operators/operators.cmake)

# What both sides include may stand beside the kernels: the host's side is compiled anew.
file(COPY ${DAVSIM_ROOT}/examples/custom_operator/op_host
          ${DAVSIM_ROOT}/examples/custom_operator/op_kernel DESTINATION ${WORK_DIR}/edited)
foreach(pass RANGE 1)
  configure(${DAVSIM_ROOT}/cmake/operator_project twice -D OPERATORS=${WORK_DIR}/edited)
  if(pass EQUAL 0)
    file(TOUCH ${WORK_DIR}/edited/op_kernel/add_custom.cpp)
  endif()
endforeach()
if(NOT ${WORK_DIR}/twice/cust_operators/op_host.so IS_NEWER_THAN
   ${WORK_DIR}/edited/op_kernel/add_custom.cpp)
  message(SEND_ERROR "a changed file of op_kernel left the host's side as it was")
endif()

# What is wrong about a project stops its configuration with the reason.
function(expect_refusal words)
  file(MAKE_DIRECTORY ${WORK_DIR}/wrong/op_host ${WORK_DIR}/wrong/op_kernel)
  file(WRITE ${WORK_DIR}/wrong/op_host/x.cpp "${host}")
  file(WRITE ${WORK_DIR}/wrong/op_kernel/x_custom.cpp "${kernel}")
  file(REMOVE_RECURSE ${WORK_DIR}/refused)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${DAVSIM_ROOT}/cmake/operator_project
                          -B ${WORK_DIR}/refused -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX}
                          -D DAVSIM_OPBUILD=${OPBUILD} -D OPERATORS=${WORK_DIR}/wrong
                  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  string(REGEX REPLACE "[ \n]+" " " flat "${out}${err}")
  string(FIND "${flat}" "${words}" found)
  if(status EQUAL 0 OR found EQUAL -1)
    message(SEND_ERROR "expected a failure that says '${words}', got status ${status}:\n${flat}")
  endif()
  # The reason, without all that was preprocessed before it.
  string(LENGTH "${flat}" length)
  if(length GREATER 20000)
    message(SEND_ERROR "the failure that says '${words}' takes ${length} characters")
  endif()
endfunction()

set(definition [[
#include "register/op_def_registry.h"
namespace ops {
struct XCustom : OpDef {
  explicit XCustom(const char* name) : OpDef(name) {
    Input("x").DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    Output("y").DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
    AICore().AddConfig("ascend910b");
  }
};
OP_ADD(XCustom);
}
]])
set(kernel "void x_custom() { if (TILING_KEY_IS(SOME_KEY)) return; }\n")
set(host "${definition}")
expect_refusal("TILING_KEY_IS takes a number; 'SOME_KEY' is no expression")
set(kernel "#include \"no_such_header.h\"\n")
expect_refusal("no_such_header.h: No such file")
string(REPLACE "OP_ADD(XCustom)" "OP_ADD(XCustoms)" host "${definition}")
expect_refusal("the sources of op_host do not compile")
string(REPLACE "XCustom" "YCustom" host "${definition}")
expect_refusal("the kernel of operator YCustom is in")
string(REPLACE "Output(\"y\").DataType({ge::DT_FLOAT16, ge::DT_FLOAT})" "Output(\"y\")" host
       "${definition}")
expect_refusal("operator XCustom: y has no DataType")
