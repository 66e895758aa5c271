# davsim_precompile(TARGET HEADERS...): compiles HEADERS once for all sources of TARGET.
#
# Sources include what they use all the same: this only saves the compiler from reading the large
# headers (GoogleTest, SystemC, Boost.JSON, the kernel API) again for each of them, which is half of
# what a build takes. Without DAVSIM_PRECOMPILE nothing else changes.
option(DAVSIM_PRECOMPILE "Compile large headers once a target" ON)

function(davsim_precompile target)
  if(DAVSIM_PRECOMPILE)
    # In angle brackets, or CMake would look for headers of this tree in the target's folder.
    list(TRANSFORM ARGN REPLACE "^([^<].*)$" "<\\1>" OUTPUT_VARIABLE headers)
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()
