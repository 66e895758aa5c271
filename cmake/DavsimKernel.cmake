# davsim_add_kernel(TARGET NAME name SOURCE file [TYPE type] [AUTO_SYNC ON|OFF] [SCALAR_WORK ON|OFF]
#                   [INCLUDES dirs...] [DEFINITIONS macros...] [OPTIONS options...])
#
# Compiles one kernel source twice, for the cube core and for the vector core, and registers both
# halves in TARGET, an executable or a library, under the kernel's name. NAME is the __global__
# function, outside all namespaces and no template. TYPE is AIV_ONLY (default), AIC_ONLY,
# MIX_AIV_1_0, MIX_AIC_1_0, MIX_AIC_1_1 or MIX_AIC_1_2; what the source says wins over it:
# KERNEL_TASK_TYPE_DEFAULT, else a __vector__, __cube__, __mix__ or [[bisheng::core_ratio]] of the
# kernel. DEFINITIONS are
# what the vendor's build would define, such as DTYPE_X=half or CEIL(a,b)=(((a)+(b)-1)/(b)). OPTIONS
# go to the compiler, such as -include;prelude.h. A kernel with a TYPE for one kind of core, in a
# source that says nothing else, is compiled for that one only. AUTO_SYNC ON, the default as in the
# vendor's projects, inserts the synchronisation that the vendor's compiler inserts.
# DAVSIM_AUTO_SYNC changes the default of a folder. With SCALAR_WORK OFF the kernel's own code between
# its calls takes no time; ON is the default, and DAVSIM_SCALAR_WORK changes it in a folder.
#
# Kernels of one source, with the same INCLUDES and DEFINITIONS, share its two compilations. These are
# compiler commands of CMake's that davsim-cc runs: it rewrites what g++ does not read, launches of
# host code, explicit specialisations within a class and kernels named like functions of the C
# library. That needs Ninja or makefiles.
#
# The two compilations define the same names with different bodies, and so do two kernels. Each is
# therefore linked into one relocatable object in which everything but the entry point, renamed to
# davsim_<core>_<name>, is local: see LinkKernelHalf.cmake. Variables at namespace scope thus exist
# once a half.
#
# Whoever links a static library of kernels takes it whole: kernels are found by name, not by
# symbol.
#
# Kernels come from elsewhere, written for another compiler: its warnings do not stop the build, and
# reading the bits of a float through a pointer to integers is what the documentation shows. Where
# DAVSIM_STRICT_KERNELS is set, as for the operators of this tree, kernels are built as all else is.
# The cache, because functions are called from every folder, variables are seen below their own.
set(DAVSIM_LINK_KERNEL_HALF ${CMAKE_CURRENT_LIST_DIR}/LinkKernelHalf.cmake CACHE INTERNAL "")
# Headers for kernels that use SHMEM.
foreach(above IN ITEMS .. ../../../include/davsim)
  if(IS_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/${above}/runtime/shmem/include)
    set(DAVSIM_SHMEM_INCLUDE ${CMAKE_CURRENT_LIST_DIR}/${above}/runtime/shmem/include
        CACHE INTERNAL "")
  endif()
endforeach()
# davsim-cc: where a tree is built, what builds it says so.
if(DAVSIM_OPBUILD)
  get_filename_component(DAVSIM_PROGRAMS ${DAVSIM_OPBUILD} DIRECTORY)
endif()
find_program(DAVSIM_CC_PROGRAM davsim-cc NO_DEFAULT_PATH
             HINTS ${DAVSIM_PROGRAMS} ${CMAKE_CURRENT_LIST_DIR}/../build/bin
                   ${CMAKE_CURRENT_LIST_DIR}/../../../bin
             DOC "davsim's compiler driver")
set(DAVSIM_KERNEL_PARAMETERS ${CMAKE_CURRENT_LIST_DIR}/KernelParameters.cmake CACHE INTERNAL "")

