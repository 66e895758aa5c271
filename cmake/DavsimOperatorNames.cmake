# The vendor's functions for operator projects, in terms of davsim_add_operators. What a project says
# in several places is collected, and at the end of its top folder each package becomes a shared
# library with the package's name, and an operator package to install.
#
#   npu_op_package(NAME [TYPE t] [CONFIG ...])       a package; with TYPE SHARED or STATIC the libraries
#                                                    in INSTALL_PATH/op_api, for find_package(NAME);
#                                                    ENABLE_DEFAULT_PACKAGE_NAME_RULE False: NAME.run
#   npu_op_code_gen(SRC files... OUT_DIR folder)     its definitions; headers go to OUT_DIR
#   npu_op_library(TARGET TILING|GRAPH files...)     its host sources
#   npu_op_library(TARGET ACLNN files...)            the library of aclnn functions, with those that
#                                                    the project writes by hand
#   npu_op_kernel_library(TARGET SRC_BASE folder [TILING_LIBRARY target])
#   npu_op_kernel_sources(TARGET [OP_TYPE type] [KERNEL_DIR folder] [KERNEL_FILE file]
#                         [COMPUTE_UNIT units...])
#   npu_op_kernel_options(TARGET ALL|type OPTIONS options...)  -D, -I and --cce-auto-sync=off count;
#                                                    those of a type are for its kernel alone
#   npu_op_package_add(NAME ...)                     does nothing
#
# The older add_ops_compile_options(ALL|type OPTIONS options...), add_kernels_compile(),
# add_kernel_compile(type file) and opbuild(OPS_SRC files... OUT_DIR folder) are those of one package
# called cust, whose kernels are in the folder that calls add_kernels_compile. There
# ASCEND_PACK_SHARED_LIBRARY is what TYPE SHARED is elsewhere.
#
# The target `binary` builds what there is, and `package` makes custom_opp_<system>_<processor>.run,
# or NAME.run, which installs a package into ASCEND_OPP_PATH.
#
# Projects look for the functions before project(): nothing here needs a language until the end.
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/DavsimOperatorSources.cmake)
set(DAVSIM_OPERATORS_FILE ${CMAKE_CURRENT_LIST_DIR}/DavsimOperators.cmake CACHE INTERNAL "")
# Beside this file once it is installed, in a folder of the source tree.
set(DAVSIM_PACKAGE_FILE ${CMAKE_CURRENT_LIST_DIR}/RunPackage.cmake CACHE INTERNAL "")
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/davsimConfig.cmake)
  set(DAVSIM_OPERATORS_FILE ${CMAKE_CURRENT_LIST_DIR}/davsimConfig.cmake CACHE INTERNAL "")
else()
  set(DAVSIM_PACKAGE_FILE ${CMAKE_CURRENT_LIST_DIR}/package/RunPackage.cmake CACHE INTERNAL "")
endif()
# Where projects have the generated files put.
if(NOT ASCEND_AUTOGEN_PATH)
  set(ASCEND_AUTOGEN_PATH ${CMAKE_BINARY_DIR}/autogen)
  file(MAKE_DIRECTORY ${ASCEND_AUTOGEN_PATH})
endif()
# Libraries of which nothing is needed, but which the project may give options to.
set(DAVSIM_EMPTY_SOURCE ${CMAKE_BINARY_DIR}/davsim_empty.cpp CACHE INTERNAL "")
file(WRITE ${DAVSIM_EMPTY_SOURCE} "")

function(npu_op_package name)
  get_property(known GLOBAL PROPERTY DAVSIM_OP_PACKAGES)
  if(name IN_LIST known)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY DAVSIM_OP_PACKAGES ${name})
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TYPE" "CONFIG")
  cmake_parse_arguments(config "" "INSTALL_PATH;VENDOR_NAME;ENABLE_DEFAULT_PACKAGE_NAME_RULE" ""
                        ${arg_CONFIG})
  set(types RUN SHARED STATIC)
  if(arg_TYPE AND NOT arg_TYPE IN_LIST types)
    message(FATAL_ERROR "npu_op_package(${name}): TYPE is ${arg_TYPE}, allowed are RUN, SHARED and "
                        "STATIC")
  endif()
  set_property(GLOBAL PROPERTY DAVSIM_OP_TYPE_${name} "${arg_TYPE}")
  set_property(GLOBAL PROPERTY DAVSIM_OP_PATH_${name} "${config_INSTALL_PATH}")
  set_property(GLOBAL PROPERTY DAVSIM_OP_VENDOR_${name} "${config_VENDOR_NAME}")
  set_property(GLOBAL PROPERTY DAVSIM_OP_NAMING_${name} "${config_ENABLE_DEFAULT_PACKAGE_NAME_RULE}")
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY \"${CMAKE_SOURCE_DIR}\" CALL
                                           _davsim_finish_package \"${name}\")")
