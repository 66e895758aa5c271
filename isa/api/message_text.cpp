#include "isa/api/message_text.hpp"

namespace davsim::api {

std::string message_text(isa::Message message) {
  std::string text;
  for (const isa::Piece& piece : message) {
    if (!piece.is_number()) {
      text += piece.text();
    } else if (piece.negative()) {
      text += std::to_string(static_cast<std::int64_t>(piece.number()));
    } else {
      text += std::to_string(piece.number());
    }
  }
  return text;
}

}  // namespace davsim::api
