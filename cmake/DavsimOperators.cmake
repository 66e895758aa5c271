# davsim_add_operators(TARGET HOST files... KERNELS folders... [COMPUTE_UNIT units...]
#                      [KERNEL_FILES TYPE=file...] [KERNEL_OPTIONS TYPE=option...]
#                      [INCLUDES dirs...] [DEFINITIONS macros...]
#                      [OPAPI_SOURCES files...]
#                      [OPAPI target] [VENDOR name] [ACLNN_FOLDER dir])
#
# Builds an operator project as the shared library TARGET, which `davsim run --operators` loads, and
# TARGET_opapi, the library of the functions by which programs call the operators, aclnnAddCustom and
# so on. Their headers are aclnn_add_custom.h in the folder TARGET_operators/aclnn; who links
# TARGET_opapi finds them.
# HOST are the sources of op_host: definitions of operators, tiling, inference of shapes. KERNELS are
# the folders op_kernel, in which AddCustom's kernel is add_custom.cpp; KERNEL_FILES names the kernel
# of an operator whose file is called otherwise, KERNEL_OPTIONS are -D, -I and --cce-auto-sync=off for
# the kernel of one operator. COMPUTE_UNIT is ascend910b and ascend910_93 unless
# it is given. INCLUDES and DEFINITIONS are for both. OPAPI names the target of the functions; it may
# exist already as a library, and gets their sources then, which are written into ACLNN_FOLDER.
# OPAPI_SOURCES are functions that the project writes by hand; they take the place of generated ones of
# the same name, and headers aclnn_*.h beside them that of generated ones. The
# files of an operator package are installed below packages/vendors/VENDOR, by default that of
# TARGET, as component operators.
#
# The configuration compiles HOST, loads it in davsim-opbuild and reads there what is registered:
# kernels are compiled for the tiling keys that their sources name, and for the columns of types
# that their operators declare. CMake configures again when one of the sources changes.
#
if(NOT COMMAND davsim_add_kernel)
  include(${CMAKE_CURRENT_LIST_DIR}/DavsimKernel.cmake)
endif()
# Out of a clone, where no package brings it.
if(NOT TARGET davsim_flags)
  add_library(davsim_flags INTERFACE)
  target_compile_options(davsim_flags INTERFACE -ffp-contract=off)
  target_include_directories(davsim_flags INTERFACE ${CMAKE_CURRENT_LIST_DIR}/..
                             ${CMAKE_CURRENT_LIST_DIR}/../isa/include)
endif()
find_program(DAVSIM_OPBUILD davsim-opbuild
             HINTS ${CMAKE_CURRENT_LIST_DIR}/../build/bin ${CMAKE_CURRENT_LIST_DIR}/../../../bin
             DOC "davsim's generator for operator projects")
find_path(DAVSIM_OP_HOST_INCLUDE register/op_def_registry.h
          HINTS ${CMAKE_CURRENT_LIST_DIR}/../runtime/op_host/include
                ${CMAKE_CURRENT_LIST_DIR}/../../../include/davsim/runtime/op_host/include
          NO_DEFAULT_PATH DOC "Headers for the sources of op_host")
find_path(DAVSIM_ACL_INCLUDE aclnn/acl_meta.h
          HINTS ${CMAKE_CURRENT_LIST_DIR}/../runtime/include
                ${CMAKE_CURRENT_LIST_DIR}/../../../include/davsim/runtime/include
          NO_DEFAULT_PATH DOC "Headers of the AscendCL interface")
# What programs include: hccl.h shares names with the kernel API.
set(DAVSIM_PROGRAM_INCLUDES ${DAVSIM_ACL_INCLUDE} ${DAVSIM_ACL_INCLUDE}/../../isa/include
    CACHE INTERNAL "")
find_library(DAVSIM_ASCENDCL ascendcl
             HINTS ${CMAKE_CURRENT_LIST_DIR}/../build/runtime
                   ${CMAKE_CURRENT_LIST_DIR}/../../../lib/davsim/ascend/lib64
             NO_DEFAULT_PATH DOC "The AscendCL interface of davsim")

