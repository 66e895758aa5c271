# Man pages and completion, and the Debian package: cpack -G DEB.
set(manual_folder ${PROJECT_BINARY_DIR}/install/man)
# davsim_install_manual(NAME SUMMARY HELP...): a man page from what a program prints.
function(_davsim_install_manual name summary)
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DNAME=${name}\"
    \"-DSUMMARY=${summary}\" \"-DHELP=${ARGN}\" \"-DVERSION=${PROJECT_VERSION}\"
    \"-DOUTPUT=${manual_folder}/${name}.1\" -P \"${PROJECT_SOURCE_DIR}/cmake/ManPage.cmake\"
    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT davsim)
  install(FILES ${manual_folder}/${name}.1 DESTINATION share/man/man1 COMPONENT davsim)
endfunction()
_davsim_install_manual(davsim "cycle-level simulator of Ascend Da Vinci NPUs"
                       ${PROJECT_BINARY_DIR}/bin/davsim --help)
foreach(command IN ITEMS list describe run compare sweep explain check serve)
  _davsim_install_manual(davsim-${command} "a command of davsim"
                         ${PROJECT_BINARY_DIR}/bin/davsim help ${command})
endforeach()
_davsim_install_manual(davsim-cc "compiles programs with kernels for the simulated device"
                       ${PROJECT_BINARY_DIR}/bin/davsim-cc --help)
foreach(program IN ITEMS davsim davsim-cc)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/package/completion.bash
          DESTINATION share/bash-completion/completions RENAME ${program} COMPONENT davsim)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/NOTICE ${PROJECT_SOURCE_DIR}/third_party/uplot/LICENSE
        DESTINATION share/doc/davsim/third_party COMPONENT davsim)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/davsim RENAME copyright
        COMPONENT davsim)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION share/doc/davsim COMPONENT davsim)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/direct_launch
        DESTINATION share/doc/davsim/examples COMPONENT davsim)

# What is installed is built by name: packing does not build the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME davsim)
set(CPACK_PACKAGE_CONTACT "davsim maintainers <maintainers@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# davsim, python3-davsim for Debian's Python, and davsim-mpi: the module for several processes, without
# which davsim needs no MPI.
set(CPACK_COMPONENTS_ALL davsim python)
if(TARGET davsim_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEBIAN_MPI_PACKAGE_NAME davsim-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "davsim (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_MPI_PACKAGE_SUGGESTS "")
set(CPACK_COMPONENT_MPI_DESCRIPTION "davsim in several processes: dies of a system, rows of a sweep")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_DAVSIM_PACKAGE_NAME davsim)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-davsim)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "davsim (>= ${PROJECT_VERSION}), python3, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS
    "python3-torch, libtorch-dev, python3-matplotlib, python3-pandas, python3-pytest")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Python packages of davsim: operators, kernels, torch_npu")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_STRIP_FILES ON)
# Libraries are found by what the programs link; davsim-cc needs the compiler.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++ (>= 4:12), binutils, libsystemc-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, gdb, python3-davsim, davsim-mpi")
include(CPack)
