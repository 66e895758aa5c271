#include "isa/core/library_workspace.hpp"

namespace davsim::isa {
namespace {

LibraryWorkspace g_workspace;

}  // namespace

LibraryWorkspace library_workspace() {
  return g_workspace;
}

void set_library_workspace(LibraryWorkspace workspace) {
  g_workspace = workspace;
}

}  // namespace davsim::isa
