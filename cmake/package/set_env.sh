# Sourced by scripts of projects before they build or run: where the tree is.
# Only bash and zsh say which file they read; for other shells ASCEND_HOME_PATH does.
if [ -n "${BASH_SOURCE:-}" ] || [ -n "${ZSH_VERSION:-}" ]; then
  _davsim_tree=$(dirname "$(readlink -f "${BASH_SOURCE:-$0}")")
  _davsim_tree=${_davsim_tree%/bin}
else
  _davsim_tree=${ASCEND_HOME_PATH:?set it to the folder of set_env.sh}
fi
export ASCEND_HOME_PATH=$_davsim_tree
export ASCEND_TOOLKIT_HOME=$_davsim_tree
export ASCEND_CANN_PACKAGE_PATH=$_davsim_tree
export ASCEND_INSTALL_PATH=$_davsim_tree
export ASCEND_AICPU_PATH=$_davsim_tree
export TOOLCHAIN_HOME=$_davsim_tree
export SHMEM_HOME_PATH=$_davsim_tree
export PATH=$_davsim_tree/bin:$_davsim_tree/compiler/ccec_compiler/bin:${_davsim_tree%/lib/davsim/ascend}/bin:$PATH
export LD_LIBRARY_PATH=$_davsim_tree/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PYTHONPATH=${_davsim_tree%/davsim/ascend}/python3/dist-packages${PYTHONPATH:+:$PYTHONPATH}
export CMAKE_PREFIX_PATH=${_davsim_tree%/lib/davsim/ascend}${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
export ASCEND_OPP_PATH=${ASCEND_OPP_PATH:-$_davsim_tree/opp}
# Operators of one's own go elsewhere where the tree belongs to the system.
[ -w "$ASCEND_OPP_PATH" ] || export ASCEND_OPP_PATH=$HOME/.local/share/davsim/opp
# Packages that name no vendor go here; the folder need not be there yet.
export LD_LIBRARY_PATH=$ASCEND_OPP_PATH/vendors/customize/op_api/lib:$LD_LIBRARY_PATH
# Projects that bring build functions of the vendor's along get davsim's.
export CMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE:-${_davsim_tree%/davsim/ascend}/cmake/davsim/toolchain.cmake}
unset _davsim_tree
