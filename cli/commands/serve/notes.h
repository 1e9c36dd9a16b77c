// What `serve` says of its clients and its files: one line for each thing that happens.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/serve/folder_findings.h"
#include "cli/console/report.h"
#include "lib/files/folder.h"
#include "lib/server/control_plane.h"
#include "lib/server/inventory.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

class ServeNotes final : public server::Observer {
 public:
  // All must outlive it: `inventory` is what is served, from `folder`. With `terminal` a person reads along.
  ServeNotes(Report& report, wire::Types& types, const server::Inventory& inventory, std::string folder, bool terminal)
      : report_(report), types_(types), inventory_(inventory), folder_(std::move(folder)), terminal_(terminal) {}

  // Says which file is being read, to a person who waits.
  void Reading(std::string_view path, std::uint64_t size);
  // Says errors always, remarks unless -q.
  void Notices(std::span<const files::Notice> notices);
  // Takes what was found in the files; what is beside it when a client refuses something.
  void Judged(std::vector<client::JudgedFile> files) { findings_.Take(std::move(files)); }
  // Says what of that is news, but for what the notices have said.
  void Findings(std::span<const files::Notice> notices);
  // How many errors there are in the files.
  std::size_t errors() const { return findings_.errors(); }
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
  void WhatIsMeant(std::string_view type_url, std::string_view words);

  void Whole(const server::ClientStream& client, bool request, std::string_view bytes);

  Report& report_;
  wire::Types& types_;
  const server::Inventory& inventory_;
  std::string folder_;
  bool terminal_;
  FolderFindings findings_;
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
