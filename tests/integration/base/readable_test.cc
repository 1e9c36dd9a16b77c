#include "lib/base/readable.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "lib/base/descriptor.h"
#include "lib/base/loop.h"
#include "tests/integration/base/temporary_folder.h"

namespace xdscope::base {
namespace {

// A pipe, and how often its end was readable.
class ReadableTest : public testing::Test {
 protected:
  ReadableTest() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    out_ = Descriptor(ends[0]);
    in_ = Descriptor(ends[1]);
  }
  void Write() { ASSERT_EQ(write(in_.number(), "x", 1), 1); }
  void Read() {
    char c;
    ASSERT_EQ(read(out_.number(), &c, 1), 1);
  }
  void WaitFor(Readable& readable) {
    readable.Wait([this] {
      ++times_;
      loop_.Stop();
    });
  }

  Loop loop_;
  Descriptor out_;
  Descriptor in_;
  int times_ = 0;
};

TEST_F(ReadableTest, IsToldOnceForEachWait) {
  Readable readable(loop_, out_.number());
  for (int i = 1; i <= 3; ++i) {
    WaitFor(readable);
    Write();
    loop_.Run();
    EXPECT_EQ(times_, i);
    Read();
  }
}

TEST_F(ReadableTest, WhatIsThereAlreadyIsToldToo) {
  Write();
  Readable readable(loop_, out_.number());
  WaitFor(readable);
  loop_.Run();
  WaitFor(readable);  // it was not read
  loop_.Run();
  EXPECT_EQ(times_, 2);
}

TEST_F(ReadableTest, NothingIsToldAfterCancel) {
  Readable readable(loop_, out_.number());
  Write();
  WaitFor(readable);
  readable.Cancel();
  loop_.Post([this] { loop_.Stop(); });
  loop_.Run();
  EXPECT_EQ(times_, 0);
}

TEST_F(ReadableTest, TheEndOfAPipeIsReadable) {
  Readable readable(loop_, out_.number());
  WaitFor(readable);
  in_ = Descriptor();
  loop_.Run();
  EXPECT_EQ(times_, 1);
}

TEST_F(ReadableTest, TheDescriptorStaysAsItIsAndOpen) {
  const int before = fcntl(out_.number(), F_GETFL);
  {
    Readable readable(loop_, out_.number());
    Write();
    WaitFor(readable);
    loop_.Run();
  }
  EXPECT_EQ(fcntl(out_.number(), F_GETFL), before);
  Read();
}

TEST_F(ReadableTest, AFileNeverBlocks) {
  TemporaryFolder folder;
  const Descriptor file(open((folder.path() + "/f").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  Readable readable(loop_, file.number());
  WaitFor(readable);
  loop_.Run();
  EXPECT_EQ(times_, 1);
}

}  // namespace
}  // namespace xdscope::base