endfunction()

function(npu_op_package_add)
endfunction()

function(npu_op_code_gen)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE;OUT_DIR;JOIN_OP_DEF;JOIN_OP_REF"
                        "SRC;COMPILE_OPTIONS;OPTIONS")
  _davsim_collect_options(${arg_COMPILE_OPTIONS})
  _davsim_collect_definitions("${arg_OUT_DIR}" ${arg_SRC})
endfunction()

function(npu_op_library target kind)
  if(kind STREQUAL "ACLNN")
    # Generated sources come at the end, and those of the project with them.
    add_library(${target} SHARED ${DAVSIM_EMPTY_SOURCE})
    _davsim_collect_functions(${ARGN})
    set_property(GLOBAL PROPERTY DAVSIM_OP_OPAPI ${target})
    return()
  endif()
  _davsim_collect_host(${ARGN})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${DAVSIM_EMPTY_SOURCE})
  set_property(GLOBAL APPEND PROPERTY DAVSIM_OP_STUBS ${target})
endfunction()

function(npu_op_kernel_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SRC_BASE;TILING_LIBRARY" "")
  get_filename_component(base "${arg_SRC_BASE}" ABSOLUTE)
  set_property(GLOBAL PROPERTY DAVSIM_OP_BASE_${target} ${base})
  set_property(GLOBAL APPEND PROPERTY DAVSIM_OP_BINARIES ${CMAKE_CURRENT_BINARY_DIR}/${target}/binary)
  _davsim_collect_kernels(${base})
  if(NOT TARGET ${target})
    add_library(${target} OBJECT EXCLUDE_FROM_ALL ${DAVSIM_EMPTY_SOURCE})
  endif()
endfunction()

# May come before the library says where its folder is.
function(npu_op_kernel_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OP_TYPE;KERNEL_DIR" "COMPUTE_UNIT;SOC_SERIES;KERNEL_FILE")
  set_property(GLOBAL APPEND PROPERTY DAVSIM_OP_KERNEL_SOURCES
               "${target}|${arg_OP_TYPE}|${arg_KERNEL_DIR}|${arg_KERNEL_FILE}")
endfunction()

function(npu_op_kernel_options target operator)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "OPTIONS;COMPUTE_UNIT")
  add_ops_compile_options(${operator} OPTIONS ${arg_OPTIONS})
endfunction()

function(add_ops_compile_options operator)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS;COMPUTE_UNIT")
  if(operator STREQUAL "ALL")
    _davsim_collect_options(${arg_OPTIONS})
  else()
    _davsim_collect_own_options(${operator} ${arg_OPTIONS})
  endif()
endfunction()

function(opbuild)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_DIR;PROJECT_NAME;ACCESS_PREFIX;ENABLE_SOURCE"
                        "OPS_SRC")
  _davsim_collect_definitions("${arg_OUT_DIR}" ${arg_OPS_SRC})
endfunction()

function(add_kernels_compile)
  _davsim_collect_kernels(${CMAKE_CURRENT_SOURCE_DIR})
  set_property(GLOBAL APPEND PROPERTY DAVSIM_OP_BINARIES ${CMAKE_CURRENT_BINARY_DIR}/binary)
  npu_op_package(cust)
endfunction()

function(add_kernel_compile type file)
  get_filename_component(file "${file}" ABSOLUTE)
  get_filename_component(folder "${file}" DIRECTORY)
  _davsim_collect(KERNELS ABSOLUTE ${folder})
  _davsim_collect(KERNEL_FILES AS_IS ${type}=${file})
  npu_op_package(cust)
endfunction()

# "debian_x86_64", as names of packages have it.
function(get_system_info result)
  set(system linux)
  if(EXISTS /etc/os-release)
    file(STRINGS /etc/os-release line REGEX "^ID=")
    string(REGEX REPLACE "^ID=\"?([^\"]*)\"?$" "\\1" system "${line}")
  endif()
  set(${result} ${system}_${CMAKE_HOST_SYSTEM_PROCESSOR} PARENT_SCOPE)
