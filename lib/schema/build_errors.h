// Takes what a descriptor pool says of files that do not build, which would go to stderr otherwise.
#pragma once

#include <google/protobuf/descriptor.h>

#include <map>
#include <string>
#include <string_view>

namespace xdscope::schema {

class BuildErrors final : public google::protobuf::DescriptorPool::ErrorCollector {
 public:
  // Returns the first thing said of a file; empty when nothing was.
  std::string_view Of(const std::string& file) const;

  void AddError(const std::string& file, const std::string& element, const google::protobuf::Message* descriptor,
                ErrorLocation location, const std::string& message) override;

 private:
  std::map<std::string, std::string> first_;
};

}  // namespace xdscope::schema
