// Makes the files of a folder that an exporter writes.
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace davsim::traces {

/// Opens a new file of the folder ("a/b.json"). It stays open as long as the folder.
using OpenFile = std::function<std::ostream&(const std::string& name)>;

}  // namespace davsim::traces
