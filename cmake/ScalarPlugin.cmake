# The compiler plugin that lets kernels count their own scalar instructions (isa/plugin). Defines
# davsim_counts_scalar_work(TARGET), which compiles the sources of a target with it; does nothing
# where there is no plugin. docs/timing-model.md says what the counts are for.
#
# Variables: DAVSIM_SCALAR_PLUGIN_FILE, the plugin, and DAVSIM_SCALAR_PLUGIN_API, folders whose
# headers are not a kernel's own code. Without a plugin both are empty.
option(DAVSIM_SCALAR_PLUGIN "Build the g++ plugin that counts the scalar instructions of kernels" ON)
# Checks of a sanitizer are statements like any others: their times would be counted.
set(DAVSIM_SCALAR_PLUGIN_FILE "" CACHE INTERNAL "")
set(DAVSIM_SCALAR_PLUGIN_API "" CACHE INTERNAL "")

if(DAVSIM_SCALAR_PLUGIN AND NOT DAVSIM_SANITIZE AND NOT DAVSIM_SANITIZE_THREADS)
  set(folder "")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=plugin
                    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(folder AND EXISTS "${folder}/include/gcc-plugin.h")
    file(GLOB plugin_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/isa/plugin/*.cpp)
    add_library(davsim_scalar_plugin MODULE ${plugin_sources})
    target_include_directories(davsim_scalar_plugin PRIVATE ${PROJECT_SOURCE_DIR})
    target_include_directories(davsim_scalar_plugin SYSTEM PRIVATE ${folder}/include)
    target_compile_features(davsim_scalar_plugin PRIVATE cxx_std_20)
    target_compile_options(davsim_scalar_plugin PRIVATE -fno-rtti -O2 ${DAVSIM_WARNINGS}
                           -Wno-pedantic)
    set_target_properties(davsim_scalar_plugin PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET default
                          LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/davsim)
    davsim_compile_together(davsim_scalar_plugin)
    set(DAVSIM_SCALAR_PLUGIN_FILE ${PROJECT_BINARY_DIR}/lib/davsim/davsim_scalar_plugin.so
        CACHE INTERNAL "")
    set(DAVSIM_SCALAR_PLUGIN_API ${PROJECT_SOURCE_DIR}/isa ${PROJECT_SOURCE_DIR}/runtime
        CACHE INTERNAL "")
  else()
    message(WARNING "No headers of plugins for ${CMAKE_CXX_COMPILER} (Debian: gcc-12-plugin-dev): "
                    "the scalar instructions of kernels between their API calls take no time")
  endif()
endif()
