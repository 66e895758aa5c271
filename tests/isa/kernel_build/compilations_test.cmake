# Counts the compilations of the kernel sources of FOLDER in COMMANDS, a compile_commands.json: two
# kernels of add_custom.cpp and of mixed_custom.cpp each, and four of qualified_custom.cpp.
file(READ ${COMMANDS} commands)
foreach(source IN ITEMS add_custom mixed_custom qualified_custom)
  string(REGEX MATCHALL "\"file\": \"[^\"]*(${FOLDER}/${source}|${source}_[0-9a-f]+_source)\\.cpp\""
         found "${commands}")
  list(LENGTH found count)
  if(NOT count EQUAL 2)
    message(SEND_ERROR "${source}.cpp is compiled ${count} times and not twice")
  endif()
endforeach()
