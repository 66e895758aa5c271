# Compiles calls.cpp: what davsim does not have is a compile-time error that names it, and one error
# only. Needs CXX, SOURCE (calls.cpp) and ROOT.
include(${ROOT}/tests/compile_only.cmake)

compile()
if(NOT status EQUAL 0)
  message(SEND_ERROR "a kernel that calls nothing missing does not compile:\n${errors}")
endif()

compile(-D MISSING)
set(absent Ands PhiloxRandom RpSort16 Scatter)
set(names MissingTypes MissingValues MissingMixed MissingResult MissingMember MissingOverload
          CubeResGroupHandle InitSpmBuffer MissingElsewhere CheckLocalMemoryIA
          CreateCubeResGroup)
string(REGEX MATCHALL "[^\n]* error: [^\n]*" found "${errors}")
foreach(name IN LISTS names absent)
  set(of_name "${found}")
  list(FILTER of_name INCLUDE REGEX
       "davsim does not support ${name} yet|2201 has no ${name}:")
  list(LENGTH of_name count)
  if(NOT count EQUAL 1)
    message(SEND_ERROR "expected one error that names ${name}:\n${errors}")
  endif()
endforeach()
list(APPEND names ${absent})
list(LENGTH names expected)
list(LENGTH found count)
if(NOT count EQUAL expected)
  message(SEND_ERROR "expected ${expected} errors, got ${count}:\n${errors}")
endif()

# A call whose first argument is a tensor names the tensor's type as well.
foreach(call IN ITEMS "Ands.*Element = davsim::isa::half" "CreateCubeResGroup.*Element = float")
  if(NOT errors MATCHES "In instantiation of [^\n]*${call}")
    message(SEND_ERROR "expected the call and its type, ${call}:\n${errors}")
  endif()
endforeach()
