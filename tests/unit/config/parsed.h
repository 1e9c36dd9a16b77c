// Documents for tests.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "lib/config/document.h"

namespace xdscope::config {

// Reads a text that is well formed, as a file "f". The text must outlive the document.
inline Document Parsed(std::string_view text) {
  absl::StatusOr<Document> document = ParseDocument(text, "f");
  EXPECT_TRUE(document.ok()) << document.status();
  return document.ok() ? *std::move(document) : Document("", "f", {});
}

}  // namespace xdscope::config
