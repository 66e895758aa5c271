# The vendor's functions for operator projects, in terms of davsim_add_operators. What a project says
# in several places is collected, and at the end of its top folder each package becomes a shared
# library with the package's name.
#
#   npu_op_package(NAME [TYPE t] [CONFIG ...])       a package
#   npu_op_library(TARGET TILING files...)           its host sources; ACLNN and GRAPH are left out
#   npu_op_kernel_library(TARGET SRC_BASE folder [TILING_LIBRARY target])
#   npu_op_kernel_sources(TARGET OP_TYPE type [KERNEL_DIR folder] [KERNEL_FILE file]
#                         [COMPUTE_UNIT units...])
#   npu_op_kernel_options(TARGET ALL|type OPTIONS options...)  -D and -I count
#   npu_op_code_gen(SRC files... ...), npu_op_package_add(NAME ...)  do nothing
#
# The older add_ops_compile_options(ALL|type OPTIONS options...), add_kernels_compile() and
# opbuild(OPS_SRC files... OUT_DIR folder) are those of one package called cust, whose kernels are in
# the folder that calls add_kernels_compile.
include(${CMAKE_CURRENT_LIST_DIR}/DavsimOperators.cmake)
# Libraries of which nothing is needed, but which the project may give options to.
set(DAVSIM_EMPTY_SOURCE ${CMAKE_BINARY_DIR}/davsim_empty.cpp)
file(WRITE ${DAVSIM_EMPTY_SOURCE} "")

function(npu_op_package name)
  set_property(GLOBAL APPEND PROPERTY DAVSIM_OP_PACKAGES ${name})
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY \"${CMAKE_SOURCE_DIR}\" CALL
                                           _davsim_finish_package \"${name}\")")
endfunction()

function(npu_op_package_add)
endfunction()

function(npu_op_code_gen)
endfunction()

function(npu_op_library target kind)
  if(kind STREQUAL "TILING")
    _davsim_collect(HOST ABSOLUTE ${ARGN})
  endif()
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${DAVSIM_EMPTY_SOURCE})
endfunction()

function(npu_op_kernel_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SRC_BASE;TILING_LIBRARY" "")
  get_filename_component(base "${arg_SRC_BASE}" ABSOLUTE)
  set_property(GLOBAL PROPERTY DAVSIM_OP_BASE_${target} ${base})
  _davsim_collect(KERNELS ABSOLUTE ${base})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${DAVSIM_EMPTY_SOURCE})
endfunction()

function(npu_op_kernel_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OP_TYPE;KERNEL_DIR;KERNEL_FILE" "COMPUTE_UNIT")
  get_property(base GLOBAL PROPERTY DAVSIM_OP_BASE_${target})
  get_filename_component(folder "${arg_KERNEL_DIR}" ABSOLUTE BASE_DIR ${base})
  _davsim_collect(KERNELS ABSOLUTE ${folder})
  if(arg_KERNEL_FILE)
    get_filename_component(file "${arg_KERNEL_FILE}" ABSOLUTE BASE_DIR ${folder})
    _davsim_collect(KERNEL_FILES AS_IS ${arg_OP_TYPE}=${file})
  endif()
endfunction()

# Options of single operators hold for all of them: there is one set of macros.
function(npu_op_kernel_options target operator)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "OPTIONS;COMPUTE_UNIT")
  _davsim_collect_options(${arg_OPTIONS})
endfunction()

function(add_ops_compile_options operator)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS;COMPUTE_UNIT")
  _davsim_collect_options(${arg_OPTIONS})
endfunction()

function(opbuild)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_DIR" "OPS_SRC")
  _davsim_collect(HOST ABSOLUTE ${arg_OPS_SRC})
endfunction()

function(add_kernels_compile)
  _davsim_collect(KERNELS ABSOLUTE ${CMAKE_CURRENT_SOURCE_DIR})
  npu_op_package(cust)
endfunction()

function(_davsim_collect_options)
  foreach(option IN LISTS ARGN)
    if(option MATCHES "^-D(.+)")
      _davsim_collect(DEFINITIONS AS_IS ${CMAKE_MATCH_1})
    elseif(option MATCHES "^-I(.+)")
      _davsim_collect(INCLUDES ABSOLUTE ${CMAKE_MATCH_1})
    endif()
  endforeach()
endfunction()

# Adds to one argument of davsim_add_operators. ABSOLUTE: paths, seen from the current folder.
function(_davsim_collect argument form)
  foreach(value IN LISTS ARGN)
    if(form STREQUAL "ABSOLUTE")
      get_filename_component(value "${value}" ABSOLUTE)
    endif()
    get_property(known GLOBAL PROPERTY DAVSIM_OP_${argument})
    if(NOT value IN_LIST known)
      set_property(GLOBAL APPEND PROPERTY DAVSIM_OP_${argument} "${value}")
    endif()
  endforeach()
endfunction()

function(_davsim_finish_package name)
  set(arguments "")
  foreach(argument IN ITEMS HOST KERNELS KERNEL_FILES INCLUDES DEFINITIONS)
    get_property(values GLOBAL PROPERTY DAVSIM_OP_${argument})
    if(values)
      list(APPEND arguments ${argument} ${values})
    endif()
  endforeach()
  davsim_add_operators(${name} ${arguments} OPAPI cust_opapi)
endfunction()
