# What host sources are compiled with.
if(NOT TARGET intf_pub)
  add_library(intf_pub INTERFACE)
endif()
target_compile_features(intf_pub INTERFACE cxx_std_17)
target_include_directories(intf_pub INTERFACE ${ASCEND_CANN_PACKAGE_PATH}/include)
target_link_directories(intf_pub INTERFACE ${ASCEND_CANN_PACKAGE_PATH}/lib64)
