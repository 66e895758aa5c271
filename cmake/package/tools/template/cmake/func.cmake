# opbuild, add_ops_compile_options, add_kernels_compile and so on.
include(${DAVSIM_CMAKE_DIR}/DavsimOperatorNames.cmake)
