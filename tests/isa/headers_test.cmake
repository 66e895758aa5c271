# Compiles each header of the kernel libraries alone: programs may include any of them first. A part
# that says "Included by" belongs to the header it names. Needs CXX and ROOT.
include(${ROOT}/tests/compile_only.cmake)

set(SOURCE /dev/null)
file(GLOB_RECURSE headers RELATIVE ${ROOT}/isa/include ${ROOT}/isa/include/lib/*.h)
foreach(header IN LISTS headers)
  file(READ ${ROOT}/isa/include/${header} text LIMIT 400)
  if(text MATCHES "Included by")
    continue()
  endif()
  compile(-D__DAV_C220_VEC__ -include ${header} -x c++)
  if(NOT status EQUAL 0)
    message(SEND_ERROR "${header} does not compile on its own:\n${errors}")
  endif()
endforeach()
