# A toolchain file for projects that bring the vendor's build functions along: operator projects of
# the older kind have cmake/func.cmake and cmake/intf.cmake, which call tools of the vendor's. With
#
#   cmake --preset default -D CMAKE_TOOLCHAIN_FILE=<prefix>/lib/cmake/davsim/toolchain.cmake
#
# or after `source <prefix>/lib/davsim/ascend/set_env.sh`, which sets the variable of this name,
# davsim's functions take their place. All other files are included as they are.
include_guard(DIRECTORY)
if(CMAKE_IN_TRY_COMPILE OR PROJECT_NAME STREQUAL "CMAKE_TRY_COMPILE")
  return()
endif()
get_filename_component(DAVSIM_TREE ${CMAKE_CURRENT_LIST_DIR}/../../davsim/ascend REALPATH)
set(DAVSIM_NAMES_FILE ${CMAKE_CURRENT_LIST_DIR}/DavsimOperatorNames.cmake)
# For project(p LANGUAGES ASC) that comes before find_package(ASC).
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/../ASC/modules)
# Presets name a folder that is there where the vendor's tools are.
foreach(variable IN ITEMS ASCEND_CANN_PACKAGE_PATH ASCEND_HOME_PATH ASCEND_TOOLKIT_HOME)
  if(${variable} AND NOT EXISTS "${${variable}}")
    message(STATUS "davsim: ${variable} is ${DAVSIM_TREE} in place of ${${variable}}")
    set(${variable} ${DAVSIM_TREE} CACHE PATH "" FORCE)
  endif()
endforeach()

# The vendor's files are known by what they define.
function(_davsim_stands_in file result)
  set(${result} "" PARENT_SCOPE)
  if(NOT "${file}" MATCHES "(^|/)(func|intf|makeself)\\.cmake$")
    return()
  endif()
  get_filename_component(path "${file}" ABSOLUTE)
  if(NOT EXISTS "${path}")
    return()
  endif()
  file(READ "${path}" text)
  if(text MATCHES "add_kernels_compile|add_ops_compile_options")
    set(${result} functions PARENT_SCOPE)
  elseif(text MATCHES "add_library\\([ \n]*intf_pub")
    set(${result} interface PARENT_SCOPE)
  endif()
endfunction()

macro(include)
  _davsim_stands_in("${ARGV0}" _davsim_kind)
  if(_davsim_kind STREQUAL "functions")
    _include(${DAVSIM_NAMES_FILE})
  elseif(_davsim_kind STREQUAL "interface")
    _davsim_interface()
  else()
    if("${ARGV0}" STREQUAL "CPack" AND CPACK_EXTERNAL_PACKAGE_SCRIPT MATCHES "makeself")
      set(CPACK_EXTERNAL_PACKAGE_SCRIPT ${DAVSIM_PACKAGE_FILE})
      set(CPACK_EXTERNAL_ENABLE_STAGING TRUE)
      set(CPACK_MONOLITHIC_INSTALL TRUE)
    endif()
    _include(${ARGV})
  endif()
endmacro()

# What host sources are compiled with.
function(_davsim_interface)
  if(TARGET intf_pub)
    return()
  endif()
  add_library(intf_pub INTERFACE)
  target_compile_features(intf_pub INTERFACE cxx_std_17)
  # Headers of op_common have shorter names as well.
  target_include_directories(intf_pub INTERFACE ${DAVSIM_TREE}/include
                             ${DAVSIM_TREE}/include/op_common
                             ${DAVSIM_TREE}/include/op_common/op_host)
  target_link_directories(intf_pub INTERFACE ${DAVSIM_TREE}/lib64)
endfunction()
