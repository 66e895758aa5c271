// REGIST_MATMUL_OBJ: on a vector core the objects get their connection, on its cube core the server
// runs until all vector cores have let their objects go.
#pragma once

#include "lib/matmul/matmul_copy.h"
#include "lib/matmul/matmul_object.h"

namespace davsim::api {

/// An object of a REGIST_MATMUL_OBJ with its tiling, if it has one there.
template <class Object>
struct MatmulRegistered {
  Object& object;
  const TCubeTiling* tiling;

  bool has_tiling() const { return tiling != nullptr || Object::has_static_tiling(); }
  TCubeTiling tiling_or_empty() const { return tiling != nullptr ? *tiling : TCubeTiling{}; }
};

template <class Visit>
void for_matmul_objects(Visit) {}
template <class Visit, class Object, class... More>
void for_matmul_objects(Visit visit, Object& object, More&&... more);

/// The arguments are objects, each followed by a pointer to its tiling or not.
template <class Visit, class Object, class... More>
void for_matmul_tiled(Visit visit, Object& object, const TCubeTiling* tiling, More&&... more) {
  visit(MatmulRegistered<Object>{object, tiling});
  for_matmul_objects(visit, more...);
}
template <class... More>
inline constexpr bool kTilingFirst = false;
template <class First, class... More>
inline constexpr bool kTilingFirst<First, More...> =
    std::is_convertible_v<First, const TCubeTiling*>;

template <class Visit, class Object, class... More>
void for_matmul_objects(Visit visit, Object& object, More&&... more) {
  if constexpr (kTilingFirst<More...>) {
    for_matmul_tiled(visit, object, more...);
  } else {
    visit(MatmulRegistered<Object>{object, nullptr});
    for_matmul_objects(visit, more...);
  }
}

/// The server of a cube core. Each of its vector cores has an engine of its own in each object. The
/// engines have parts of L1 and L0C of their own where all fit; else they take turns in one part.
class MatmulServer {
 public:
  explicit MatmulServer(Location where) : where_(where) {
    const isa::CoreIdentity& me = isa::current_core().identity();
    if (me.kernel_type == isa::KernelType::kAicOnly) {
      fail(isa::FaultClass::kParameter, "REGIST_MATMUL_OBJ",
           {"the kernel has no vector cores that could send messages: its type must be "
            "MIX_AIC_1_1 or MIX_AIC_1_2, or ASCENDC_CUBE_ONLY must be defined"},
           where);
    }
    vectors_ = me.sub_block_num;
    const auto event = AscendC::GetTPipePtr(where)->AllocEventID<AscendC::HardEvent::FIX_S>(where);
    for (std::uint32_t vector = 0; vector < vectors_; ++vector) {
      served_[vector].open(
          vector, MatmulMailbox::of(std::uint64_t{me.block_idx} * vectors_ + vector, where), event);
    }
  }

  template <class... Objects>
  void run(Objects&&... objects) {
    place(objects...);
    while (!all_quit()) {
      bool found = false;
      for (std::uint32_t vector = 0; vector < vectors_; ++vector) {
        MatmulMessage message;
        if (served_[vector].quit || !may_serve(vector)) continue;
        if (!served_[vector].look(message, where_)) continue;
        found = true;
        isa::current_core().polled(true, where_);
        carry_out(vector, message, objects...);
      }
      if (!found) isa::current_core().polled(false, where_);
    }
    for_engines([&](auto& engine, std::uint32_t, std::uint8_t) { engine.end(where_); }, objects...);
  }

 private:
  static constexpr std::uint32_t kMostVectors = 2;
  static constexpr std::uint32_t kNobody = kMostVectors;

  bool all_quit() const {
    for (std::uint32_t vector = 0; vector < vectors_; ++vector) {
      if (!served_[vector].quit) return false;
    }
    return true;
  }
  /// A block in L0C stays until its vector core has fetched it.
  bool may_serve(std::uint32_t vector) const {
    return apart_ || holder_ == kNobody || holder_ == vector;
  }

