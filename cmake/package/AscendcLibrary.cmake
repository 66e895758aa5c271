# The functions of the vendor's first generation of build files:
#
#   ascendc_library(target [STATIC|SHARED|OBJECT] sources...)
#       A library of the sources' kernels. Whoever links it may include aclrtlaunch_<kernel>.h, with
#       which ACLRT_LAUNCH_KERNEL(kernel)(blocks, stream, arguments...) launches.
#   ascendc_fatbin_library(target sources...)
#       The kernels as fatbin/<target>/<target>.o, a shared object to be loaded at run time.
#   ascendc_compile_definitions(target PRIVATE macros...), ascendc_include_directories(...) and
#   ascendc_compile_options(...)
#       For the target's sources. Macros may begin with -D; generator expressions are evaluated.
#
# RUN_MODE cpu compiles for a main() that uses ICPU_RUN_KF; npu and sim are the same here. SOC_VERSION
# and the like are accepted: the SoC is chosen when the program runs.
#
# DAVSIM_CC is davsim-cc; davsim::acl is what programs of the AscendCL interface link.
include_guard(GLOBAL)

function(ascendc_library target)
  set(kind STATIC)
  if("${ARGV1}" MATCHES "^(STATIC|SHARED|OBJECT)$")
    set(kind ${ARGV1})
    list(POP_FRONT ARGN)
  endif()
  if(NOT ARGN)
    message(FATAL_ERROR "ascendc_library(${target}): no sources")
  endif()
  _davsim_kernel_objects(${target} objects ${ARGN})
  if(kind STREQUAL OBJECT)
    add_library(${target} INTERFACE)
    # As files to link: sources that are generated are known in their own folder only.
    target_link_libraries(${target} INTERFACE ${objects})
    set(visible INTERFACE)
  else()
    add_library(${target} ${kind} ${objects})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    set(visible PUBLIC)
  endif()
  add_dependencies(${target} ${target}_kernels)
  target_include_directories(${target} INTERFACE
                             $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/include/${target}>
                             $<INSTALL_INTERFACE:include/${target}>)
  # A main() of the CPU twin includes the kernel API.
  target_link_libraries(${target} ${visible}
                        $<IF:$<STREQUAL:${RUN_MODE},cpu>,davsim::ascendcl,davsim::acl>)
  target_compile_definitions(${target} INTERFACE
                             $<$<STREQUAL:${RUN_MODE},cpu>:ASCENDC_CPU_DEBUG=1>)
  if(NOT kind STREQUAL OBJECT)
    install(TARGETS ${target} LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
  endif()
  install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/include/${target}/ DESTINATION include/${target}
          OPTIONAL)
endfunction()

function(ascendc_fatbin_library target)
  if(NOT ARGN)
    message(FATAL_ERROR "ascendc_fatbin_library(${target}): no sources")
  endif()
  _davsim_kernel_objects(${target} objects ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/fatbin/${target})
  add_library(${target} MODULE ${objects})
  add_dependencies(${target} ${target}_kernels)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX PREFIX "" SUFFIX .o
                        LIBRARY_OUTPUT_DIRECTORY ${folder})
  target_link_libraries(${target} PRIVATE davsim::acl)
  install(TARGETS ${target} LIBRARY DESTINATION fatbin/${target})
endfunction()

function(ascendc_compile_definitions target visibility)
  list(TRANSFORM ARGN REPLACE "^-D" "")
  list(TRANSFORM ARGN REPLACE ":-D" ":" REGEX "^\\$<")
  set_property(TARGET ${target}_kernels APPEND PROPERTY DAVSIM_DEFINITIONS ${ARGN})
endfunction()

function(ascendc_include_directories target visibility)
  foreach(folder IN LISTS ARGN)
    if(NOT folder MATCHES "^\\$<")
      get_filename_component(folder "${folder}" ABSOLUTE)
    endif()
    set_property(TARGET ${target}_kernels APPEND PROPERTY DAVSIM_INCLUDES ${folder})
  endforeach()
endfunction()

# Options behind -forward-options-to-host-compiler are the host compiler's; it is the same one here.
function(ascendc_compile_options target visibility)
  list(REMOVE_ITEM ARGN -forward-options-to-host-compiler)
  foreach(option IN LISTS ARGN)
    # "SHELL:-include file.h" keeps words together that CMake would drop as repeated.
    if(option MATCHES "^SHELL:(.*)$")
      separate_arguments(option UNIX_COMMAND "${CMAKE_MATCH_1}")
    endif()
    set_property(TARGET ${target}_kernels APPEND PROPERTY DAVSIM_OPTIONS ${option})
  endforeach()
endfunction()

# Compiles each source with kernels into an object; sets `result` to the objects. The target
# ${target}_kernels makes them; its properties are read when the build files are written, because
# projects name options behind the library.
function(_davsim_kernel_objects target result)
  set(mode --run-mode=npu)
  if(RUN_MODE STREQUAL "cpu")
    set(mode --run-mode=cpu)
  endif()
  set(headers ${CMAKE_CURRENT_BINARY_DIR}/include/${target})
  file(MAKE_DIRECTORY ${headers})
  set(properties ${target}_kernels)
  # What a generator expression leaves empty is no macro and no folder. CMake evaluates those in
  # properties of its own only, unless it is told to.
  # Projects give the library itself folders and macros as well.
  set(own "$<TARGET_PROPERTY:${target},")
  if(kind STREQUAL OBJECT)
    string(APPEND own INTERFACE_)
  endif()
  set(definitions "$<GENEX_EVAL:$<TARGET_PROPERTY:${properties},DAVSIM_DEFINITIONS>>")
  string(APPEND definitions ";${own}COMPILE_DEFINITIONS>")
  set(definitions "$<REMOVE_DUPLICATES:$<FILTER:${definitions},EXCLUDE,^$>>")
  set(includes "$<GENEX_EVAL:$<TARGET_PROPERTY:${properties},DAVSIM_INCLUDES>>")
  string(APPEND includes ";${own}INCLUDE_DIRECTORIES>")
  set(includes "$<REMOVE_DUPLICATES:$<FILTER:${includes},EXCLUDE,^$>>")
  set(type "$<IF:$<CONFIG:Debug>,-g;-O0,-O2>")
  set(objects "")
  foreach(source IN LISTS ARGN)
    get_filename_component(source "${source}" ABSOLUTE)
    if(NOT EXISTS ${source})
      message(FATAL_ERROR "ascendc_library(${target}): there is no source ${source}")
    endif()
    get_filename_component(name ${source} NAME)
    list(LENGTH objects number)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels/${number}_${name}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${DAVSIM_CC} -c -x asc ${source} -o ${object} -fPIC ${mode} "${type}"
              --davsim-launch-headers=${headers} -MD -MF ${object}.d -MT ${object}
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
              "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
              "$<GENEX_EVAL:$<TARGET_PROPERTY:${properties},DAVSIM_OPTIONS>>"
      DEPENDS ${source} ${DAVSIM_CC} DEPFILE ${object}.d
      COMMENT "Kernels of ${name} for ${target}" COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels)
  add_custom_target(${properties} DEPENDS ${objects})
  set(${result} ${objects} PARENT_SCOPE)
endfunction()
