# Sourced by scripts of projects before they build or run: where the tree is.
_davsim_tree=$(dirname "$(readlink -f "${BASH_SOURCE[0]:-$0}")")
_davsim_tree=${_davsim_tree%/bin}
export ASCEND_HOME_PATH=$_davsim_tree
export ASCEND_TOOLKIT_HOME=$_davsim_tree
export ASCEND_CANN_PACKAGE_PATH=$_davsim_tree
export ASCEND_INSTALL_PATH=$_davsim_tree
export PATH=$_davsim_tree/bin:$_davsim_tree/compiler/ccec_compiler/bin:$PATH
export LD_LIBRARY_PATH=$_davsim_tree/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export CMAKE_PREFIX_PATH=${_davsim_tree%/lib/davsim/ascend}${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
unset _davsim_tree
