// JSON of one DiscoveryResponse: xdscope's writer over the bytes against protobuf's own json_util over a parsed
// message, both to text in memory, both indented.
//
//   json_bench FILE [google-benchmark flags]     FILE is what bare_client saved
//   json_bench FILE --print                      reads it, decodes it and prints it, and nothing else
#include <benchmark/benchmark.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "lib/format/json_writer.h"
#include "lib/format/output.h"
#include "lib/format/walk.h"
#include "lib/schema/schema.h"
#include "lib/wire/message.h"
#include "lib/wire/type.h"

namespace {

constexpr char kResponse[] = "envoy.service.discovery.v3.DiscoveryResponse";

std::string ReadAll(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

// The least that it takes to print a file.
int Print(const std::string& bytes) {
  const xdscope::schema::Schema schema = xdscope::schema::Schema::Builtin();
  xdscope::wire::Types types(schema);
  xdscope::format::Output out([](std::string_view chunk) {
    return std::fwrite(chunk.data(), 1, chunk.size(), stdout) == chunk.size() ? absl::OkStatus()
                                                                              : absl::UnknownError("cannot be written");
  });
  xdscope::format::JsonWriter writer(out, xdscope::format::JsonWriter::Layout::kIndented);
  xdscope::format::Walker walker(types, {}, writer);
  const auto message = xdscope::wire::Decode(bytes, *types.Find(kResponse));
  if (!message.ok()) return 1;
  walker.Message(message->view());
  return out.Flush().ok() ? 0 : 1;
}

// Ours, all of it: checking the bytes, walking, writing.
void Xdscope(benchmark::State& state, const std::string& bytes) {
  const xdscope::schema::Schema schema = xdscope::schema::Schema::Builtin();
  xdscope::wire::Types types(schema);
  std::size_t size = 0;
  for (auto _ : state) {
    size = 0;
    xdscope::format::Output out([&size](std::string_view chunk) {
      size += chunk.size();
      return absl::OkStatus();
    });
    xdscope::format::JsonWriter writer(out, xdscope::format::JsonWriter::Layout::kIndented);
    xdscope::format::Walker walker(types, {}, writer);
    const auto message = xdscope::wire::Decode(bytes, *types.Find(kResponse));
    if (!message.ok()) return state.SkipWithError("the response does not decode");
    walker.Message(message->view());
    if (!out.Flush().ok()) return state.SkipWithError("the output failed");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
}

// protobuf's way from the same bytes: parse them into a message, write that.
void JsonUtil(benchmark::State& state, const std::string& bytes) {
  const xdscope::schema::Schema schema = xdscope::schema::Schema::Builtin();
  google::protobuf::DynamicMessageFactory factory;
  const std::unique_ptr<google::protobuf::Message> message(factory.GetPrototype(schema.FindMessage(kResponse))->New());
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::size_t size = 0;
  for (auto _ : state) {
    std::string out;
    if (!message->ParseFromString(bytes)) return state.SkipWithError("the response does not parse");
    if (!google::protobuf::util::MessageToJsonString(*message, &out, options).ok()) {
      return state.SkipWithError("json_util failed");
    }
    size = out.size();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("json_bench FILE [flags]\n", stderr);
    return 2;
  }
  const std::string bytes = ReadAll(argv[1]);
  if (argc > 2 && std::string_view(argv[2]) == "--print") return Print(bytes);
  benchmark::RegisterBenchmark("xdscope", Xdscope, bytes);
  benchmark::RegisterBenchmark("json_util", JsonUtil, bytes);
  argv[1] = argv[0];
  int rest = argc - 1;
  benchmark::Initialize(&rest, argv + 1);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