function(davsim_add_operators target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OPAPI;VENDOR;ACLNN_FOLDER"
                        "HOST;KERNELS;COMPUTE_UNIT;KERNEL_FILES;KERNEL_OPTIONS;INCLUDES;DEFINITIONS;OPAPI_SOURCES")
  if(NOT arg_OPAPI)
    set(arg_OPAPI ${target}_opapi)
  endif()
  if(NOT arg_VENDOR)
    set(arg_VENDOR ${target})
  endif()
  _davsim_check_operators(${target})
  if(NOT arg_COMPUTE_UNIT)
    set(arg_COMPUTE_UNIT ascend910b ascend910_93)
  endif()
  list(TRANSFORM arg_DEFINITIONS REPLACE "^-D" "")
  foreach(kernels IN LISTS arg_KERNELS)
    get_filename_component(kernels "${kernels}" ABSOLUTE)
    list(APPEND kernel_folders ${kernels})
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_operators)
  if(NOT arg_ACLNN_FOLDER)
    set(arg_ACLNN_FOLDER ${folder}/aclnn)
  endif()
  foreach(include IN LISTS arg_INCLUDES)
    get_filename_component(include "${include}" ABSOLUTE)
    list(APPEND includes ${include})
  endforeach()
  # Tiling structs that hosts share with kernels lie beside the kernel API. Headers of op_common have
  # shorter names as well (util/math_util.h), which a project may have for headers of its own.
  set(host_includes ${DAVSIM_OP_HOST_INCLUDE} ${DAVSIM_OP_HOST_INCLUDE}/../../../isa/include
                    ${DAVSIM_ACL_INCLUDE} ${includes} ${DAVSIM_OP_HOST_INCLUDE}/op_common
                    ${DAVSIM_OP_HOST_INCLUDE}/op_common/op_host)
  list(TRANSFORM host_includes PREPEND -I OUTPUT_VARIABLE host_flags)
  list(TRANSFORM arg_DEFINITIONS PREPEND -D OUTPUT_VARIABLE definition_flags)
  list(APPEND host_flags ${definition_flags})
  # Kernels that are templates share a header with the host's sources.
  set(davsim_operators_includes ${includes} ${DAVSIM_OP_HOST_INCLUDE}
                                ${DAVSIM_OP_HOST_INCLUDE}/../../../isa/include/op_common)
  _davsim_compile_op_host()
  _davsim_run_opbuild()

  # Everything that goes into a shared library. Projects may ask for the older layout of strings,
  # which the vendor's libraries have; what davsim loads has the newer one.
  set(layout -U_GLIBCXX_USE_CXX11_ABI -D_GLIBCXX_USE_CXX11_ABI=1)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_CXX_EXTENSIONS ON)
  add_library(${target}_host OBJECT ${hosts})
  set_target_properties(${target}_host PROPERTIES CXX_STANDARD 17)
  target_compile_options(${target}_host PRIVATE ${layout})
  target_include_directories(${target}_host PRIVATE ${host_includes})
  target_compile_definitions(${target}_host PRIVATE ${arg_DEFINITIONS})

  set(CMAKE_CXX_STANDARD 20)
  add_library(${target} SHARED $<TARGET_OBJECTS:${target}_host> ${folder}/operators_table.cpp)
  target_include_directories(${target} PRIVATE ${DAVSIM_OP_HOST_INCLUDE})
  target_compile_options(${target} PRIVATE ${layout})
  set(davsim_operators_target ${target})
  set(davsim_operators_definitions ${arg_DEFINITIONS})
  include(${folder}/operators.cmake)
  _davsim_add_operator_functions()
endfunction()

