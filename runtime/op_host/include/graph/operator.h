// A node of a graph, as plugins of frameworks are given it. There are no graphs here, so it has no
// attributes.
#pragma once

#include <string>

#include "graph/types.h"

namespace ge {

class Operator {
 public:
  Operator() = default;
  explicit Operator(const char* type) : type_(type) {}
  explicit Operator(const std::string& type) : type_(type) {}

  std::string GetOpType() const { return type_; }
  std::string GetName() const { return type_; }
  template <class T>
  graphStatus GetAttr(const char*, T&) const {
    return GRAPH_FAILED;
  }
  template <class T>
  graphStatus GetAttr(const std::string&, T&) const {
    return GRAPH_FAILED;
  }
  template <class T>
  Operator& SetAttr(const char*, const T&) {
    return *this;
  }
  template <class T>
  Operator& SetAttr(const std::string&, const T&) {
    return *this;
  }

 private:
  std::string type_;
};

}  // namespace ge
