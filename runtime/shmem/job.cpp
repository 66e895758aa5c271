// How host programs begin and end a job.
#include <cstdlib>
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "runtime/core/meetings.hpp"
#include "runtime/core/process.hpp"
#include "runtime/shmem/call.hpp"
#include "shmem/host.h"

using namespace davsim::shmem;
using davsim::runtime::Meetings;

namespace {

std::string text_in(const char* text, std::size_t most) {
  return {text, strnlen(text, most)};
}

/// What all processes of an MPI job have alike, and no other job has.
std::string name_of_mpi_job() {
  for (const char* const name : {"PMIX_NAMESPACE", "PMI_JOBID", "OMPI_MCA_ess_base_jobid"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  throw CallError(
      ACLSHMEM_BOOTSTRAP_ERROR,
      "ACLSHMEMX_INIT_WITH_MPI: this is no process of mpirun (PMIX_NAMESPACE is not set)");
}

std::string root_of(int flags, const aclshmemx_init_attr_t& attributes) {
  if ((flags & ACLSHMEMX_INIT_WITH_UNIQUEID) != 0) {
    require_pointer(attributes.comm_args, "comm_args");
    const auto& id = *static_cast<const aclshmemx_uniqueid_t*>(attributes.comm_args);
    return text_in(id.internal, sizeof id.internal);
  }
  if ((flags & ACLSHMEMX_INIT_WITH_MPI) != 0) return Meetings::root_of_name(name_of_mpi_job());
  const std::string place = text_in(attributes.ip_port, sizeof attributes.ip_port);
  if (place.empty()) {
    throw CallError(ACLSHMEM_INVALID_VALUE,
                    "ip_port is empty; it is an address that all PEs have alike, such as "
                    "tcp://127.0.0.1:8666");
  }
  return Meetings::root_of_name(place);
}

void require_sound(const aclshmemx_init_attr_t& attributes) {
  const auto refuse = [](const std::string& what) {
    throw CallError(ACLSHMEM_INVALID_VALUE, what);
  };
  if (attributes.n_pes < 1 || attributes.n_pes > ACLSHMEM_MAX_PES) {
    refuse("n_pes is " + std::to_string(attributes.n_pes) + ", allowed are 1 to " +
           std::to_string(ACLSHMEM_MAX_PES));
  }
  if (attributes.my_pe < 0 || attributes.my_pe >= attributes.n_pes) {
    refuse("my_pe is " + std::to_string(attributes.my_pe) + ", PEs are 0 to " +
           std::to_string(attributes.n_pes - 1));
  }
  if (attributes.local_mem_size == 0 || attributes.local_mem_size > ACLSHMEM_MAX_LOCAL_SIZE) {
    refuse("local_mem_size is " + std::to_string(attributes.local_mem_size) +
           ", allowed are 1 byte to 40 GiB");
  }
}

}  // namespace

int aclshmemx_init_attr(aclshmemx_bootstrap_t bootstrap_flags, aclshmemx_init_attr_t* attributes) {
  return call("aclshmemx_init_attr", [&] {
    require_pointer(attributes, "attributes");
    require_sound(*attributes);
    const auto die =
        static_cast<std::uint32_t>(davsim::runtime::Process::instance().context()->device);
    if (const auto pe = Pes::instance().of_thread(); pe != nullptr && pe->die() == die) {
      throw CallError(ACLSHMEM_INVALID_PARAM, "this device is a PE already");
    }
    const std::string root =
        attributes->n_pes == 1 ? std::string() : root_of(bootstrap_flags, *attributes);
    Pes::instance().add(die, std::make_shared<Pe>(root, *attributes, die));
  });
}

int aclshmemx_get_uniqueid(aclshmemx_uniqueid_t* uid) {
  return call("aclshmemx_get_uniqueid", [&] {
    require_pointer(uid, "uid");
    *uid = ACLSHMEM_UNIQUEID_INITIALIZER;
    Meetings::instance().new_root().copy(uid->internal, sizeof uid->internal - 1);
  });
}

int aclshmemx_set_attr_uniqueid_args(int my_pe, int n_pes, std::int64_t local_mem_size,
                                     aclshmemx_uniqueid_t* uid,
                                     aclshmemx_init_attr_t* aclshmem_attr) {
  return call("aclshmemx_set_attr_uniqueid_args", [&] {
    require_pointer(uid, "uid");
    require_pointer(aclshmem_attr, "aclshmem_attr");
    uid->my_pe = my_pe;
    uid->n_pes = n_pes;
    *aclshmem_attr = {};
    aclshmem_attr->my_pe = my_pe;
    aclshmem_attr->n_pes = n_pes;
    aclshmem_attr->local_mem_size = static_cast<std::uint64_t>(local_mem_size);
    aclshmem_attr->comm_args = uid;
  });
}

int aclshmemx_init_status() {
  return Pes::instance().of_thread() == nullptr ? ACLSHMEM_STATUS_NOT_INITIALIZED
                                                : ACLSHMEM_STATUS_IS_INITIALIZED;
}

int aclshmem_finalize() {
  return call("aclshmem_finalize", [] {
    const auto pe = own_pe();
    // An operation, because a process may end as soon as it has taken part in one.
    aclshmem_barrier_all();
    davsim::runtime::Simulator::instance().synchronise_all();
    Pes::instance().remove(pe->die());
  });
}

void aclshmem_global_exit(int status) {
  std::exit(status);
}

void aclshmem_info_get_version(int* major, int* minor) {
  if (major != nullptr) *major = ACLSHMEM_MAJOR_VERSION;
  if (minor != nullptr) *minor = ACLSHMEM_MINOR_VERSION;
}

void aclshmem_info_get_name(char* name) {
  if (name != nullptr) std::strcpy(name, "ACLSHMEM v1.1 of davsim");
}

std::int32_t aclshmemx_set_conf_store_tls(bool, const char*, const std::uint32_t) {
  return ACLSHMEM_SUCCESS;
}

std::int32_t aclshmemx_set_config_store_tls_key(const char*, const std::uint32_t, const char*,
                                                const std::uint32_t,
                                                const aclshmem_decrypt_handler) {
  return ACLSHMEM_SUCCESS;
}

std::int32_t aclshmemx_set_log_level(int) {
  return ACLSHMEM_SUCCESS;
}

std::int32_t aclshmemx_set_extern_logger(void (*)(int, const char*)) {
  return ACLSHMEM_SUCCESS;
}

std::uint64_t util_get_ffts_config() {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  rtGetC2cCtrlAddr(&address, &bytes);
  return address;
}
