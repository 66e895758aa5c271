// Ranges of shapes belong to graphs, which davsim does not run: the context can be named.
#pragma once

namespace gert {

class InferShapeRangeContext;

}  // namespace gert