# Each half leaves the other half's helpers and parameters unused. GNU's unique symbols cannot be
# made local. A library of flags, because these must come behind the -Wall of davsim_flags.
add_library(davsim_kernel_flags INTERFACE)
target_compile_options(davsim_kernel_flags INTERFACE -Wno-unused-parameter -Wno-unused-variable
                       -Wno-unused-function -Wno-unused-but-set-variable
                       $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
add_library(davsim_foreign_kernel_flags INTERFACE)
target_compile_options(davsim_foreign_kernel_flags INTERFACE -Wno-error -Wno-unknown-pragmas
                       -fno-strict-aliasing
                       # What __forceinline__ stands before need not say inline.
                       -fno-semantic-interposition -Wno-attributes
                       # Pointers into UB are offsets; see isa/core/local_pointer.hpp.
                       -fno-isolate-erroneous-paths-dereference -fnon-call-exceptions
                       -fno-tree-loop-distribute-patterns)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  target_compile_options(davsim_foreign_kernel_flags INTERFACE -minline-all-stringops
                         -mmemcpy-strategy=rep_8byte:-1:noalign
                         -mmemset-strategy=rep_8byte:-1:noalign)
endif()

# Kernels count their own scalar instructions where the compiler has the plugin for it: see
# ScalarPlugin.cmake.
function(davsim_counts_scalar_work target)
  if(NOT DAVSIM_SCALAR_PLUGIN_FILE)
    return()
  endif()
  set(options -fplugin=${DAVSIM_SCALAR_PLUGIN_FILE})
  foreach(folder IN LISTS DAVSIM_SCALAR_PLUGIN_API)
    list(APPEND options -fplugin-arg-davsim_scalar_plugin-api=${folder})
  endforeach()
  target_compile_options(${target} PRIVATE ${options})
  if(TARGET davsim_scalar_plugin)
    add_dependencies(${target} davsim_scalar_plugin)
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${DAVSIM_SCALAR_PLUGIN_FILE})
  endif()
endfunction()

function(davsim_add_kernel target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;SOURCE;TYPE;AUTO_SYNC;SCALAR_WORK"
                        "INCLUDES;DEFINITIONS;OPTIONS")
  _davsim_check_kernel(${target})
  _davsim_kernel_type(type_value "${arg_TYPE}")
  _davsim_switch(auto_sync AUTO_SYNC "${arg_AUTO_SYNC}")
  _davsim_switch(scalar_work SCALAR_WORK "${arg_SCALAR_WORK}")

  set(prefix ${target}_${arg_NAME})
  if(TARGET ${prefix}_objects)
    message(FATAL_ERROR "davsim_add_kernel: ${target} has a kernel named ${arg_NAME} already")
  endif()
  _davsim_compilation()
  _davsim_uses(local_pointers ${source} "__(ubuf|cbuf|ca|cb|cc|fbuf)__")
  _davsim_uses(symmetric_memory ${source} shmem)
  _davsim_needed_halves(halves)
  set(declarations "")
  set(objects "")
  foreach(core IN ITEMS aic aiv)
    set(${core}_function nullptr)
    if(core IN_LIST halves)
      _davsim_kernel_half(${core})
      string(APPEND declarations "extern \"C\" void davsim_${core}_${arg_NAME}();\n")
      set(${core}_function &davsim_${core}_${arg_NAME})
      list(APPEND objects ${${core}_object})
    endif()
  endforeach()

  # Launches are checked against the parameters that the source says.
  set(parameters ${CMAKE_CURRENT_BINARY_DIR}/${prefix}_parameters.inc)
  add_custom_command(OUTPUT ${parameters}
                     COMMAND ${CMAKE_COMMAND} -D SOURCE=${source} -D NAME=${arg_NAME}
                             -D OUTPUT=${parameters} -P ${DAVSIM_KERNEL_PARAMETERS}
                     DEPENDS ${source} ${DAVSIM_KERNEL_PARAMETERS}
                     COMMENT "Parameters of kernel ${arg_NAME}" VERBATIM)
  set(registration ${CMAKE_CURRENT_BINARY_DIR}/${prefix}_registration.cpp)
  file(GENERATE OUTPUT ${registration} CONTENT
"// Generated by davsim_add_kernel.
#include \"isa/core/kernel_registry.hpp\"
#include \"${parameters}\"
${declarations}static const davsim::isa::KernelRegistrar davsim_register_${arg_NAME}(
    \"${arg_NAME}\", davsim::isa::KernelType::${type_value}, ${aic_function},
    ${aiv_function}, DAVSIM_PARAMETERS, {${auto_sync}, ${local_pointers}, ${scalar_work},
    ${symmetric_memory}});
#undef DAVSIM_PARAMETERS  // the next kernel of a folder may be in the same compilation
")
  # A custom command's output belongs to the folder that made it; a target of that folder carries it
  # to wherever the kernel is linked.
  add_custom_target(${prefix}_objects DEPENDS ${objects} ${parameters})
  add_dependencies(${target} ${prefix}_objects)
  target_sources(${target} PRIVATE ${registration} ${objects})
  # Each registration has a parameter list of its own, also in a target with UNITY_BUILD.
  set_property(SOURCE ${registration} DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} TARGET_DIRECTORY ${target}
               PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${target} PRIVATE davsim_flags)
  set_property(SOURCE ${objects} DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} TARGET_DIRECTORY ${target}
               PROPERTY EXTERNAL_OBJECT TRUE)
