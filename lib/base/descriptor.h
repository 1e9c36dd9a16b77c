// The one owner of a file descriptor: a file, a socket. Closes it at its end.
#pragma once

#include <unistd.h>

#include <utility>

namespace xdscope::base {

class Descriptor {
 public:
  // Owns nothing.
  Descriptor() = default;
  // Takes what open(), socket() … returned; a negative number is no descriptor.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (is_open()) close(number_);
  }

  // Hands the descriptor over to somebody who closes it.
  int Release() && { return std::exchange(number_, -1); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace xdscope::base