# The library of the operators' functions, and the files of a package as the device has them, with
# the library of the kernels in a folder of its own.
macro(_davsim_add_operator_functions)
  include(${arg_ACLNN_FOLDER}/aclnn.cmake)
  set(${target}_ACLNN_SOURCES ${davsim_aclnn_sources} ${arg_OPAPI_SOURCES} PARENT_SCOPE)
  if(NOT TARGET ${arg_OPAPI})
    add_library(${arg_OPAPI} SHARED)
  endif()
  target_sources(${arg_OPAPI} PRIVATE ${davsim_aclnn_sources})
  _davsim_add_own_functions()
  target_compile_features(${arg_OPAPI} PRIVATE cxx_std_17)
  target_include_directories(${arg_OPAPI} PUBLIC ${arg_ACLNN_FOLDER} ${DAVSIM_PROGRAM_INCLUDES}
                             PRIVATE ${host_includes} ${DAVSIM_ACL_INCLUDE}/aclnn_kernels)
  target_compile_definitions(${arg_OPAPI} PRIVATE ${arg_DEFINITIONS})
  # As properties, because the project may link libraries of its own with or without keywords.
  if(DAVSIM_ASCENDCL)
    foreach(property IN ITEMS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      set_property(TARGET ${arg_OPAPI} APPEND PROPERTY ${property} ${DAVSIM_ASCENDCL})
    endforeach()
  endif()
  # A program finds the kernels when it calls.
  add_dependencies(${arg_OPAPI} ${target})
  set(package packages/vendors/${arg_VENDOR})
  install(FILES ${davsim_aclnn_headers} DESTINATION ${package}/op_api/include COMPONENT operators)
  install(TARGETS ${arg_OPAPI} LIBRARY DESTINATION ${package}/op_api/lib COMPONENT operators)
  install(TARGETS ${target} LIBRARY DESTINATION ${package}/op_impl/ai_core/davsim
          COMPONENT operators)
endmacro()

# The functions that the project writes by hand, with their headers in place of generated ones.
macro(_davsim_add_own_functions)
  foreach(source IN LISTS arg_OPAPI_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    get_filename_component(beside ${source} DIRECTORY)
    target_sources(${arg_OPAPI} PRIVATE ${source})
    target_include_directories(${arg_OPAPI} BEFORE PUBLIC ${beside})
    file(GLOB own_headers CONFIGURE_DEPENDS ${beside}/aclnn_*.h)
    foreach(header IN LISTS own_headers)
      get_filename_component(name ${header} NAME)
      list(FILTER davsim_aclnn_headers EXCLUDE REGEX "/${name}$")
      list(APPEND davsim_aclnn_headers ${header})
    endforeach()
  endforeach()
endmacro()

# Stops the configuration with what is wrong about a call; sets `hosts`.
macro(_davsim_check_operators target)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "davsim_add_operators(${target}): unknown arguments "
                        "${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_HOST OR NOT arg_KERNELS)
    message(FATAL_ERROR "davsim_add_operators(${target}): HOST and KERNELS are required")
  endif()
  if(NOT DAVSIM_OPBUILD OR NOT DAVSIM_OP_HOST_INCLUDE)
    message(FATAL_ERROR "davsim_add_operators(${target}): davsim-opbuild and the headers beside it "
                        "are not found; set DAVSIM_OPBUILD and DAVSIM_OP_HOST_INCLUDE")
  endif()
  set(hosts "")
  foreach(host IN LISTS arg_HOST)
    get_filename_component(host "${host}" ABSOLUTE)
    if(NOT EXISTS ${host})
      message(FATAL_ERROR "davsim_add_operators(${target}): HOST ${host} does not exist")
    endif()
    list(APPEND hosts ${host})
  endforeach()
endmacro()

# Compiles HOST to ${library}, unless it is newer than all that it may depend on.
macro(_davsim_compile_op_host)
  set(library ${folder}/op_host.so)
  set(inputs ${hosts} ${DAVSIM_OPBUILD})
  foreach(host IN LISTS hosts)
    get_filename_component(beside ${host} DIRECTORY)
    file(GLOB headers ${beside}/*.h ${beside}/*.hpp)
    list(APPEND inputs ${headers})
  endforeach()
  foreach(kernels IN LISTS kernel_folders)
    file(GLOB_RECURSE sources ${kernels}/*)
    list(APPEND kernel_sources ${sources})
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inputs} ${kernel_sources})
  # Keys and structures of tilings that both sides include stand beside the kernels.
  set(stale FALSE)
  foreach(input IN LISTS inputs kernel_sources)
    if(${input} IS_NEWER_THAN ${library})
      set(stale TRUE)
    endif()
  endforeach()
  if(stale)
    file(MAKE_DIRECTORY ${folder})
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -shared -fPIC -std=gnu++17 -w ${host_flags}
                            ${hosts} -o ${library}
                    RESULT_VARIABLE status ERROR_VARIABLE errors)
    if(NOT status EQUAL 0)
      file(REMOVE ${library})
      message(FATAL_ERROR "davsim_add_operators(${target}): the sources of op_host do not "
                          "compile:\n${errors}")
    endif()
  endif()
endmacro()

# Lets davsim-opbuild write sources and operators.cmake into ${folder}.
macro(_davsim_run_opbuild)
  set(options "")
  foreach(kernels IN LISTS kernel_folders)
    list(APPEND options --kernels ${kernels})
  endforeach()
  foreach(unit IN LISTS arg_COMPUTE_UNIT)
    list(APPEND options --unit ${unit})
  endforeach()
  foreach(file IN LISTS arg_KERNEL_FILES)
    if(NOT file MATCHES "^([^=]+)=(.+)$")
      message(FATAL_ERROR "davsim_add_operators(${target}): KERNEL_FILES has '${file}'; it takes "
                          "TYPE=file")
    endif()
    get_filename_component(source "${CMAKE_MATCH_2}" ABSOLUTE)
    list(APPEND options --kernel ${CMAKE_MATCH_1}=${source})
  endforeach()
  foreach(option IN LISTS arg_KERNEL_OPTIONS)
    list(APPEND options --option "${option}")
  endforeach()
  list(TRANSFORM kernel_folders PREPEND -I OUTPUT_VARIABLE scan_flags)
  get_target_property(kernel_includes davsim_flags INTERFACE_INCLUDE_DIRECTORIES)
  foreach(include IN LISTS kernel_includes davsim_operators_includes)
    list(APPEND scan_flags -I${include})
  endforeach()
  execute_process(COMMAND ${DAVSIM_OPBUILD} ${library} --out ${folder} --aclnn ${arg_ACLNN_FOLDER}
                          --library ${CMAKE_SHARED_LIBRARY_PREFIX}${target}.so ${options} -- ${CMAKE_CXX_COMPILER} -std=gnu++20 ${scan_flags}
                          ${definition_flags}
                  RESULT_VARIABLE status ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "davsim_add_operators(${target}): davsim-opbuild fails (${status}):\n${errors}")
  elseif(errors)
    message(WARNING "davsim_add_operators(${target}): ${errors}")
  endif()
endmacro()
