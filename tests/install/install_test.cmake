# Installs davsim into WORK_DIR/prefix and uses it from there: projects are copied to folders of their
# own and built as their users build them. Needs BUILD_DIR, SOURCE_DIR, WORK_DIR, GENERATOR, CXX and
# PART, what is tested; the part `install` comes first. With PREFIX, what is installed there is tested.
cmake_policy(VERSION 3.25)
set(prefix ${WORK_DIR}/prefix)
if(PREFIX)
  set(prefix ${PREFIX})
endif()
set(tree ${prefix}/lib/davsim/ascend)
set(ENV{DAVSIM_CC_CACHE} "")
# What a user's shell does not have.
unset(ENV{CMAKE_PREFIX_PATH})

function(step what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status
                  OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${out}\n${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
  set(err "${err}" PARENT_SCOPE)
endfunction()

# Copies all projects to a folder of this part's own.
function(copy_projects name)
  file(REMOVE_RECURSE ${WORK_DIR}/${name})
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/projects/ DESTINATION ${WORK_DIR}/${name})
endfunction()

# Builds an operator package with `commands` as in a shell that has sourced set_env.sh, installs it
# and runs a program that calls it.
function(expect_package name commands)
  # Without semicolons, which would make lists of the words.
  set(shell "source ${tree}/set_env.sh && export ASCEND_OPP_PATH=${WORK_DIR}/${name}/opp")
  step("building ${name}" bash -ec "${shell} && cd ${name}/${name} && ${commands}")
  step("installing ${name}" bash -ec "${shell} && ${name}/${name}/build_out/custom_opp_*.run --full && \
${name}/${name}/build_out/custom_opp_*.run --extract=${name}/unpacked && \
ls ${name}/unpacked/packages/vendors/customize/op_api/lib/libcust_opapi.so")
  step("building the program of ${name}" bash -ec "${shell} && export DDK_PATH=$ASCEND_HOME_PATH && \
export NPU_HOST_LIB=$ASCEND_HOME_PATH/lib64/stub && cd ${name}/operators_program && \
cmake -S . -B build && cmake --build build")
  step("running the program of ${name}" bash -ec "${shell} && \
source $ASCEND_OPP_PATH/vendors/customize/bin/set_env.bash && ${name}/operators_program/build/program")
  string(STRIP "${out}" out)
  if(NOT out STREQUAL "0 -3.5 -3.5")
    message(FATAL_ERROR "the program of ${name} prints '${out}': ${err}")
  endif()
endfunction()

# Copies a project, builds it and compares what its program prints.
function(expect_project name prints)
  copy_projects(${name})
  step("configuring ${name}" ${CMAKE_COMMAND} -S ${WORK_DIR}/${name}/${name}
       -B ${WORK_DIR}/${name}/build -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX} ${ARGN})
  step("building ${name}" ${CMAKE_COMMAND} --build ${WORK_DIR}/${name}/build)
  step("running ${name}" ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${tree}/lib64
       ${WORK_DIR}/${name}/build/program)
  string(STRIP "${out}" out)
  if(NOT out STREQUAL prints)
    message(FATAL_ERROR "${name} prints '${out}' and not '${prints}': ${err}")
  endif()
endfunction()

