// The base of the vendor's objects; here they have none.
#pragma once

namespace op {

class Object {};

}  // namespace op
