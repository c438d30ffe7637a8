#include "arena.hpp"

#include <algorithm>

#include "check.hpp"

namespace ct {
namespace {

constexpr std::size_t kAlign = 512;
constexpr std::size_t kGrowBytes = std::size_t(64) << 20;

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

CUmemAllocationProp pinned_on(int device) {
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  prop.location.id = device;
  return prop;
}

}  // namespace

Arena::Arena(int device, std::size_t reserve_bytes) : device_(device) {
  const CUmemAllocationProp prop = pinned_on(device);
  CT_CHECK(cuMemGetAllocationGranularity(&chunk_, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  reserved_ = round_up(reserve_bytes, chunk_);
  CT_CHECK(cuMemAddressReserve(&base_, reserved_, 0, 0, 0));
}

Arena::~Arena() {
  for (const Chunk& c : chunks_) {
    cuMemUnmap(base_ + c.offset, c.bytes);
    cuMemRelease(c.handle);
  }
  cuMemAddressFree(base_, reserved_);
}

void Arena::grow(std::size_t bytes) {
  bytes = round_up(bytes, chunk_);
  if (backed_ + bytes > reserved_) fail("arena is full", __FILE__, __LINE__);
  const CUmemAllocationProp prop = pinned_on(device_);
  Chunk c{0, backed_, bytes};
  CT_CHECK(cuMemCreate(&c.handle, bytes, &prop, 0));
  CT_CHECK(cuMemMap(base_ + c.offset, bytes, 0, c.handle, 0));
  CUmemAccessDesc access = {};
  access.location = prop.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CT_CHECK(cuMemSetAccess(base_ + c.offset, bytes, &access, 1));
  chunks_.push_back(c);
  backed_ += bytes;
}

void* Arena::take(std::size_t bytes) {
  bytes = round_up(bytes, kAlign);
  if (used_ + bytes > backed_) grow(std::max(bytes, kGrowBytes));
  void* p = reinterpret_cast<void*>(base_ + used_);
  used_ += bytes;
  return p;
}

}  // namespace ct
