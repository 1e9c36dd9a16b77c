#include "lib/rules/inspector.h"

#include "lib/encode/visit.h"

namespace xdscope::rules {

void Inspector::Inspect(const Subject& subject, const wire::View& resource, finding::Sample* findings) {
  Report report(types_, *findings);
  report.Begin(subject);
  encode::Visit(resource, types_, [&](const encode::Visited& at) {
    pgv_.Check(at, &report);
    return true;
  });
}

}  // namespace xdscope::rules