if(PART STREQUAL "install")
  file(REMOVE_RECURSE ${WORK_DIR})
  file(MAKE_DIRECTORY ${WORK_DIR})
  step(installing ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
  # Nothing installed leads back into the source tree or the build folder.
  file(GLOB_RECURSE texts ${prefix}/lib/cmake/* ${prefix}/lib/davsim/*.conf ${tree}/*.cmake)
  foreach(text IN LISTS texts)
    file(READ ${text} content)
    if(content MATCHES "${SOURCE_DIR}/" OR content MATCHES "${BUILD_DIR}/")
      message(SEND_ERROR "${text} names a folder of the build")
    endif()
  endforeach()
  # A name that programs open at run time has to be a library, and the same one.
  foreach(pair IN ITEMS "nnopbase ascendcl" "acl_op_compiler ascendcl" "runtime ascendcl"
                        "hccl ascendcl" "platform ascendcl" "register ascendcl" "tiling_api ascendcl"
                        "profapi ascendcl" "opapi_math opapi"
                        "opapi_nn opapi" "opapi_transformer opapi" "opapi_cv opapi")
    separate_arguments(pair)
    list(TRANSFORM pair REPLACE "(.+)" "${tree}/lib64/lib\\1.so")
    list(GET pair 0 name)
    list(GET pair 1 library)
    file(REAL_PATH ${name} of_name)
    file(REAL_PATH ${library} of_library)
    if(NOT of_name STREQUAL of_library)
      message(SEND_ERROR "${name} is not ${library}")
    endif()
  endforeach()
  find_program(man man)
  if(man)
    step("the man page" ${man} -l ${prefix}/share/man/man1/davsim-cc.1)
    if(NOT out MATCHES "usage: davsim-cc")
      message(SEND_ERROR "davsim-cc(1) has no usage:\n${out}")
    endif()
  endif()
  # The Python package finds the installed command.
  find_program(python python3 PATHS /usr/bin NO_DEFAULT_PATH)
  if(python)
    step("the Python package" ${CMAKE_COMMAND} -E env --unset=DAVSIM_PROGRAM
         PYTHONPATH=${prefix}/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 ${python} -c
         "import davsim, davsim._worker as w\nprint(w.program(), davsim.Device().operators)")
    if(NOT out MATCHES "^${prefix}/bin/davsim .*matmul")
      message(SEND_ERROR "the installed Python package uses '${out}'")
    endif()
  endif()
  # Completion offers what the program has.
  step("completion" bash -c "PATH=${prefix}/bin:$PATH && source \
${prefix}/share/bash-completion/completions/davsim && COMP_WORDS=(davsim run matmul --tr) && \
COMP_CWORD=3 && _davsim davsim && echo \"$COMPREPLY\"")
  if(NOT out STREQUAL "--trace\n")
    message(SEND_ERROR "completion of --tr gives '${out}'")
  endif()
  step("davsim list" ${prefix}/bin/davsim list)

elseif(PART STREQUAL "davsim_cc")
  file(COPY ${SOURCE_DIR}/examples/direct_launch/add_custom.asc DESTINATION ${WORK_DIR}/cc)
  step("compiling" ${prefix}/bin/davsim-cc cc/add_custom.asc -o cc/add_custom)
  step("running" ${WORK_DIR}/cc/add_custom)
  if(NOT out MATCHES "16384 sums are right")
    message(FATAL_ERROR "add_custom prints ${out}${err}")
  endif()
  # By the vendor's name, with the tree's folders.
  step("compiling by bisheng" ${tree}/bin/bisheng -x asc --npu-arch=dav-2201 -I${tree}/include
       -L${tree}/lib64 -lascendcl -ltiling_api cc/add_custom.asc -o cc/by_bisheng)
  # The layer below the runtime in the folder that newer releases have it in, named alone.
  file(WRITE ${WORK_DIR}/cc/layer.cpp "#include <runtime/rt_ffts.h>\n#include <runtime/rt.h>\n\
int main() { uint64_t at = 0; uint32_t n = 0; return rtGetC2cCtrlAddr(&at, &n) == RT_ERROR_NONE ? 0 : 1; }\n")
  step("compiling with the experimental headers" ${tree}/bin/bisheng
       -I${tree}/include/experiment/runtime cc/layer.cpp -o cc/layer)
  step("running it" ${WORK_DIR}/cc/layer)
  # The commands that scripts call beside it, after set_env.sh where the vendor has it as well.
  set(shell "source $(dirname ${tree})/set_env.sh && cd cc")
  step("profiling" bash -ec "${shell} && msprof op --application=./by_bisheng --output=prof && \
cat prof/OPPROF_*/OpBasicInfo.csv && grep 8.3 $ASCEND_HOME_PATH/version.cfg")
  if(NOT out MATCHES "16384 sums are right" OR NOT out MATCHES "add_custom,vector,[0-9.]+,8,")
    message(SEND_ERROR "msprof op gives ${out}${err}")
  endif()
  step("asking for the device" bash -ec "${shell} && DAVSIM_SOC=Ascend910B4 npu-smi info | \
awk 'NF > 0 && NR == 7 { print $3 }'")
  if(NOT out STREQUAL "910B4\n")
    message(SEND_ERROR "npu-smi info has the device '${out}' in line 7")
  endif()

elseif(PART STREQUAL "find_package")
  expect_project(add_kernel "7" -D CMAKE_PREFIX_PATH=${prefix})
elseif(PART STREQUAL "find_operators")
  expect_project(find_operators "0 -3.5 -3.5" -D CMAKE_PREFIX_PATH=${prefix})
  # A Matmul object with the tiling of a tiling function.
  step("running the product" ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${tree}/lib64
       ${WORK_DIR}/find_operators/build/product)
  if(NOT out STREQUAL "0, 32000 sums are right\n")
    message(SEND_ERROR "the product prints '${out}': ${err}")
  endif()
  step("listing" ${prefix}/bin/davsim list --operators ${WORK_DIR}/find_operators/build/libcust.so)
  if(NOT out MATCHES "NegCustom")
    message(SEND_ERROR "davsim list --operators does not name NegCustom:\n${out}")
  endif()
  # A project without regard to its own build files; configuring it compiles and reads its sources.
  step("configuring a project as it is" ${CMAKE_COMMAND} -S ${prefix}/lib/cmake/davsim/operator_project
       -B ${WORK_DIR}/find_operators/as_it_is -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX}
       -D OPERATORS=${WORK_DIR}/find_operators/operators_new)
  step("listing its targets" ${CMAKE_COMMAND} --build ${WORK_DIR}/find_operators/as_it_is --target help)
  if(NOT out MATCHES "cust_neg_custom_" OR NOT out MATCHES "cust_opapi")
    message(SEND_ERROR "a project as it is has the targets ${out}")
  endif()
elseif(PART STREQUAL "operators_new")
  copy_projects(operators_new)
  expect_package(operators_new "cmake --preset default && cmake --build build_out --target binary && \
cmake --build build_out --target package && \
ls build_out/op_kernel/ascendc_kernels/binary/ascend910b/*.o && \
grep -rq OPTIONS_OF_WORDS=8U build_out/CMakeFiles && \
nm build_out/op_host/libcust_opapi.so | grep -q \"T aclnnNegCustomGetWorkspaceSize\"")
  # The same as a library for find_package. Only what installs it is new.
  set(shell "source ${tree}/set_env.sh && cd operators_new")
  step("building the library" bash -ec "${shell}/operators_new && \
cmake --preset default -D package_type=SHARED && cmake --build build_out")
  step("building the program of the library" bash -ec "${shell}/operators_library && \
cmake -S . -B build -D CUST_PKG_PATH=${WORK_DIR}/operators_new/operators_new/build_out/op_api && \
cmake --build build")
  step("running the program of the library" bash -ec "unset ASCEND_OPP_PATH && \
export LD_LIBRARY_PATH=${tree}/lib64 && cd operators_new/operators_library/build && ./program && ./shared")
  string(STRIP "${out}" out)
  if(NOT out STREQUAL "0 -3.5 -3.5\n0 -3.5 -3.5")
    message(FATAL_ERROR "the programs of the library print '${out}': ${err}")
  endif()
  # The static library by its name alone.
  step("linking -lcustomize" bash -ec "source ${tree}/set_env.sh && cd operators_new && \
g++ -std=c++17 operators_program/main.cpp -o by_name -Ioperators_new/build_out/op_api/include \
-I$ASCEND_HOME_PATH/include -Loperators_new/build_out/op_api/lib -lcustomize \
-L$ASCEND_HOME_PATH/lib64 -lascendcl && unset ASCEND_OPP_PATH && ./by_name")
  string(STRIP "${out}" out)
  if(NOT out STREQUAL "0 -3.5 -3.5")
    message(FATAL_ERROR "the program with -lcustomize prints '${out}': ${err}")
  endif()
elseif(PART STREQUAL "operators_old")
  # The same operator, with the build functions of the older kind.
  copy_projects(operators_old)
  foreach(folder IN ITEMS op_host op_kernel op_api)
    file(GLOB sources ${WORK_DIR}/operators_old/operators_new/${folder}/*.cpp
         ${WORK_DIR}/operators_old/operators_new/${folder}/*.h)
    file(COPY ${sources} DESTINATION ${WORK_DIR}/operators_old/operators_old/${folder})
  endforeach()
  expect_package(operators_old "./build.sh && \
nm build_out/op_host/libcust_opapi.so | grep -q \"T aclnnNegCustomGetWorkspaceSize\"")
  # A project that msopgen writes, as scripts go on from it: its sources take the place of what was
  # generated. Configuring it compiles and reads them.
  file(WRITE ${WORK_DIR}/operators_old/neg.json "[{\"op\": \"NegCustom\", \"input_desc\": [{\"name\": \
\"x\", \"param_type\": \"required\", \"format\": [\"ND\"], \"type\": [\"fp16\"]}], \"output_desc\": [{\"name\": \
\"y\", \"param_type\": \"required\", \"format\": [\"ND\"], \"type\": [\"fp16\"]}]}]")
  step("generating a project" bash -ec "source ${tree}/set_env.sh && cd operators_old && \
msopgen gen -i neg.json -c ai_core-Ascend910B1 -f tf -lan cpp -out made && cd made && \
grep DT_FLOAT16 op_host/neg_custom.cpp && cp -r ../operators_new/op_host/*.cpp \
../operators_new/op_host/*.h op_host && cp ../operators_new/op_kernel/*.cpp op_kernel && \
cmake $(python3 $ASCEND_HOME_PATH/tools/tikcpp/ascendc_kernel_cmake/fwk_modules/util/preset_parse.py \
CMakePresets.json) -S . -B build_out && cmake --build build_out --target cust_tf_parsers && \
ls build_out/autogen")
  if(NOT out MATCHES "aclnn_neg_custom.h")
    message(SEND_ERROR "the project of msopgen has no functions: ${out}")
  endif()
elseif(PART STREQUAL "ascendc_library")
  expect_project(launch_library "19 22 2 123.5 223.5 2 19 4" -D ASCEND_CANN_PACKAGE_PATH=${tree})
  if(NOT EXISTS ${WORK_DIR}/launch_library/build/fatbin/binary/binary.o)
    message(SEND_ERROR "ascendc_fatbin_library made no fatbin/binary/binary.o")
  endif()
elseif(PART STREQUAL "cpu_twin")
  expect_project(cpu_twin "2 126" -D ASCEND_CANN_PACKAGE_PATH=${tree})
elseif(PART STREQUAL "as_compiler")
  expect_project(as_compiler "15" -D ASCEND_CANN_PACKAGE_PATH=${tree})
elseif(PART STREQUAL "asc_language")
  expect_project(asc_language "15 6 2" -D CMAKE_PREFIX_PATH=${prefix})

elseif(PART STREQUAL "examples")
  file(REMOVE_RECURSE ${WORK_DIR}/examples)
  file(COPY ${SOURCE_DIR}/examples/feed_forward ${SOURCE_DIR}/examples/kernel_test
            ${SOURCE_DIR}/examples/launch_library
       DESTINATION ${WORK_DIR}/examples)
  step("compiling feed_forward" ${prefix}/bin/davsim-cc examples/feed_forward/main.cpp -lopapi
       -o examples/layer)
  step("running feed_forward" ${WORK_DIR}/examples/layer)
  if(NOT out MATCHES "16384 numbers, 0 wrong")
    message(SEND_ERROR "feed_forward prints ${out}${err}")
  endif()
  step("compiling kernel_test" ${prefix}/bin/davsim-cc examples/kernel_test/test.cpp
       examples/kernel_test/relu_custom.cpp -o examples/relu_test)
  step("running kernel_test" ${WORK_DIR}/examples/relu_test)
  if(NOT out MATCHES "passed length 33333: 0 wrong")
    message(SEND_ERROR "kernel_test prints ${out}")
  endif()
  step("configuring launch_library" ${CMAKE_COMMAND} -S examples/launch_library -B examples/build
       -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX} -D ASCEND_CANN_PACKAGE_PATH=${tree})
  step("building launch_library" ${CMAKE_COMMAND} --build examples/build)
  step("running launch_library" ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${tree}/lib64
       ${WORK_DIR}/examples/build/scale)
  if(NOT out MATCHES "8192 of 8192 products are right")
    message(SEND_ERROR "launch_library prints ${out}")
  endif()

elseif(PART STREQUAL "add_subdirectory")
  # Configured, and what is the project's own compiled: the simulator is the same as in this build.
  set(binary ${WORK_DIR}/within/build)
  file(REMOVE_RECURSE ${WORK_DIR}/within)
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/projects/ DESTINATION ${WORK_DIR}/within)
  step("configuring" ${CMAKE_COMMAND} -S ${WORK_DIR}/within/within -B ${binary} -G Ninja
       -D CMAKE_CXX_COMPILER=${CXX} -D DAVSIM_ROOT=${SOURCE_DIR}
       -D CMAKE_EXPORT_COMPILE_COMMANDS=ON)
  step("listing targets" ${CMAKE_COMMAND} --build ${binary} --target help)
  foreach(target IN ITEMS davsim_sim_tests davsim_bench direct_launch)
    if(out MATCHES "${target}:")
      message(SEND_ERROR "${target} is built within another project")
    endif()
  endforeach()
  step("compiling" ${CMAKE_COMMAND} --build ${binary} --target program_seven_objects
       CMakeFiles/program.dir/main.cpp.o)
  file(READ ${binary}/compile_commands.json commands)
  string(JSON count LENGTH "${commands}")
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON file GET "${commands}" ${index} file)
    string(JSON command GET "${commands}" ${index} command)
    if(file MATCHES "kernel_build/main.cpp$|^${WORK_DIR}/.*main.cpp$")
      if(command MATCHES "-Wall|-Werror|-Wextra")
        message(SEND_ERROR "warnings are forced on a user's code: ${command}")
      endif()
      if(NOT command MATCHES "-std=(c|gnu)\\+\\+20")
        message(SEND_ERROR "the standard does not reach a user's code: ${command}")
      endif()
    endif()
  endforeach()
else()
  message(FATAL_ERROR "there is no part '${PART}'")
endif()
