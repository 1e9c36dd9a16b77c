// How much a piece of work costs, counted instead of timed: the same on a busy machine, in every build, at every run.
#pragma once

#include <cstdint>
#include <functional>

namespace xdscope::cost {

// Runs `work` and returns its steps: one for each basic block that it runs in the sources that the test counts (see
// xdscope_cost_test), and one for each eight bytes that anybody asks of the heap meanwhile, which stands for copying.
// Blocks of other libraries do not count.
std::uint64_t StepsOf(const std::function<void()>& work);

// Expects that twice as much work costs about twice as much: `work_of` prepares work of a size, which is then counted
// once for `size` and once for 2 * size. Steps that grow with the square come out near four times.
void ExpectLinear(const std::function<std::function<void()>(int size)>& work_of, int size);

}  // namespace xdscope::cost
