# find_package(tikicpulib): the CPU twin. Projects compile kernels as C++ with targets
# tikicpulib::<SoC>; here davsim-cc compiles the C++ sources of the folder that asks, and leaves those
# without kernels to the host's compiler.
get_filename_component(davsim_twin_file ${CMAKE_CURRENT_LIST_FILE} REALPATH)
string(REGEX REPLACE "/lib/(davsim|cmake)/.*$" "" davsim_twin_prefix ${davsim_twin_file})
find_package(davsim REQUIRED CONFIG NO_DEFAULT_PATH PATHS ${davsim_twin_prefix}/lib/cmake/davsim)
set(CMAKE_CXX_COMPILE_OBJECT "${davsim_twin_prefix}/bin/davsim-cc <DEFINES> <INCLUDES> <FLAGS> \
--run-mode=cpu -o <OBJECT> -c <SOURCE>")
foreach(davsim_soc IN ITEMS Ascend910B1 Ascend910B2 Ascend910B2C Ascend910B3 Ascend910B4
                            Ascend910B4-1 Ascend910_9391 Ascend910_9392 Ascend910_9381
                            Ascend910_9382 Ascend910_9372 Ascend910_9362)
  # Test projects write the name in lower case too.
  string(REGEX REPLACE "^A" "a" davsim_soc_lower ${davsim_soc})
  foreach(davsim_name IN ITEMS ${davsim_soc} ${davsim_soc_lower})
    if(NOT TARGET tikicpulib::${davsim_name})
      add_library(tikicpulib::${davsim_name} INTERFACE IMPORTED GLOBAL)
      target_link_libraries(tikicpulib::${davsim_name} INTERFACE davsim::ascendcl)
      # For sources without kernels too, such as a main() that has the device's form as well.
      target_compile_definitions(tikicpulib::${davsim_name} INTERFACE ASCENDC_CPU_DEBUG=1
                                                                      __CCE_KT_TEST__=1)
    endif()
  endforeach()
endforeach()
