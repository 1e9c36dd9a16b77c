// What `serve` says of its clients and its files: one line for each thing that happens.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/console/report.h"
#include "lib/files/folder.h"
#include "lib/server/control_plane.h"
#include "lib/server/inventory.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

class ServeNotes final : public server::Observer {
 public:
  // `report` and `types` must outlive it. With `terminal` a person reads along.
  ServeNotes(Report& report, wire::Types& types, bool terminal) : report_(report), types_(types), terminal_(terminal) {}

  // Says which file is being read, to a person who waits.
  void Reading(std::string_view path, std::uint64_t size);
  // Says errors always, remarks unless -q.
  void Notices(std::span<const files::Notice> notices);
  // Says what changed, type by type (-v), and which resources are there twice.
  void Update(const server::Inventory::SetResult& update);

  void OnOpened(const server::ClientStream& client) override;
  void OnRequest(const server::ClientStream& client, const protocol::Received& received) override;
  void OnResponse(const server::ClientStream& client, const protocol::ServerResponse& answer,
                  std::span<const transport::Chunk> message) override;
  void OnUnchanged(const server::ClientStream& client, std::string_view type_url) override;
  void OnClosed(const server::ClientStream& client, const absl::Status& status) override;

 private:
  void Refusal(const server::ClientStream& client, const protocol::Received& received);

  void Whole(const server::ClientStream& client, bool request, std::string_view bytes);

  Report& report_;
  wire::Types& types_;
  bool terminal_;
  // A client's last refusal of a type, so that each is said once; and no more than twice where the same version is sent
  // again and again, and refused in the same words.
  struct Refused {
    std::string nonce;
    std::string version;  // of the response that was sent after it
    std::optional<std::string> words;
  };
  std::map<std::pair<std::uint64_t, std::string>, Refused> refused_;
};

}  // namespace xdscope::cli
