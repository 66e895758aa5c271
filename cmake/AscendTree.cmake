# A tree of the shape that build files expect in ASCEND_HOME_PATH or ASCEND_CANN_PACKAGE_PATH:
# headers, libraries of every name that projects link, compilers' names, and ascendc.cmake where
# projects look for it.
set(folder ${PROJECT_BINARY_DIR}/install/ascend)
file(MAKE_DIRECTORY ${folder})

# Names that projects link for what is not here or what is header only: scripts of the linker.
foreach(name IN ITEMS c_sec graph_base error_manager graph ascend_dump tikicpulib lowering mmpa ge_common
                      ascend_hal opp_registry ascend_protobuf acl_dvpp runtime_camodel npu_drv_camodel)
  file(WRITE ${folder}/lib${name}.so "/* Everything is in libascendcl. */\nINPUT(-lascendcl)\n")
  install(FILES ${folder}/lib${name}.so DESTINATION ${DAVSIM_TREE}/lib64 COMPONENT davsim)
endforeach()

# Links from the installed tree to what is installed elsewhere.
function(_davsim_install_link target link)
  install(CODE "file(CREATE_LINK \"${target}\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${DAVSIM_TREE}/${link}\" SYMBOLIC)"
          COMPONENT davsim)
endfunction()
# Everything is in libascendcl. Programs open these names at run time too, so they are links: a script of
# the linker is no library.
foreach(name IN ITEMS nnopbase nnopbase_common acl_op_compiler ascendcl_common acl_rt acl_rt_impl acl_rtc
                      acl_prof acl_mdl runtime hccl hcom platform platform_ascendc register rt2_registry
                      metadef exe_graph tiling_api profapi msprofiler ms_tools_ext ascendalog alog
                      unified_dlog shmem)
  _davsim_install_link(libascendcl.so lib64/lib${name}.so)
endforeach()
# The vendor's basic operators, of which newer versions have several libraries.
foreach(name IN ITEMS opapi_math opapi_nn opapi_transformer opapi_cv)
  _davsim_install_link(libopapi.so lib64/lib${name}.so)
