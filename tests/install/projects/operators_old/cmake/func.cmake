# Stands for functions that call the vendor's tools.
function(opbuild)
  message(FATAL_ERROR "op_build of the vendor does not exist")
endfunction()
function(add_ops_compile_options)
endfunction()
function(add_kernels_compile)
  message(FATAL_ERROR "opc of the vendor does not exist")
endfunction()
