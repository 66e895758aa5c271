# What keeps a build short.
#
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

# davsim_precompiled_headers(NAME HEADERS... LIBRARIES LIBS...): compiles HEADERS once for all targets
# that name NAME in davsim_use_precompiled(TARGET NAME). LIBRARIES give their folders and definitions;
# the compiler refuses them where a definition that they look at differs.
function(davsim_precompiled_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  if(DAVSIM_PRECOMPILE)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "// Compiled headers.\n")
    # An executable, because code for shared libraries is compiled otherwise.
    add_executable(${name} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
    davsim_precompile(${name} ${arg_UNPARSED_ARGUMENTS})
  endif()
endfunction()

function(davsim_use_precompiled target name)
  if(DAVSIM_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# davsim_precompiled_kernel_headers(NAME): compiles the kernel API once a kind of core for the kernels
# of this folder and of those below it.
function(davsim_precompiled_kernel_headers name)
  if(DAVSIM_PRECOMPILE)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "// Compiled headers.\n")
    foreach(core IN ITEMS aic aiv)
      add_library(${name}_${core} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
      davsim_compile_for_core(${name}_${core} ${core})
      davsim_precompile(${name}_${core} "kernel_operator.h")
    endforeach()
    set(DAVSIM_KERNEL_HEADERS ${name} PARENT_SCOPE)
  endif()
endfunction()

# By default g++ collects the garbage of a heap of 128 MB, and walks through all compiled headers each
# time: up to a seventh of what a source takes. In kB.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=400000>")

# davsim_compile_together(TARGET [EXCEPT PATTERN]): compiles the sources of TARGET ten at a time, so
# that templates of the large headers are instantiated once for ten files. Names in anonymous
# namespaces must then be unique among them. Sources whose path matches PATTERN are compiled by
# themselves, as each is without DAVSIM_COMPILE_TOGETHER.
option(DAVSIM_COMPILE_TOGETHER "Compile several sources of a library at once" ON)

function(davsim_compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXCEPT" "")
  if(NOT DAVSIM_COMPILE_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  if(arg_EXCEPT)
    get_target_property(alone ${target} SOURCES)
    list(FILTER alone INCLUDE REGEX "${arg_EXCEPT}")
    set_property(SOURCE ${alone} TARGET_DIRECTORY ${target} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# davsim_compile_folders_together(TARGET): the same, with the sources of each folder as one.
function(davsim_compile_folders_together target)
  _davsim_compile_groups(${target} "/([^/]+)/[^/]+\\.cpp$")
endfunction()

# davsim_compile_alike_together(TARGET): the same, with those sources as one whose names begin with
# the same word.
function(davsim_compile_alike_together target)
  _davsim_compile_groups(${target} "/([^/_]+)[^/]*\\.cpp$")
endfunction()

# Sources are of one group in whose names PATTERN finds the same.
function(_davsim_compile_groups target pattern)
  if(NOT DAVSIM_COMPILE_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(source MATCHES "${pattern}")
      set_property(SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP ${CMAKE_MATCH_1})
    endif()
  endforeach()
endfunction()

# davsim_compile_lightly(TARGET): for code that runs once a launch or once a process. The second level
# of optimisation would take a third more of the compiler's time. At the first level g++ 12 warns of
# overruns inside std::string where there is nothing to warn of (GCC PR 105651).
function(davsim_compile_lightly target)
  set(quiet $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> ${quiet})
endfunction()