endfunction()

# Stops the configuration with what is wrong about a call of davsim_add_kernel.
macro(_davsim_check_kernel target)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "davsim_add_kernel(${target}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_NAME OR NOT arg_SOURCE)
    message(FATAL_ERROR "davsim_add_kernel(${target}): NAME and SOURCE are required")
  endif()
  if(NOT arg_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "davsim_add_kernel(${target}): NAME is '${arg_NAME}', it must be the name "
                        "of the kernel's function")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "davsim_add_kernel(${target} NAME ${arg_NAME}): there is no target "
                        "${target}; add the executable or library first")
  endif()
  get_filename_component(source "${arg_SOURCE}" ABSOLUTE)
  if(NOT EXISTS ${source})
    message(FATAL_ERROR "davsim_add_kernel(${target} NAME ${arg_NAME}): SOURCE ${source} does not "
                        "exist")
  endif()
endmacro()

# Sets `result` to the KernelType enumerator of a TYPE.
function(_davsim_kernel_type result type)
  set(types AIV_ONLY AIC_ONLY MIX_AIV_1_0 MIX_AIC_1_0 MIX_AIC_1_1 MIX_AIC_1_2)
  set(values kAivOnly kAicOnly kAivOnly kAicOnly kMix11 kMix12)
  if(NOT type)
    set(type AIV_ONLY)
  endif()
  list(FIND types "${type}" index)
  if(index EQUAL -1)
    string(REPLACE ";" ", " types "${types}")
    message(FATAL_ERROR "davsim_add_kernel: TYPE is ${type}, allowed are ${types}")
  endif()
  list(GET values ${index} value)
  set(${result} ${value} PARENT_SCOPE)
endfunction()

# Sets `result` to true or false: to `value`, or, without one, to DAVSIM_<name>, or to true.
function(_davsim_switch result name value)
  if(value STREQUAL "")
    set(value ON)
    if(DEFINED DAVSIM_${name})
      set(value ${DAVSIM_${name}})
    endif()
  endif()
  if(NOT value MATCHES "^(ON|OFF)$")
    message(FATAL_ERROR "davsim_add_kernel: ${name} is ${value}, allowed are ON and OFF")
  endif()
  set(text false)
  if(value)
    set(text true)
  endif()
  set(${result} ${text} PARENT_SCOPE)
endfunction()

# Sets `result` to aic, aiv or both. What a source says wins over TYPE, so that TYPE decides only
# where the source does not speak of cores.
macro(_davsim_needed_halves result)
  set(${result} aic aiv)
  if(arg_TYPE STREQUAL "AIV_ONLY" OR arg_TYPE STREQUAL "AIC_ONLY")
    file(STRINGS ${source} says REGEX "KERNEL_TASK_TYPE|__mix__|__cube__|__vector__|core_ratio|\\(\\(ai[cv]\\)\\)"
         LIMIT_COUNT 1)
    if(NOT says)
      string(TOLOWER ${arg_TYPE} ${result})
      string(REPLACE "_only" "" ${result} ${${result}})
    endif()
  endif()
endmacro()

