// What a VM says of its heap and its collector, as JSON: the same in `status` and in `watch`.
// Shape:  what is not known is null.   Zone: offline.   Errors: none.
#pragma once

#include "cli/report/json_value.h"
#include "common/vm_adapter.h"

namespace holdfast::cli {

Json heap_json(const HeapFigures& heap);
Json collections_json(const CollectionFigures& figures);

}  // namespace holdfast::cli