endforeach()
foreach(below IN ITEMS bin compiler/ccec_compiler/bin x86_64-linux aarch64-linux acllib runtime
                       fwkacllib include opp/vendors python/site-packages/bin tools/simulator)
  install(CODE "file(MAKE_DIRECTORY
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${DAVSIM_TREE}/${below}\")" COMPONENT davsim)
endforeach()
# Headers of host programs and those of host sources of operators, as if in one folder.
set(davsim_tree_headers "")
foreach(folder IN ITEMS runtime/include runtime/op_host/include isa/include)
  file(GLOB entries RELATIVE ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_SOURCE_DIR}/${folder}/*)
  if(folder STREQUAL "isa/include")
    set(entries kernel_tiling hccl_names)
  endif()
  # Only generated sources include what is davsim's own.
  list(REMOVE_ITEM entries davsim)
  foreach(entry IN LISTS entries)
    _davsim_install_link(../../../../include/davsim/${folder}/${entry} include/${entry})
  endforeach()
endforeach()
# SHMEM, for programs that take it from a folder of its own: the tree is their SHMEM_HOME_PATH.
install(CODE "file(MAKE_DIRECTORY
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${DAVSIM_TREE}/shmem\")" COMPONENT davsim)
_davsim_install_link(../../../../include/davsim/runtime/shmem/include shmem/include)
_davsim_install_link(../lib64 shmem/lib)
# Folders under the names that build files and scripts have for them, whatever the processor.
foreach(folder IN ITEMS x86_64-linux aarch64-linux acllib runtime fwkacllib)
  _davsim_install_link(../include ${folder}/include)
  _davsim_install_link(../include ${folder}/pkg_inc)
  _davsim_install_link(../lib64 ${folder}/lib64)
  _davsim_install_link(../lib64 ${folder}/devlib)
endforeach()
_davsim_install_link(include pkg_inc)
_davsim_install_link(. lib64/stub)
_davsim_install_link(lib64 devlib)
_davsim_install_link(lib64 lib)
foreach(name IN ITEMS bisheng ccec)
  _davsim_install_link(../../../../bin/davsim-cc bin/${name})
  _davsim_install_link(../../../../../../bin/davsim-cc compiler/ccec_compiler/bin/${name})
endforeach()

# Commands that scripts of projects call, where they look for them.
set(_davsim_tools ${CMAKE_CURRENT_LIST_DIR}/package/tools)
install(PROGRAMS ${_davsim_tools}/msopgen ${_davsim_tools}/msprof ${_davsim_tools}/npu-smi
        DESTINATION ${DAVSIM_TREE}/bin COMPONENT davsim)
install(DIRECTORY ${_davsim_tools}/template DESTINATION ${DAVSIM_TREE}/tools/msopgen
        USE_SOURCE_PERMISSIONS COMPONENT davsim)
_davsim_install_link(../../../bin/msopgen python/site-packages/bin/msopgen)
# Programs for the vendor's simulator take its libraries from a folder of the SoC's name.
file(GLOB _davsim_socs ${PROJECT_SOURCE_DIR}/sim/soc/Ascend910*.ini)
foreach(soc IN LISTS _davsim_socs)
  get_filename_component(soc ${soc} NAME_WE)
  install(CODE "file(MAKE_DIRECTORY
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${DAVSIM_TREE}/tools/simulator/${soc}\")"
          COMPONENT davsim)
  _davsim_install_link(../../../lib64 tools/simulator/${soc}/lib)
endforeach()

# The version of the toolkit whose interface is here, as build files and scripts ask for it.
set(_davsim_toolkit 8.3.RC1)
set(version_cfg "# davsim ${PROJECT_VERSION}; the interface is that of this version of the toolkit.\n")
foreach(part IN ITEMS runtime compiler hccl opp toolkit opp_kernel)
  string(APPEND version_cfg "${part}_running_version=[davsim:${_davsim_toolkit}]\n"
         "${part}_installed_version=[davsim:${_davsim_toolkit}]\n")
endforeach()
file(WRITE ${folder}/version.cfg "${version_cfg}")
file(WRITE ${folder}/version.info "Version=${_davsim_toolkit}\nversion_dir=${_davsim_toolkit}\n")
file(WRITE ${folder}/ascend_toolkit_install.info
     "package_name=Ascend-cann-toolkit\nversion=${_davsim_toolkit}\n"
     "innerversion=davsim-${PROJECT_VERSION}\narch=${CMAKE_SYSTEM_PROCESSOR}\nos=linux\n")
install(FILES ${folder}/version.cfg DESTINATION ${DAVSIM_TREE} COMPONENT davsim)
foreach(below IN ITEMS "" /compiler /opp /runtime)
  install(FILES ${folder}/version.info DESTINATION ${DAVSIM_TREE}${below} COMPONENT davsim)
endforeach()
foreach(processor IN ITEMS x86_64 aarch64)
  install(FILES ${folder}/ascend_toolkit_install.info
          DESTINATION ${DAVSIM_TREE}/${processor}-linux COMPONENT davsim)
endforeach()

# ascendc.cmake and the package ASC in the places where projects look for them, and in the tree's root
# the variables that set_env.sh of the vendor sets.
foreach(below IN ITEMS tools/tikcpp/ascendc_kernel_cmake compiler/tikcpp/ascendc_kernel_cmake
                       ascendc_devkit/tikcpp/samples/cmake tikcpp/ascendc_kernel_cmake)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/package/ascendc.cmake
                ${CMAKE_CURRENT_LIST_DIR}/package/ASC-in-tree/ASCConfig.cmake
          DESTINATION ${DAVSIM_TREE}/${below} COMPONENT davsim)
  install(PROGRAMS ${_davsim_tools}/preset_parse.py
          DESTINATION ${DAVSIM_TREE}/${below}/fwk_modules/util COMPONENT davsim)
endforeach()
install(FILES ${CMAKE_CURRENT_LIST_DIR}/package/ASC-in-tree/ASCConfig.cmake
        DESTINATION ${DAVSIM_TREE}/lib64/cmake COMPONENT davsim)
foreach(folder IN ITEMS x86_64-linux aarch64-linux)
  foreach(below IN ITEMS tikcpp ascendc_devkit bin tools)
    _davsim_install_link(../${below} ${folder}/${below})
  endforeach()
  _davsim_install_link(../compiler/ccec_compiler ${folder}/ccec_compiler)
endforeach()
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/package/tikicpulib
        DESTINATION ${DAVSIM_TREE}/tools/tikicpulib/lib/cmake COMPONENT davsim)
foreach(name IN ITEMS set_env.sh setenv.bash)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/package/set_env.sh DESTINATION ${DAVSIM_TREE}
          RENAME ${name} COMPONENT davsim)
endforeach()
install(FILES ${CMAKE_CURRENT_LIST_DIR}/package/set_env.sh DESTINATION ${DAVSIM_TREE}/bin
        RENAME setenv.bash COMPONENT davsim)
# Scripts source $(dirname $ASCEND_HOME_PATH)/set_env.sh as well: the vendor has one in either folder.
_davsim_install_link(ascend/set_env.sh ../set_env.sh)
