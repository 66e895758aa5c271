# _davsim_aclnn_functions(RESULT lists...)
#
# Writes the headers aclnnop/aclnn_*.h that the lists describe into include/ of the build folder, and
# the second phases of their functions into a source whose path is RESULT. A list has
#
#   # comments,
#   aclnn_add.h
#     // out = self + alpha * other
#     aclnnAdd(const aclTensor* self, const aclTensor* other, const aclScalar* alpha, aclTensor* out)
#
# that is the name of a header, and below it, indented, its functions, each with a comment and with
# the parameters of its first phase up to the last two, which all have. lists/NAME.h includes the
# headers of the list NAME.txt, for the source that defines the first phases.
function(_davsim_aclnn_functions result)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/include/aclnnop)
  set(includes "")
  set(bodies "")
  set(first_phases "")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  foreach(list IN LISTS ARGN)
    file(STRINGS ${list} lines)
    set(header "")
    set(own_includes "")
    foreach(line IN LISTS lines)
      if(line MATCHES "^#")
        continue()
      elseif(line MATCHES "^(aclnn_[a-z0-9_]+)[.]h$")
        _davsim_write_aclnn_header()
        set(header ${CMAKE_MATCH_1})
        set(declarations "")
      elseif(line MATCHES "^  // (.+)$")
        set(comment "${CMAKE_MATCH_1}")
      elseif(line MATCHES "^  (aclnn[A-Za-z0-9]+)[(](.+)[)]$")
        set(name ${CMAKE_MATCH_1})
        string(APPEND declarations "\n/* ${comment} */\n"
               "ACL_FUNC_VISIBILITY aclnnStatus ${name}GetWorkspaceSize(\n"
               "    ${CMAKE_MATCH_2},\n"
               "    uint64_t* workspaceSize, aclOpExecutor** executor)@\n"
               "ACL_FUNC_VISIBILITY aclnnStatus ${name}(void* workspace, uint64_t workspaceSize,\n"
               "    aclOpExecutor* executor, aclrtStream stream)@\n")
        string(APPEND first_phases "    reinterpret_cast<const void*>(&${name}GetWorkspaceSize),\n")
        string(APPEND bodies
               "\naclnnStatus ${name}(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,\n"
               "                      aclrtStream stream) {\n"
               "  return second_phase(\"${name}\", workspace, workspaceSize, executor, stream)@\n}\n")
      else()
        message(FATAL_ERROR "${list}: '${line}' is no header, comment or function")
      endif()
    endforeach()
    _davsim_write_aclnn_header()
    get_filename_component(family ${list} NAME_WE)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/lists/${family}.h
         CONTENT "// Generated from ${list}.\n#pragma once\n\n${own_includes}")
    string(APPEND includes "#include \"lists/${family}.h\"\n")
  endforeach()
  string(REPLACE "@" ";" bodies "${bodies}")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/second_phases.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
"// Generated from the lists in runtime/basic_operators/functions.
#include \"runtime/basic_operators/first_phase.hpp\"
${includes}
using davsim::basic::second_phase;

// The linker refuses a library without one of them.
[[gnu::used]] static const void* const first_phases[] = {
${first_phases}};
${bodies}")
  set(${result} ${source} PARENT_SCOPE)
endfunction()

# Writes the header that the lines before have, if there is one. Semicolons are @ until here, because
# lists of CMake end at them.
macro(_davsim_write_aclnn_header)
  if(header)
    string(TOUPPER DAVSIM_ACLNNOP_${header}_H guard)
    string(REPLACE "@" ";" text "${declarations}")
    file(CONFIGURE OUTPUT ${folder}/${header}.h CONTENT
"/* Generated from ${list}: see docs/aclnn.md. */
#ifndef ${guard}
#define ${guard}

#include \"aclnn/acl_meta.h\"

#ifdef __cplusplus
extern \"C\" {
#endif
${text}
#ifdef __cplusplus
}
#endif

#endif
")
    string(APPEND own_includes "#include \"aclnnop/${header}.h\"\n")
  endif()
endmacro()
