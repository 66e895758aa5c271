# What CPack runs to make an operator package: custom_opp_<system>_<processor>.run, a script that
# unpacks what is installed below packages/vendors.
file(GLOB_RECURSE entries LIST_DIRECTORIES true ${CPACK_TEMPORARY_DIRECTORY}/*)
set(vendors "")
foreach(entry IN LISTS CPACK_TEMPORARY_DIRECTORY entries)
  if(IS_DIRECTORY ${entry}/packages/vendors)
    set(vendors ${entry}/packages/vendors)
    break()
  endif()
endforeach()
if(NOT vendors)
  message(FATAL_ERROR "the project installs nothing below packages/vendors")
endif()
string(REGEX REPLACE "\\.run$" "" name "${CPACK_PACKAGE_FILE_NAME}")
# The folder beside it is called as the package is.
set(folder ${CPACK_TOPLEVEL_DIRECTORY}/made)
file(MAKE_DIRECTORY ${folder})
set(archive ${folder}/${name}.tar.gz)
get_filename_component(root ${vendors} DIRECTORY)
execute_process(COMMAND ${CMAKE_COMMAND} -E tar czf ${archive} vendors WORKING_DIRECTORY ${root}
                COMMAND_ERROR_IS_FATAL ANY)
# CPack copies it to the build folder.
set(result ${folder}/${name}.run)
execute_process(COMMAND cat ${CMAKE_CURRENT_LIST_DIR}/run-package.sh ${archive}
                OUTPUT_FILE ${result} COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD ${result} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
     WORLD_READ WORLD_EXECUTE)
set(CPACK_EXTERNAL_BUILT_PACKAGES ${result})
