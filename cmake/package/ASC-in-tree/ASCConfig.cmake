# find_package(ASC) by a path within the tree: the package is in davsim's prefix, above lib/.
get_filename_component(davsim_asc_file ${CMAKE_CURRENT_LIST_FILE} REALPATH)
string(REGEX REPLACE "/lib/davsim/ascend/.*$" "" davsim_asc_root ${davsim_asc_file})
include(${davsim_asc_root}/lib/cmake/ASC/ASCConfig.cmake)
