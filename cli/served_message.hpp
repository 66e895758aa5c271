// What the messages of `davsim serve` hold. Every function throws UsageError for a message that
// lacks something or has it in another form.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace davsim::cli::message {

[[noreturn]] void refuse(const std::string& found);
const boost::json::value& member(const boost::json::object& object, std::string_view name);
std::string text_of(const boost::json::object& object, std::string_view name);
std::uint64_t number(const boost::json::value& value, std::string_view name);
std::uint64_t number_of(const boost::json::object& object, std::string_view name);
const boost::json::array& list_of(const boost::json::object& object, std::string_view name);
/// `what` says in the error what the value stands for.
const boost::json::object& object_in(const boost::json::value& value, std::string_view what);
/// False if there is no such member.
bool flag_of(const boost::json::object& object, std::string_view name);
/// The bytes that pairs of hexadecimal digits stand for.
std::string from_hexadecimal(const std::string& digits);

}  // namespace davsim::cli::message