endfunction()

# Steps of the vendor's build that there is nothing to do for.
foreach(name IN ITEMS add_ops_tiling_keys add_opc_config add_cross_compile_target add_ops_info_target
                      add_npu_support_target add_ops_impl_target add_ops_src_copy
                      add_ops_replay_targets add_bin_compile_target add_kernels_install)
  cmake_language(EVAL CODE "function(${name})\nendfunction()")
endforeach()

function(_davsim_finish_package name)
  include(${DAVSIM_OPERATORS_FILE})
  _davsim_place_kernel_sources()
  _davsim_collect_stubs()
  get_property(opapi GLOBAL PROPERTY DAVSIM_OP_OPAPI)
  if(NOT opapi)
    set(opapi cust_opapi)
  endif()
  _davsim_collect_copied_functions(${opapi})
  set(arguments "")
  foreach(argument IN ITEMS HOST KERNELS KERNEL_FILES KERNEL_OPTIONS INCLUDES DEFINITIONS
                            OPAPI_SOURCES)
    get_property(values GLOBAL PROPERTY DAVSIM_OP_${argument})
    if(values)
      list(APPEND arguments ${argument} ${values})
    endif()
  endforeach()
  set(vendor ${name})
  get_property(own_vendor GLOBAL PROPERTY DAVSIM_OP_VENDOR_${name})
  if(own_vendor)
    set(vendor ${own_vendor})
  elseif(vendor_name)
    set(vendor ${vendor_name})
  endif()
  get_property(out_dir GLOBAL PROPERTY DAVSIM_OP_OUT_DIR)
  if(out_dir)
    list(APPEND arguments ACLNN_FOLDER ${out_dir})
  endif()
  get_property(no_auto_sync GLOBAL PROPERTY DAVSIM_OP_NO_AUTO_SYNC)
  if(no_auto_sync)
    set(DAVSIM_AUTO_SYNC OFF)
  endif()
  davsim_add_operators(${name} ${arguments} OPAPI ${opapi} VENDOR ${vendor})
  if(NOT TARGET binary)
    _davsim_add_binary(${name} ${opapi})
  endif()
  get_property(type GLOBAL PROPERTY DAVSIM_OP_TYPE_${name})
  if(type MATCHES "SHARED|STATIC" OR ASCEND_PACK_SHARED_LIBRARY)
    _davsim_install_library(${name} ${vendor} ${opapi} "${out_dir}")
    return()
  endif()
  # A project that packs by itself has named what CPack runs.
  if(NOT CPACK_EXTERNAL_PACKAGE_SCRIPT AND EXISTS ${DAVSIM_PACKAGE_FILE})
    get_system_info(system)
    set(CPACK_PACKAGE_NAME ${name})
    set(CPACK_PACKAGE_FILE_NAME custom_opp_${system}.run)
    get_property(naming GLOBAL PROPERTY DAVSIM_OP_NAMING_${name})
    if(NOT naming STREQUAL "" AND NOT naming)
      set(CPACK_PACKAGE_FILE_NAME ${name}.run)
    endif()
    _davsim_pack()
  endif()
endfunction()

# The target that builds what there is. Scripts look for .o files of kernels in a folder of the compute
# unit; there is one, which is the library of the kernels.
function(_davsim_add_binary name opapi)
  get_property(folders GLOBAL PROPERTY DAVSIM_OP_BINARIES)
  set(commands "")
  foreach(folder IN LISTS folders)
    set(units ${ASCEND_COMPUTE_UNIT})
    if(NOT units)
      set(units ascend910b ascend910_93)
    endif()
    foreach(unit IN LISTS units)
      list(APPEND commands COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/${unit}
                           COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:${name}>
                                   ${folder}/${unit}/${name}.o)
    endforeach()
  endforeach()
  add_custom_target(binary ${commands} DEPENDS ${name} ${opapi} VERBATIM)
endfunction()

