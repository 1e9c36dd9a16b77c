// Several sources as one: each type, and each authority of xdstp names, is asked of the source that a small table
// names. What a bootstrap with several servers comes to: LDS from here, CDS from there.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/source/source.h"

namespace xdscope::source {

// Where to ask for names of one authority. Of several rows that fit, one that names the authority counts before one
// that names the type, and that before one that names neither.
struct Route {
  std::string type_url = {};  // empty: every type
  // Of xdstp names; empty: names that have none, and wildcards. nullopt: whatever the authority.
  std::optional<std::string> authority = {};
  std::optional<std::uint32_t> source = 0;  // nullopt: nobody is asked
};

// Returns the row for names of a type that have this authority; nullptr where none fits.
const Route* FindRoute(const std::vector<Route>& routes, std::string_view type_url, std::string_view authority);

class RoutedSource final : public Source {
 public:
  RoutedSource(std::vector<std::unique_ptr<Source>> sources, std::vector<Route> routes);

  // Each event tells in its place which source it comes from. An update of a type that several were asked for is not
  // whole.
  void Listen(Listener listener) override;
  void Know(const FindHeld& find_held) override;
  // Whether the source for the type's names without an authority can be asked for it.
  bool CanAsk(std::string_view type_url) const override;
  // Splits the interest among the sources. Names that no row fits are asked of nobody.
  void Want(std::string_view type_url, const protocol::InterestChange& change) override;
  absl::StatusOr<protocol::Changes> Answer(const Waiter& waiter, const protocol::Verdict& verdict) override;
  // Looks at the sources that were asked for the type.
  bool IsOpen(std::string_view type_url) const override;
  bool IsBusy() const override;
  void SetNode(const std::string& node) override;
  void Open() override;
  session::Session* SessionOf(std::string_view type_url) override;
  void Finish() override;
  Parts PartsOf(std::string_view type_url, const protocol::InterestChange& change) const override;
  bool CanAskOf(std::uint32_t source, std::string_view type_url) const override;
  void WantOf(std::uint32_t source, std::string_view type_url, const protocol::InterestChange& change) override;
  bool IsOpenFor(std::string_view type_url, std::string_view name) const override;

 private:
  struct Asked {
    std::unique_ptr<Source> source;
    std::map<std::string, protocol::Interest, std::less<>> interests;  // by type URL
  };

  void Mark(std::uint32_t source, Update* update) const;
  std::vector<protocol::Interest> Split(std::string_view type_url, const protocol::Interest& interest) const;

  std::vector<Asked> sources_;
  std::vector<Route> routes_;
};

}  // namespace xdscope::source
