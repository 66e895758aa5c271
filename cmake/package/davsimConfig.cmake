# find_package(davsim): libraries, davsim_add_kernel, davsim_add_operators, and the vendor's
# ascendc_library and so on.
#
#   davsim::acl        the AscendCL interface, for programs of any standard of C++
#   davsim::ascendcl   the same with the headers of kernels and of the simulator
#   davsim_sim         sim::Device and the kernel API, for hosts of davsim's own interface; with
#                      davsim_traces, davsim_checker and davsim_session it is the same library, under the names that
#                      the source tree gives its parts
#   davsim::cc         davsim-cc
include_guard(GLOBAL)
get_filename_component(DAVSIM_ROOT ${CMAKE_CURRENT_LIST_DIR}/../../.. REALPATH)
set(DAVSIM_ASCEND_TREE ${DAVSIM_ROOT}/lib/davsim/ascend)
set(DAVSIM_CC ${DAVSIM_ROOT}/bin/davsim-cc CACHE INTERNAL "")

add_library(davsim_flags INTERFACE IMPORTED GLOBAL)
target_compile_options(davsim_flags INTERFACE -ffp-contract=off)
target_compile_features(davsim_flags INTERFACE cxx_std_20)
target_include_directories(davsim_flags INTERFACE ${DAVSIM_ROOT}/include/davsim
                           ${DAVSIM_ROOT}/include/davsim/isa/include)

add_library(davsim::ascendcl SHARED IMPORTED GLOBAL)
set_target_properties(davsim::ascendcl PROPERTIES
                      IMPORTED_LOCATION ${DAVSIM_ASCEND_TREE}/lib64/libascendcl.so)
target_include_directories(davsim::ascendcl INTERFACE
                           ${DAVSIM_ROOT}/include/davsim/runtime/include
                           ${DAVSIM_ROOT}/include/davsim/runtime/op_host/include)
target_link_libraries(davsim::ascendcl INTERFACE davsim_flags)

add_library(davsim::acl SHARED IMPORTED GLOBAL)
set_target_properties(davsim::acl PROPERTIES
                      IMPORTED_LOCATION ${DAVSIM_ASCEND_TREE}/lib64/libascendcl.so)
target_include_directories(davsim::acl INTERFACE ${DAVSIM_ASCEND_TREE}/include
                           ${DAVSIM_ASCEND_TREE}/shmem/include)
# Projects link libraries of the tree by their names beside these.
foreach(library IN ITEMS davsim::ascendcl davsim::acl)
  target_link_directories(${library} INTERFACE ${DAVSIM_ASCEND_TREE}/lib64)
endforeach()

foreach(part IN ITEMS isa observe global_memory soc sim traces checker session)
  add_library(davsim_${part} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(davsim_${part} INTERFACE davsim::ascendcl)
endforeach()

add_executable(davsim::cc IMPORTED GLOBAL)
set_target_properties(davsim::cc PROPERTIES IMPORTED_LOCATION ${DAVSIM_CC})

# The plugin of kernels fits one version of the compiler.
set(DAVSIM_SCALAR_PLUGIN_FILE "" CACHE INTERNAL "")
set(DAVSIM_SCALAR_PLUGIN_API ${DAVSIM_ROOT}/include/davsim/isa ${DAVSIM_ROOT}/include/davsim/runtime
    CACHE INTERNAL "")
if(EXISTS ${DAVSIM_ROOT}/lib/davsim/davsim_scalar_plugin.so
   AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/ScalarPluginCompiler.cmake)
  include(${CMAKE_CURRENT_LIST_DIR}/ScalarPluginCompiler.cmake)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
     AND CMAKE_CXX_COMPILER_VERSION VERSION_EQUAL DAVSIM_SCALAR_PLUGIN_COMPILER)
    set(DAVSIM_SCALAR_PLUGIN_FILE ${DAVSIM_ROOT}/lib/davsim/davsim_scalar_plugin.so
        CACHE INTERNAL "")
  elseif(CMAKE_CXX_COMPILER_ID)
    message(STATUS "davsim: its plugin is for g++ ${DAVSIM_SCALAR_PLUGIN_COMPILER}, so the scalar "
                   "instructions of kernels between their API calls take no time")
  endif()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/DavsimKernel.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/DavsimOperators.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/AscendcLibrary.cmake)
