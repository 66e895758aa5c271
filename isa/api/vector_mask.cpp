// Tells the checker of masks that have more lanes than a repeat.
#include "ascendc/vector_emit.h"
#include "isa/api/message_text.hpp"
#include "isa/core/core_watcher.hpp"

namespace davsim::api {

void cut_mask(std::string_view call, std::int64_t asked, std::int64_t lanes, Location where) {
  isa::CoreWatcher* const watcher = isa::current_watcher();
  if (watcher == nullptr) return;
  watcher->misused(isa::Misuse::kLength,
                   message_text({call, " is given a mask of ", asked, " lanes and computes ", lanes,
                                 ", which is all that a repeat of its elements has: more need "
                                 "more repeats"}),
                   where);
}

}  // namespace davsim::api
