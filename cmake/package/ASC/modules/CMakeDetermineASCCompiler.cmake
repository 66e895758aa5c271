# Finds the compiler of ASC: what find_package(ASC) set, else davsim-cc in PATH.
if(NOT CMAKE_ASC_COMPILER)
  find_program(CMAKE_ASC_COMPILER NAMES davsim-cc bisheng REQUIRED)
endif()
mark_as_advanced(CMAKE_ASC_COMPILER)
set(CMAKE_ASC_COMPILER_ENV_VAR ASC)
# ASC may be the first language: nobody has looked for these then.
find_program(CMAKE_AR NAMES ar REQUIRED)
find_program(CMAKE_RANLIB NAMES ranlib REQUIRED)
mark_as_advanced(CMAKE_AR CMAKE_RANLIB)
configure_file(${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in
               ${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake @ONLY)
