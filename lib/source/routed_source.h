// Several sources as one: each type, and each authority of xdstp names, is asked of the source that a small table
// names. What a bootstrap with several servers comes to: LDS from here, CDS from there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/source/source.h"

namespace xdscope::source {

// Where to ask for names of one authority (or of none). Of two rows that fit a type the one that names it counts.
struct Route {
  std::string type_url = {};   // empty: every type
  std::string authority = {};  // of xdstp names; empty: names that have none, and wildcards
  std::size_t source = 0;
};

class RoutedSource final : public Source {
 public:
  RoutedSource(std::vector<std::unique_ptr<Source>> sources, std::vector<Route> routes);

  void Listen(Listener listener) override;
  void Know(FindHeld find_held) override;
  // Whether the source for the type's names without an authority can be asked for it.
  bool CanAsk(std::string_view type_url) const override;
  // Splits the interest among the sources. Names that no row fits are asked of nobody.
  void Want(std::string_view type_url, const protocol::InterestChange& change) override;
  absl::StatusOr<protocol::Changes> Answer(const Waiter& waiter, const protocol::Verdict& verdict) override;
  bool IsOpen(std::string_view type_url) const override;
  bool IsBusy() const override;
  void SetNode(const std::string& node) override;
  void Open() override;
  session::Session* SessionOf(std::string_view type_url) override;
  void Finish() override;

 private:
  const Route* Find(std::string_view type_url, std::string_view authority) const;
  std::vector<protocol::Interest> Split(std::string_view type_url, const protocol::Interest& interest) const;

  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<Route> routes_;
};

}  // namespace xdscope::source