  /// All engines, with their vector core and the number of their object.
  template <class Visit, class... Objects>
  void for_engines(Visit visit, Objects&&... objects) {
    std::uint8_t number = 0;
    for_matmul_objects(
        [&](auto registered) {
          for (std::uint32_t vector = 0; vector < vectors_; ++vector) {
            visit(registered.object.engine(vector), vector, number);
          }
          ++number;
        },
        objects...);
  }

  /// Gives tilings and buffers to the engines of all objects whose tiling is known.
  template <class... Objects>
  void place(Objects&&... objects) {
    std::uint32_t all_l1 = 0, all_l0c = 0, engines = 0;
    for_matmul_objects(
        [&](auto registered) {
          if (!registered.has_tiling()) return;
          for (std::uint32_t vector = 0; vector < vectors_; ++vector, ++engines) {
            auto& engine = registered.object.engine(vector);
            engine.set_tiling(registered.tiling_or_empty(), where_);
            if (vector == 1) engine.share(registered.object.engine(0));
            all_l1 += matmul_up(engine.l1_bytes(true), 32);
            all_l0c += matmul_up(engine.l0c_bytes(), 1024);
          }
        },
        objects...);
    const isa::CoreSink& core = isa::current_core();
    const std::uint32_t used = AscendC::GetTPipePtr(where_)->used(isa::Space::kL1);
    // Tensors of TSCM have the upper half of L1.
    const std::uint64_t l1 = core.buffer_size(isa::Space::kL1) / (reads_scm(objects...) ? 2 : 1);
    apart_ = engines <= 2 && used + all_l1 <= l1 && all_l0c <= core.buffer_size(isa::Space::kL0C);
    if (!apart_) size_shared(objects...);
    std::uint32_t l0c = 0;
    for_matmul_objects(
        [&](auto registered) {
          if (!registered.has_tiling()) return;
          for (std::uint32_t vector = 0; vector < vectors_; ++vector) {
            auto& engine = registered.object.engine(vector);
            if (!apart_) {
              engine.place(shared_l1<decltype(registered.object)>());
              continue;
            }
            // An engine that shares A and B may have nothing of its own.
            const std::uint32_t own = engine.l1_bytes(true);
            engine.place(own > 0 ? registered.object.reserve_l1(own, where_) : 0, l0c, true);
            l0c += matmul_up(engine.l0c_bytes(), 1024);
          }
        },
        objects...);
  }
  /// Bytes of L1 where engines take turns: those of the largest.
  template <class... Objects>
  void size_shared(Objects&&... objects) {
    for_matmul_objects(
        [&](auto registered) {
          if (!registered.has_tiling()) return;
          for (std::uint32_t vector = 0; vector < vectors_; ++vector) {
            auto& engine = registered.object.engine(vector);
            engine.fit_rows(registered.object.l1_left(where_));
            shared_bytes_ = std::max(shared_bytes_, engine.l1_bytes());
          }
        },
        objects...);
  }
  template <class... Objects>
  static bool reads_scm(Objects&&... objects) {
    bool reads = false;
    for_matmul_objects(
        [&](auto registered) {
          using Engine = std::remove_reference_t<decltype(registered.object.engine(0))>;
          reads |= Engine::AOperand::pos == AscendC::TPosition::TSCM ||
                   Engine::BOperand::pos == AscendC::TPosition::TSCM;
        },
        objects...);
    return reads;
  }
  template <class Object>
  std::uint32_t shared_l1() {
    if (!has_shared_) {
      shared_at_ = std::remove_reference_t<Object>::reserve_l1(shared_bytes_, where_);
      has_shared_ = true;
    }
    return shared_at_;
  }

  template <class... Objects>
  void carry_out(std::uint32_t vector, const MatmulMessage& message, Objects&&... objects) {
    if (message.op == MatmulOp::kQuit) {
      served_[vector].quit = true;
      return;
    }
    if (message.op == MatmulOp::kCopy) return copy(vector, message);
    if (!apart_) {
      for_engines(
          [&](auto& engine, std::uint32_t of_vector, std::uint8_t number) {
            const bool other = number != message.object;
            if (other || of_vector != vector) engine.leave(where_, other);
          },
          objects...);
    }
    std::uint8_t number = 0;
    for_matmul_objects(
        [&](auto registered) {
          if (number++ == message.object) carry_out_on(registered.object, vector, message);
        },
        objects...);
  }