# Sets `result` to true if a line of the source, or of a file of its folder that it includes, has
# what the regular expression says; else to false.
function(_davsim_uses result source what)
  get_filename_component(folder ${source} DIRECTORY)
  file(STRINGS ${source} includes REGEX "^[ \t]*#[ \t]*include[ \t]*\"")
  set(files ${source})
  foreach(include IN LISTS includes)
    string(REGEX REPLACE ".*\"([^\"]*)\".*" "\\1" include "${include}")
    if(EXISTS ${folder}/${include} AND NOT IS_DIRECTORY ${folder}/${include})
      list(APPEND files ${folder}/${include})
    endif()
  endforeach()
  set(${result} false PARENT_SCOPE)
  foreach(file IN LISTS files)
    file(STRINGS ${file} found REGEX "${what}" LIMIT_COUNT 1)
    if(found)
      set(${result} true PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Sets `compilation`, which names what kernels of the same source share.
macro(_davsim_compilation)
  get_filename_component(compilation ${source} NAME_WE)
  string(MD5 how "${source};${arg_INCLUDES};${arg_DEFINITIONS};${arg_OPTIONS};${DAVSIM_STRICT_KERNELS}")
  string(SUBSTRING ${how} 0 6 how)
  set(compilation ${target}_${compilation}_${how})
  get_filename_component(extension ${source} LAST_EXT)
  if(extension STREQUAL ".asc")
    set_source_files_properties(${source} PROPERTIES LANGUAGE CXX)
  endif()
endmacro()

# Gives an object library what a half of a kernel is compiled with for a core, aic or aiv.
function(davsim_compile_for_core half core)
  set(unit VEC)
  if(core STREQUAL "aic")
    set(unit CUBE)
  endif()
  target_link_libraries(${half} PRIVATE davsim_flags davsim_kernel_flags)
  if(NOT DAVSIM_STRICT_KERNELS)
    target_link_libraries(${half} PRIVATE davsim_foreign_kernel_flags)
    # Launches of host code, which are no C++, and what else g++ does not read.
    if(DAVSIM_CC_PROGRAM)
      set_property(TARGET ${half} PROPERTY CXX_COMPILER_LAUNCHER ${DAVSIM_CC_PROGRAM}
                                           --davsim-kernel-half ${CMAKE_CXX_COMPILER_LAUNCHER})
    endif()
    if(DAVSIM_CC_TARGET)
      add_dependencies(${half} ${DAVSIM_CC_TARGET})
    endif()
  endif()
  davsim_counts_scalar_work(${half})
  # ASCENDC_CPU_DEBUG leaves out what sources for the device's compiler launch kernels with.
  target_compile_definitions(${half} PRIVATE __DAV_C220_${unit}__=1 __DAV_${unit}__=1
                                             ASCENDC_CPU_DEBUG=1)
  # Whatever the project is built with: a kernel that is stopped throws, and its half is linked
  # before the program and has nowhere to count.
  target_compile_options(${half} PRIVATE -fexceptions -fno-lto -fno-profile-arcs
                         -fno-test-coverage $<$<CXX_COMPILER_ID:GNU>:-fno-profile-generate>)
endfunction()

# Compiles one half, if no kernel of the same source has, and links it; sets <core>_object.
macro(_davsim_kernel_half core)
  set(half ${compilation}_${core})
  if(NOT TARGET ${half})
    add_library(${half} OBJECT ${source})
    davsim_compile_for_core(${half} ${core})
    target_include_directories(${half} PRIVATE ${arg_INCLUDES})
    if(symmetric_memory)
      target_include_directories(${half} PRIVATE ${DAVSIM_SHMEM_INCLUDE})
    endif()
    # CMake takes no macros with parameters for definitions.
    set(functions ${arg_DEFINITIONS})
    set(plain ${arg_DEFINITIONS})
    list(FILTER functions INCLUDE REGEX "^(-D)?[A-Za-z_0-9]+\\(")
    list(FILTER plain EXCLUDE REGEX "^(-D)?[A-Za-z_0-9]+\\(")
    list(TRANSFORM functions REPLACE "^-D" "")
    list(TRANSFORM functions PREPEND "-D")
    target_compile_definitions(${half} PRIVATE ${plain})
    target_compile_options(${half} PRIVATE ${functions} ${arg_OPTIONS})
    # A folder may name targets <name>_aic and <name>_aiv whose compiled headers its kernels take. What a
    # kernel defines may change the headers, and what its options include comes before them.
    if(DAVSIM_KERNEL_HEADERS AND NOT arg_DEFINITIONS AND NOT arg_OPTIONS)
      target_precompile_headers(${half} REUSE_FROM ${DAVSIM_KERNEL_HEADERS}_${core})
    endif()
  endif()
  set(${core}_object ${CMAKE_CURRENT_BINARY_DIR}/${prefix}_${core}.o)
  add_custom_command(
    OUTPUT ${${core}_object}
    COMMAND ${CMAKE_COMMAND} -D NAME=${arg_NAME} -D CORE=${core} -D SOURCE=${source}
            -D OBJECT=$<TARGET_OBJECTS:${half}> -D OUTPUT=${${core}_object}
            -D LINKER=${CMAKE_LINKER} -D OBJCOPY=${CMAKE_OBJCOPY} -D NM=${CMAKE_NM}
            -P ${DAVSIM_LINK_KERNEL_HALF}
    DEPENDS ${half} $<TARGET_OBJECTS:${half}> ${DAVSIM_LINK_KERNEL_HALF}
    COMMENT "Kernel ${arg_NAME} for the ${core}"
    VERBATIM)
endmacro()
