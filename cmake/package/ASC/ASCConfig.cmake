# find_package(ASC) before project(p LANGUAGES ASC CXX): the language ASC, whose compiler is davsim-cc.
#
#   CMAKE_ASC_ARCHITECTURES   dav-2201
#   CMAKE_ASC_RUN_MODE        npu, sim or cpu
#   CMAKE_ASC_STANDARD        17; kernels are compiled as C++20 at least
#
# Sources are *.asc, and others with set_source_files_properties(f PROPERTIES LANGUAGE ASC).
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/modules)
get_filename_component(DAVSIM_ASC_PREFIX ${CMAKE_CURRENT_LIST_DIR}/../../.. REALPATH)
set(CMAKE_ASC_COMPILER ${DAVSIM_ASC_PREFIX}/bin/davsim-cc CACHE FILEPATH "Compiler of ASC")
# Projects pass it on as --npu-arch, whether they set it or not.
if(NOT CMAKE_ASC_ARCHITECTURES)
  set(CMAKE_ASC_ARCHITECTURES dav-2201)
endif()
if(NOT CMAKE_ASC_ARCHITECTURES MATCHES "^dav-(2201|c220)")
  message(FATAL_ERROR "CMAKE_ASC_ARCHITECTURES is '${CMAKE_ASC_ARCHITECTURES}'; davsim simulates "
                      "dav-2201")
endif()
# What else projects link; targets come with the first language, so after project().
if(COMMAND add_library AND PROJECT_NAME)
  find_package(davsim CONFIG NO_DEFAULT_PATH PATHS ${DAVSIM_ASC_PREFIX}/lib/cmake/davsim)
endif()
# Functions for operator projects, whose languages need not be known yet.
include(${DAVSIM_ASC_PREFIX}/lib/cmake/davsim/DavsimOperatorNames.cmake)
set(ASC_FOUND TRUE)
