# Compiles refused_types.cpp: types of Matmul objects that the documentation does not have for
# architecture 2201 are errors that say the rule. Needs CXX, SOURCE and ROOT.
include(${ROOT}/tests/compile_only.cmake)

compile()
if(NOT status EQUAL 0)
  message(SEND_ERROR "an object that is allowed does not compile:\n${errors}")
endif()

compile(-D REFUSED)
foreach(rule IN ITEMS "2 CubeFormat of A is ND, NZ or VECTOR, that of B ND or NZ"
                      "1 CubeFormat of C is ND, NZ or ND_ALIGN"
                      "2 C is float, half or bfloat16_t for A and B of float"
                      "1 a transposed A of int4b_t has no load"
                      "1 the bias is float or half for A and B of float"
                      "1 A and B are both half, bfloat16_t, float"
                      "1 intraBlockPartSum and enableRelu"
                      "1 isPartialOutput is of the MDL template alone"
                      "1 with isEnableChannelSplit C is float in CubeFormat NZ"
                      "1 an operand that is one number is half or float")
  string(REGEX MATCH "^([0-9]+) (.*)$" whole "${rule}")
  set(expected ${CMAKE_MATCH_1})
  set(text "${CMAKE_MATCH_2}")
  string(REGEX MATCHALL "static assertion failed: Matmul: [^\n]*${text}" found "${errors}")
  list(LENGTH found count)
  if(NOT count EQUAL expected)
    message(SEND_ERROR "expected ${expected} errors \"${text}\", got ${count}:\n${errors}")
  endif()
endforeach()
