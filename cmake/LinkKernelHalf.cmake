# Turns the object of one half of a kernel into one whose only global name is its entry point,
# renamed to davsim_<CORE>_<NAME>. Run as a script with NAME, CORE, SOURCE, OBJECT, OUTPUT, LINKER,
# OBJCOPY and NM.

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status ERROR_VARIABLE errors OUTPUT_VARIABLE out)
  if(NOT status EQUAL 0)
    file(REMOVE ${OUTPUT})
    message(FATAL_ERROR "Kernel ${NAME} (${CORE}): ${what} failed: ${errors}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run("listing the symbols of ${OBJECT}" ${NM} --defined-only --extern-only ${OBJECT})
# With C++ linkage the name is mangled: its length, the name, the parameters.
string(LENGTH ${NAME} length)
string(REGEX MATCHALL " T ${NAME}\n" symbols "${out}")
if(NOT symbols)
  string(REGEX MATCHALL " T _Z${length}${NAME}[^\n]*\n" symbols "${out}")
endif()
list(LENGTH symbols count)
if(NOT count EQUAL 1)
  set(found "does not define the kernel's entry point")
  if(count GREATER 1)
    set(found "defines ${count} functions of the kernel's name")
  endif()
  message(FATAL_ERROR "Kernel ${NAME} (${CORE}): ${SOURCE} ${found}. Expected\n"
                      "  __global__ __aicore__ void ${NAME}(...)\n"
                      "once, outside all namespaces, in the compilation for the ${CORE}; every "
                      "kernel is compiled for both core types.")
endif()
string(REGEX REPLACE "^ T |\n" "" symbol "${symbols}")

# Inline functions, templates and virtual tables sit in groups that the final link would merge by
# name, across halves and kernels. Ungrouped and made local, each half keeps its own.
run("linking" ${LINKER} -r --force-group-allocation -o ${OUTPUT} ${OBJECT})
run("hiding symbols" ${OBJCOPY} --keep-global-symbol=${symbol} ${OUTPUT})
# A kernel that is qualified with __vector__, __cube__ or __mix__ lies in a section of its own, which
# loses its number: the linker bounds sections whose names are identifiers.
run("finding the section of ${NAME}" ${NM} --defined-only --format=sysv ${OUTPUT})
if(out MATCHES "(^|\n)${symbol} *\\|[^\n]*\\|((davsim_kernels_[0-9]_[0-9])\\.[0-9]+)")
  set(section ${CMAKE_MATCH_2})
  set(cores ${CMAKE_MATCH_3})
  if(NOT cores MATCHES "_(0_1|1_0|1_1|1_2)$")
    file(REMOVE ${OUTPUT})
    message(FATAL_ERROR "Kernel ${NAME} (${CORE}): allowed are __mix__(1, 0), __mix__(1, 1), "
                        "__mix__(1, 2) and __mix__(0, 1)")
  endif()
  run("naming the section of ${NAME}" ${OBJCOPY} --rename-section ${section}=${cores} ${OUTPUT})
endif()
run("renaming the entry point" ${OBJCOPY} --redefine-sym ${symbol}=davsim_${CORE}_${NAME} ${OUTPUT})

run("listing the symbols of ${OUTPUT}" ${NM} --defined-only --extern-only --format=just-symbols
    ${OUTPUT})
string(STRIP "${out}" out)
if(NOT out STREQUAL "davsim_${CORE}_${NAME}")
  file(REMOVE ${OUTPUT})
  message(FATAL_ERROR "Kernel ${NAME} (${CORE}): these names stayed global and would be shared "
                      "with other kernels:\n${out}")
endif()
