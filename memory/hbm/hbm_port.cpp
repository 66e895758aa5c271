// SystemC declares sc_spawn() only if this macro is defined.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "memory/hbm/hbm_port.hpp"

#include <algorithm>
#include <stdexcept>

#include "memory/fresh_pages.hpp"

namespace davsim::memory {

/// A payload with the data that the port keeps about it.
class HbmPort::Transaction : public tlm::tlm_generic_payload {
 public:
  explicit Transaction(tlm::tlm_mm_interface* pool) : tlm_generic_payload(pool) {
    set_extension(&extension);
  }
  ~Transaction() override { clear_extension(&extension); }

  HbmExtension extension;
  std::uint64_t fetch = 0;
};

/// The pool of payloads. TLM-2.0 recommends to use payloads again.
class HbmPort::Pool : public tlm::tlm_mm_interface {
 public:
  Transaction& take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Transaction>(this));
      free_.push_back(all_.back().get());
    }
    Transaction& transaction = *free_.back();
    free_.pop_back();
    transaction.acquire();
    return transaction;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    free_.push_back(static_cast<Transaction*>(payload));
  }
  /// The data of every transaction. Its bytes mean nothing, because instructions take effect
  /// elsewhere. A target may read and write them.
  unsigned char* scratch(std::size_t bytes) {
    if (scratch_.size() < bytes) scratch_ = FreshPages<unsigned char>(bytes);
    return scratch_.get();
  }

 private:
  std::vector<std::unique_ptr<Transaction>> all_;
  std::vector<Transaction*> free_;
  FreshPages<unsigned char> scratch_{std::size_t{1} << 20};
};

/// The dies of a system take the same payloads, which so stay in the host's caches.
std::shared_ptr<HbmPort::Pool> HbmPort::pool_of_all() {
  static std::weak_ptr<Pool> of_all;
  std::shared_ptr<Pool> pool = of_all.lock();
  if (pool == nullptr) of_all = pool = std::make_shared<Pool>();
  return pool;
}

HbmPort::HbmPort(sc_core::sc_module_name module, std::string_view model, const MemoryTiming& timing,
                 HbmListener& listener)
    : sc_module(module),
      entry_(HbmRegistry::find(model)),
      listener_(listener),
      pool_(pool_of_all()) {
  socket_.bind(*this);
  model_ = entry_.make({timing}, socket_);
}

HbmPort::~HbmPort() = default;

bool HbmPort::send(HbmChunk& chunk, std::uint64_t fetch) {
  if (entry_.protocol != HbmProtocol::kChunks) {
    send_plain(chunk, fetch);
    return false;
  }
  Transaction& transaction = pool_->take();
  transaction.extension.chunk = &chunk;
  transaction.set_command(tlm::TLM_IGNORE_COMMAND);
  transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = local_offset();
  const tlm::tlm_sync_enum status = socket_->nb_transport_fw(transaction, phase, delay);
  const bool refused = transaction.is_response_error();
  transaction.release();
  if (status != tlm::TLM_COMPLETED || refused) {
    throw std::logic_error("hbm model '" + entry_.name + "' does not answer chunks at once");
  }
  return true;
}

void HbmPort::send_plain(const HbmChunk& chunk, std::uint64_t fetch) {
  open_[fetch].transactions = static_cast<std::uint32_t>(chunk.spans.size());
  for (const HbmSpan& span : chunk.spans) {
    Transaction& transaction = pool_->take();
    transaction.fetch = fetch;
    transaction.extension.requester = chunk.requester;
    transaction.extension.no_allocate = chunk.no_allocate;
    transaction.set_command(span.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    transaction.set_address(span.addr);
    transaction.set_data_ptr(pool_->scratch(span.bytes));
    transaction.set_data_length(span.bytes);
    transaction.set_streaming_width(span.bytes);
    transaction.set_byte_enable_ptr(nullptr);
    transaction.set_dmi_allowed(false);
    transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    queue_.push_back(&transaction);
  }
  drain();
}

void HbmPort::drain() {
  const bool blocking = entry_.protocol == HbmProtocol::kBlocking;
  while (!queue_.empty()) {
    if (blocking ? idle_workers_.empty() && workers_.size() == kMostBlocked
                 : requesting_ != nullptr) {
      return;
    }
    Transaction& next = *queue_.front();
    queue_.pop_front();
    blocking ? block(next) : begin_request(next);
  }
}

// --- approximately timed: the base protocol with its four phases

void HbmPort::begin_request(Transaction& transaction) {
  requesting_ = &transaction;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = local_offset();
  const tlm::tlm_sync_enum status = socket_->nb_transport_fw(transaction, phase, delay);
  if (status == tlm::TLM_COMPLETED) {
    requesting_ = nullptr;
    complete(transaction, cycle_after(delay));
  } else if (status == tlm::TLM_UPDATED) {
    nb_transport_bw(transaction, phase, delay);
    if (phase == tlm::BEGIN_RESP) {
      phase = tlm::END_RESP;
      socket_->nb_transport_fw(transaction, phase, delay);
    }
  }
}

tlm::tlm_sync_enum HbmPort::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  auto& transaction = static_cast<Transaction&>(payload);
  if (phase == tlm::END_REQ) {
    if (requesting_ == &transaction) request_ended();
    return tlm::TLM_ACCEPTED;
  }
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  if (requesting_ == &transaction) request_ended();
  complete(transaction, cycle_after(delay));
  return tlm::TLM_COMPLETED;
}

void HbmPort::request_ended() {
  requesting_ = nullptr;
  listener_.hbm_changed();
}

// --- loosely timed: b_transport may wait, so each call has a process of its own

void HbmPort::block(Transaction& transaction) {
  if (idle_workers_.empty()) {
    const std::size_t worker = workers_.size();
    workers_.push_back(std::make_unique<Worker>());
    sc_core::sc_spawn_options options;
    options.dont_initialize();
    options.set_sensitivity(&workers_[worker]->wake);
    sc_core::sc_spawn([this, worker] { blocking_process(worker); },
                      sc_core::sc_gen_unique_name("b_transport"), &options);
    idle_workers_.push_back(worker);
  }
  Worker& worker = *workers_[idle_workers_.back()];
  idle_workers_.pop_back();
  worker.transaction = &transaction;
  worker.wake.notify(local_offset());
}

void HbmPort::blocking_process(std::size_t number) {
  for (;;) {
    Worker& worker = *workers_[number];
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket_->b_transport(*worker.transaction, delay);
    complete(*worker.transaction, cycle_after(delay));
    idle_workers_.push_back(number);
    sc_core::wait();
  }
}

// --- the end of transactions

void HbmPort::complete(Transaction& transaction, Cycle cycle) {
  if (transaction.is_response_error()) {
    SC_REPORT_ERROR(
        "davsim/hbm",
        ("model '" + entry_.name + "' answers " + transaction.get_response_string()).c_str());
  }
  const auto open = open_.find(transaction.fetch);
  open->second.cycle = std::max(open->second.cycle, cycle);
  if (--open->second.transactions == 0) {
    finished_.push_back({transaction.fetch, open->second.cycle});
    open_.erase(open);
  }
  transaction.release();
  listener_.hbm_changed();
}

std::vector<HbmPort::Finished> HbmPort::finished() {
  drain();
  std::vector<Finished> all;
  all.swap(finished_);
  std::sort(all.begin(), all.end(),
            [](const Finished& a, const Finished& b) { return a.fetch < b.fetch; });
  return all;
}

}  // namespace davsim::memory
