// Prints random values for pyyaml_test.py: a line of JSON, then its YAML, each document ended by a line "%%%".
#include <iostream>

#include "tests/fake/random_message.h"
#include "tests/unit/format/fixture.h"

int main() {
  using namespace xdscope::format;
  Api& api = SharedApi();
  xdscope::fake::RandomMessages random(api.factory,
                                       {api.schema.FindMessage("envoy.extensions.filters.http.lua.v3.Lua")}, 13);
  const auto print = [&](const char* name, int count) {
    const auto* descriptor = api.schema.FindMessage(name);
    for (int i = 0; i < count; ++i) {
      const std::unique_ptr<google::protobuf::Message> message(api.factory.GetPrototype(descriptor)->New());
      random.Fill(message.get(), 6);
      const std::string bytes = message->SerializePartialAsString();
      std::cout << ShowBytes(name, bytes) << '\n' << ShowBytes(name, bytes, {}, Spelling::kYaml) << "%%%\n";
    }
  };
  print("google.protobuf.Struct", 800);
  print("google.protobuf.Value", 800);
  print("envoy.config.cluster.v3.Cluster", 50);
  print("envoy.config.route.v3.RouteConfiguration", 50);
}