  void copy(std::uint32_t vector, const MatmulMessage& message) {
    carry_out_copy(message, AscendC::GetTPipePtr(where_)->used(isa::Space::kL1), where_);
    if (!message.has(MatmulMessage::kAnswer)) return;
    MatmulClient::flow<AscendC::HardEvent::MTE2_S>(where_);
    served_[vector].answer(where_);
  }

  template <class Object>
  void carry_out_on(Object& object, std::uint32_t vector, const MatmulMessage& message) {
    auto& engine = object.engine(vector);
    if (message.op == MatmulOp::kInit) return init(object, vector);
    object.worker(vector).carry_out(message, served_[vector], where_);
    holder_ = engine.holds_block() ? vector : kNobody;
    if (!message.has(MatmulMessage::kAnswer)) return;
    served_[vector].mark(where_);
    served_[vector].announce(where_);
    // The other vector core has not asked, it waits for the same product.
    if (Object::kOneProduct && vectors_ == 2) served_[1].answer_of_other(where_);
  }

  /// A tiling that a vector core sent.
  template <class Object>
  void init(Object& object, std::uint32_t vector) {
    TCubeTiling tiling;
    served_[vector].box().read(MatmulMailbox::kTilingAt, &tiling, sizeof(tiling), where_);
    auto& engine = object.engine(vector);
    engine.end(where_);
    for (std::uint32_t each = 0; each < vectors_; ++each) object.engine(each).unshare(where_);
    engine.set_tiling(tiling, where_);
    engine.fit_rows(std::max<std::uint64_t>(shared_bytes_, object.l1_left(where_)));
    if (!has_shared_ || engine.l1_bytes() > shared_bytes_) {
      has_shared_ = false;
      shared_bytes_ = engine.l1_bytes();
    }
    engine.place(shared_l1<Object>());
    apart_ = false;
    share_if_alike(object);
  }
  /// The two engines take turns, so that equal tilings have their operands at the same place.
  template <class Object>
  void share_if_alike(Object& object) {
    if (vectors_ < 2 || !object.engine(0).ready() || !object.engine(1).ready()) return;
    const TCubeTiling &first = object.engine(0).tiling(), &second = object.engine(1).tiling();
    if (std::memcmp(&first, &second, sizeof(first)) != 0) return;
    for (std::uint32_t each = 0; each < vectors_; ++each) {
      object.engine(each).end(where_);
      object.engine(each).place(shared_l1<Object>());
    }
    object.engine(1).share(object.engine(0));
  }

  Location where_;
  std::uint32_t vectors_ = 1;
  bool apart_ = false;
  std::uint32_t holder_ = kNobody;  ///< the vector core whose block L0C holds
  bool has_shared_ = false;
  std::uint32_t shared_at_ = 0, shared_bytes_ = 0;
  MatmulServed served_[kMostVectors];
};

/// On a vector core: gives the objects their connection.
template <class... Objects>
void connect_matmul_objects(Location where, Objects&&... objects) {
  const isa::CoreIdentity& me = isa::current_core().identity();
  if (me.kernel_type == isa::KernelType::kAivOnly) {
    fail(isa::FaultClass::kParameter, "REGIST_MATMUL_OBJ",
         {"the kernel has no cube cores: its type must be MIX_AIC_1_1 or MIX_AIC_1_2"}, where);
  }
  const std::shared_ptr<MatmulClient> client = std::make_shared<MatmulConnection>(
      MatmulMailbox::of(std::uint64_t{me.block_idx} * me.sub_block_num + me.sub_block_idx, where),
      where);
  std::uint8_t number = 0;
  for_matmul_objects(
      [&](auto registered) {
        registered.object.connect(client, number++, registered.tiling, where);
      },
      objects...);
}

/// On a cube core alone: objects with their tilings.
template <class... Objects>
void init_matmul_objects(Location where, Objects&&... objects) {
  if (isa::current_core().identity().type != isa::CoreType::AIC) return;
  for_matmul_objects(
      [&](auto registered) {
        if (registered.has_tiling()) registered.object.Init(registered.tiling, nullptr, where);
      },
      objects...);
}

}  // namespace davsim::api
