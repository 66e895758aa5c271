#include "runtime/core/contribution.hpp"

#include <utility>

#include "runtime/core/parcel.hpp"

namespace davsim::runtime {

std::string Contribution::packed() const {
  Parcel parcel;
  parcel.put(request.what);
  for (const auto* list :
       {&request.send_counts, &request.send_offsets, &request.recv_counts, &request.recv_offsets}) {
    parcel.put(*list);
  }
  parcel.put(sent);
  parcel.put(ready);
  parcel.put(failure);
  return parcel.bytes();
}

Contribution Contribution::opened(std::string message) {
  OpenedParcel parcel(std::move(message));
  Contribution of;
  of.request.what = parcel.take<isa::Collective>();
  for (auto* list : {&of.request.send_counts, &of.request.send_offsets, &of.request.recv_counts,
                     &of.request.recv_offsets}) {
    *list = parcel.take_words();
  }
  of.sent = parcel.take_text();
  of.ready = parcel.take<Microseconds>();
  of.failure = parcel.take_text();
  return of;
}

}  // namespace davsim::runtime