# Puts the libraries and their headers into op_api/ of the path that the package names, by default
# that of installations, whenever the project is built. Programs find them by find_package(VENDOR) and
# link VENDOR::shared, or VENDOR::static and lib<VENDOR>.a, which is the functions without the kernels: these
# stay in their shared library, which the functions name with its path.
function(_davsim_install_library name vendor opapi out_dir)
  get_property(root GLOBAL PROPERTY DAVSIM_OP_PATH_${name})
  if(NOT root)
    set(root ${CMAKE_INSTALL_PREFIX})
  endif()
  get_filename_component(root "${root}/op_api" ABSOLUTE BASE_DIR ${CMAKE_BINARY_DIR})
  # Not beside the functions: the kernels' library may have the vendor's name too.
  get_filename_component(kernels ${root}/../op_impl/ai_core/davsim ABSOLUTE)
  set(made ${CMAKE_BINARY_DIR}/${vendor}_library)
  file(WRITE ${made}/${vendor}-config.cmake
       "include(\${CMAKE_CURRENT_LIST_DIR}/${vendor}-targets.cmake)\n")
  file(WRITE ${made}/${vendor}-targets.cmake "# Written by davsim.
get_filename_component(root_of_${vendor} \${CMAKE_CURRENT_LIST_DIR}/../../.. REALPATH)
foreach(kind IN ITEMS shared static)
  if(NOT TARGET ${vendor}::\${kind})
    if(kind STREQUAL \"shared\")
      add_library(${vendor}::shared SHARED IMPORTED)
      set(library lib${opapi}.so)
    else()
      add_library(${vendor}::static STATIC IMPORTED)
      set(library lib${vendor}.a)
    endif()
    set_target_properties(${vendor}::\${kind} PROPERTIES
                          IMPORTED_LOCATION \${root_of_${vendor}}/lib/\${library}
                          INTERFACE_LINK_LIBRARIES \"${DAVSIM_ASCENDCL}\"
                          INTERFACE_INCLUDE_DIRECTORIES
                          \"\${root_of_${vendor}}/include;${DAVSIM_PROGRAM_INCLUDES}\")
  endif()
endforeach()
")
  add_library(${name}_static STATIC ${${name}_ACLNN_SOURCES})
  set_target_properties(${name}_static PROPERTIES OUTPUT_NAME ${vendor}
                        POSITION_INDEPENDENT_CODE ON ARCHIVE_OUTPUT_DIRECTORY ${made})
  target_compile_features(${name}_static PRIVATE cxx_std_17)
  target_compile_definitions(${name}_static PRIVATE DAVSIM_KERNEL_FOLDER="${kernels}/")
  target_include_directories(${name}_static PRIVATE $<TARGET_PROPERTY:${opapi},INCLUDE_DIRECTORIES>)
  if(NOT out_dir)
    set(out_dir ${CMAKE_BINARY_DIR}/${name}_operators/aclnn)
  endif()
  install(DIRECTORY ${out_dir}/ DESTINATION ${root}/include COMPONENT library
          FILES_MATCHING PATTERN "*.h")
  install(TARGETS ${opapi} LIBRARY DESTINATION ${root}/lib COMPONENT library)
  install(TARGETS ${name} LIBRARY DESTINATION ${kernels} COMPONENT library)
  install(TARGETS ${name}_static ARCHIVE DESTINATION ${root}/lib COMPONENT library)
  install(FILES ${made}/${vendor}-config.cmake ${made}/${vendor}-targets.cmake
          DESTINATION ${root}/lib/cmake/${vendor} COMPONENT library)
  add_custom_target(${name}_library ALL
                    COMMAND ${CMAKE_COMMAND} --install ${CMAKE_BINARY_DIR} --component library
                    DEPENDS ${name} ${name}_static ${opapi} COMMENT "Library of operators in ${root}" VERBATIM)
  add_dependencies(binary ${name}_library)
  if(NOT CPACK_GENERATOR)
    # From when the package was a .run file; it would keep the name of the target.
    file(REMOVE ${CMAKE_BINARY_DIR}/CPackConfig.cmake)
    add_custom_target(package DEPENDS ${name}_library)
  endif()
endfunction()

# Lets the target `package` make a .run file.
macro(_davsim_pack)
  set(CPACK_GENERATOR External)
  set(CPACK_EXTERNAL_PACKAGE_SCRIPT ${DAVSIM_PACKAGE_FILE})
  set(CPACK_EXTERNAL_ENABLE_STAGING TRUE)
  set(CPACK_MONOLITHIC_INSTALL TRUE)
  set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
  include(${CMAKE_ROOT}/Modules/CPack.cmake)
endmacro()
