add_library(intf_pub INTERFACE)
message(FATAL_ERROR "the vendor's headers do not exist")
