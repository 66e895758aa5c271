// The function by which an exporter opens the files of the folder that it writes.
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace davsim::traces {

/// Opens a new file of the folder ("a/b.json"). It stays open as long as the folder.
using OpenFile = std::function<std::ostream&(const std::string& name)>;

}  // namespace davsim::traces
