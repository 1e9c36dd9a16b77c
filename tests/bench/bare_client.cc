// The least that a C++ gRPC client can do: opens StreamClusters, sends one request, takes one response as it comes and
// leaves. What xdscope costs is measured against it.
//
//   bare_client HOST:PORT NODE_ID [FILE]      prints the size of the response on stderr; FILE takes the bytes
//   bare_client HOST:PORT NODE_ID --answer    takes one response after another and answers each by its first request
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr char kMethod[] = "/envoy.service.cluster.v3.ClusterDiscoveryService/StreamClusters";

// The field `number` with text in it; text of up to 127 bytes.
std::string Field(char number, const std::string& text) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(text.size())} + text;
}

// DiscoveryRequest{node{id}, type_url}.
grpc::ByteBuffer Request(const std::string& node) {
  const grpc::Slice slice(Field(2, Field(1, node)) + Field(4, "type.googleapis.com/envoy.config.cluster.v3.Cluster"));
  return {&slice, 1};
}

// The next event of the queue; false when the operation failed.
bool Done(grpc::CompletionQueue& queue) {
  void* tag = nullptr;
  bool ok = false;
  return queue.Next(&tag, &ok) && ok;
}

// Goes on until the server ends the stream.
int AnswerAll(grpc::GenericClientAsyncReaderWriter& stream, grpc::CompletionQueue& queue, const std::string& node) {
  grpc::ByteBuffer response;
  for (stream.Read(&response, nullptr); Done(queue); stream.Read(&response, nullptr)) {
    stream.Write(Request(node), nullptr);
    if (!Done(queue)) break;
  }
  return 0;
}

bool Save(const grpc::ByteBuffer& bytes, const char* path) {
  std::vector<grpc::Slice> slices;
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr || !bytes.Dump(&slices).ok()) return false;
  for (const auto& slice : slices) std::fwrite(slice.begin(), 1, slice.size(), file);
  return std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  const auto channel = grpc::CreateCustomChannel(argv[1], grpc::InsecureChannelCredentials(), arguments);
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto stream = stub.PrepareCall(&context, kMethod, &queue);
  stream->StartCall(nullptr);
  if (!Done(queue)) return 3;
  stream->Write(Request(argv[2]), nullptr);
  if (!Done(queue)) return 3;
  if (argc > 3 && std::string(argv[3]) == "--answer") return AnswerAll(*stream, queue, argv[2]);
  grpc::ByteBuffer response;
  stream->Read(&response, nullptr);
  if (!Done(queue)) return 3;
  std::fprintf(stderr, "%zu bytes\n", response.Length());
  if (argc > 3 && !Save(response, argv[3])) return 1;
  context.TryCancel();
  grpc::Status status;
  stream->Finish(&status, nullptr);
  Done(queue);
  return 0;
}
