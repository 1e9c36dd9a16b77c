#include "lib/protocol/push_order.h"

#include "lib/protocol/names.h"

namespace xdscope::protocol {
namespace {

struct Row {
  std::string_view word;
  PushOrder order;
};

constexpr Row kRows[] = {
    {"Cluster", {0, 9}},
    {"ClusterLoadAssignment", {1, 7}},
    {"LbEndpoint", {2, 6}},
    {"Listener", {3, 0}},
    {"RouteConfiguration", {4, 2}},
    {"ScopedRouteConfiguration", {5, 1}},
    {"VirtualHost", {6, 3}},
    {"Secret", {7, 8}},
    {"Runtime", {8, 5}},
    {"TypedExtensionConfig", {9, 4}},
};

}  // namespace

PushOrder PushOrderOf(std::string_view type_url) {
  const std::string_view message = MessageName(type_url);
  const std::string_view word = message.substr(message.rfind('.') + 1);  // npos + 1 is 0
  for (const Row& row : kRows) {
    if (row.word == word) return row.order;
  }
  return {10, 10};
}

}  // namespace xdscope::protocol
