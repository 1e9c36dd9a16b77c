#include "tests/cost/steps.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

namespace {

std::uint64_t steps = 0;

void* Allocate(std::size_t size) {
  steps += size / 8;
  void* const memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

// The compiler puts a call of this at the beginning of each basic block of the counted sources.
extern "C" void __sanitizer_cov_trace_pc();
extern "C" void __sanitizer_cov_trace_pc() {
  ++steps;
}

void* operator new(std::size_t size) {
  return Allocate(size);
}
void* operator new[](std::size_t size) {
  return Allocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace xdscope::cost {

std::uint64_t StepsOf(const std::function<void()>& work) {
  const std::uint64_t before = steps;
  work();
  return steps - before;
}

void ExpectLinear(const std::function<std::function<void()>(int size)>& work_of, int size) {
  work_of(1)();  // what is made at the first use is no part of the cost
  const std::uint64_t once = StepsOf(work_of(size));
  const std::uint64_t twice = StepsOf(work_of(2 * size));
  EXPECT_GT(once, static_cast<std::uint64_t>(size) / 8) << "nothing was counted";
  EXPECT_LT(twice, once * 5 / 2) << once << " steps for " << size;
}

}  // namespace xdscope::cost
