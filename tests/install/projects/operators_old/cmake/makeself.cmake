message(FATAL_ERROR "the vendor's makeself does not exist")
