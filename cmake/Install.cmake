# What `cmake --install` puts into a prefix:
#
#   bin/                     davsim, davsim-cc, davsim-opbuild
#   include/davsim/          headers of kernels, of hosts and of the simulator
#   lib/cmake/davsim         find_package(davsim): davsim_add_kernel, davsim_sim and so on
#   lib/cmake/ASC            find_package(ASC): the language ASC
#   lib/cmake/tikicpulib     find_package(tikicpulib): the CPU twin
#   lib/davsim/ascend/       a tree of the shape that build files of the vendor's users expect in
#                            ASCEND_HOME_PATH, with libascendcl.so, which has the simulator
#   lib/python3/dist-packages/  the Python packages acl, davsim, torch_npu and torchair
#   share/                   man pages, completion, pages, printers of gdb
include(CMakePackageConfigHelpers)
set(DAVSIM_TREE lib/davsim/ascend)

install(TARGETS davsim davsim_cc davsim-opbuild RUNTIME DESTINATION bin COMPONENT davsim)
set_target_properties(davsim_ascendcl davsim_system_operators PROPERTIES INSTALL_RPATH "")
# It needs the library of davsim's own operators beside it, which programs do not name.
set_target_properties(davsim_opapi PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS davsim_ascendcl davsim_system_operators davsim_opapi
        LIBRARY DESTINATION ${DAVSIM_TREE}/lib64 COMPONENT davsim)

# gdb reads what lies in its folder under the name of a library of the program; only one that is
# installed in /usr is there.
install(FILES ${PROJECT_SOURCE_DIR}/runtime/gdb/davsim_gdb.py DESTINATION share/davsim/gdb
        COMPONENT davsim)
install(FILES ${PROJECT_SOURCE_DIR}/runtime/gdb/davsim_gdb.py
        DESTINATION share/gdb/auto-load/usr/${DAVSIM_TREE}/lib64 RENAME libascendcl.so-gdb.py
        COMPONENT davsim)

if(TARGET davsim_mpi)
  install(TARGETS davsim_mpi LIBRARY DESTINATION lib/davsim COMPONENT mpi)
endif()

set(DAVSIM_CC_PLUGIN "")
if(TARGET davsim_scalar_plugin)
  install(TARGETS davsim_scalar_plugin LIBRARY DESTINATION lib/davsim COMPONENT davsim)
  file(WRITE ${PROJECT_BINARY_DIR}/install/ScalarPluginCompiler.cmake
       "set(DAVSIM_SCALAR_PLUGIN_COMPILER ${CMAKE_CXX_COMPILER_VERSION})\n")
  install(FILES ${PROJECT_BINARY_DIR}/install/ScalarPluginCompiler.cmake
          DESTINATION lib/cmake/davsim COMPONENT davsim)
  string(CONCAT DAVSIM_CC_PLUGIN "kernel_flag = -fplugin=\${root}/lib/davsim/davsim_scalar_plugin.so\n"
         "kernel_flag = -fplugin-arg-davsim_scalar_plugin-api=\${root}/include/davsim\n")
endif()

# Headers keep their folders: they include each other from the root of the tree.
foreach(folder IN ITEMS isa observe memory sim checker session traces runtime io)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION include/davsim COMPONENT davsim
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.inc" PATTERN "*.def"
          PATTERN "plugin" EXCLUDE)
endforeach()

# Generated ones, beside those of their folder.
install(DIRECTORY ${PROJECT_BINARY_DIR}/runtime/basic_operators/include/aclnnop
        DESTINATION include/davsim/runtime/include COMPONENT davsim)

# Folders of headers under a second name, which are links in the tree as well.
function(_davsim_install_header_links folder)
  foreach(link IN LISTS ARGN)
    string(REPLACE ":" ";" link ${link})
    list(GET link 0 name)
    list(GET link 1 target)
    install(CODE "file(CREATE_LINK ${target}
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/include/davsim/${folder}/${name}\" SYMBOLIC)"
            COMPONENT davsim)
  endforeach()
endfunction()
_davsim_install_header_links(isa/include adv_api:lib basic_api:. impl:. interface:. tikcfw:. tikcpp:.)
_davsim_install_header_links(runtime/op_host/include adv_api:lib)
_davsim_install_header_links(runtime/include/aclnn opdev:../opdev)
_davsim_install_header_links(runtime/include/aclnnop level2:.)

# davsim-cc finds everything from where it lies itself.
set(DAVSIM_CC_INCLUDES \${root}/include/davsim \${root}/include/davsim/isa/include
    \${root}/include/davsim/runtime/include \${root}/include/davsim/runtime/op_host/include
    \${root}/include/davsim/runtime/shmem/include)
set(DAVSIM_CC_LIBRARY_FOLDER \${root}/${DAVSIM_TREE}/lib64)
configure_file(${PROJECT_SOURCE_DIR}/driver/davsim-cc.conf.in
               ${PROJECT_BINARY_DIR}/install/davsim-cc.conf)
install(FILES ${PROJECT_BINARY_DIR}/install/davsim-cc.conf DESTINATION lib/davsim COMPONENT davsim)

# find_package(davsim)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/davsimConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/davsimConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/package/davsimConfig.cmake
              ${CMAKE_CURRENT_LIST_DIR}/DavsimKernel.cmake
              ${CMAKE_CURRENT_LIST_DIR}/LinkKernelHalf.cmake
              ${CMAKE_CURRENT_LIST_DIR}/KernelParameters.cmake
              ${CMAKE_CURRENT_LIST_DIR}/DavsimOperators.cmake
              ${CMAKE_CURRENT_LIST_DIR}/DavsimOperatorNames.cmake
              ${CMAKE_CURRENT_LIST_DIR}/DavsimOperatorSources.cmake
              ${CMAKE_CURRENT_LIST_DIR}/package/AscendcLibrary.cmake
              ${CMAKE_CURRENT_LIST_DIR}/package/RunPackage.cmake
              ${CMAKE_CURRENT_LIST_DIR}/package/run-package.sh
              ${CMAKE_CURRENT_LIST_DIR}/package/toolchain.cmake
        DESTINATION lib/cmake/davsim COMPONENT davsim)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/operator_project/CMakeLists.txt
        DESTINATION lib/cmake/davsim/operator_project COMPONENT davsim)
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/package/ASC ${CMAKE_CURRENT_LIST_DIR}/package/tikicpulib
        DESTINATION lib/cmake COMPONENT davsim)

include(AscendTree)
include(Package)
