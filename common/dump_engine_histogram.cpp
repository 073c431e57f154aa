// The engine's part in watching: a class histogram between two dumps, kept until the next.
#include "common/dump_engine.h"

namespace holdfast {

Result<void> DumpEngine::begin_watching() noexcept { return make_error(ErrorCode::kUnsupported); }

void DumpEngine::end_watching() noexcept {}

bool DumpEngine::want_histogram() noexcept { return false; }

void DumpEngine::visit_histogram(void (*visit)(void* context,
                                               const ClassHistogram& histogram) noexcept,
                                 void* context) const noexcept {
  visit(context, ClassHistogram{});
}

}  // namespace holdfast
