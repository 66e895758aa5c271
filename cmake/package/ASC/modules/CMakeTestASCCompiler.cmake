# A package that was tested needs no trial compilation in every project.
set(CMAKE_ASC_COMPILER_WORKS 1 CACHE INTERNAL "")
