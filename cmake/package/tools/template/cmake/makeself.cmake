# What CPack runs to make the package.
include(@TREE@/../../cmake/davsim/RunPackage.cmake)
