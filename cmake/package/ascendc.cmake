# What public build files include as ${ASCENDC_CMAKE_DIR}/ascendc.cmake: ascendc_library and so on.
# The folder above the tree's lib/ is davsim's prefix.
get_filename_component(davsim_tree_file ${CMAKE_CURRENT_LIST_FILE} REALPATH)
string(REGEX REPLACE "/lib/davsim/ascend/.*$" "" davsim_prefix ${davsim_tree_file})
find_package(davsim REQUIRED CONFIG NO_DEFAULT_PATH PATHS ${davsim_prefix}/lib/cmake/davsim)

# What host programs link beside their kernels.
if(NOT TARGET host_intf_pub)
  add_library(host_intf_pub INTERFACE IMPORTED GLOBAL)
  target_link_libraries(host_intf_pub INTERFACE davsim::acl)
endif()
