// In the child: what find_identities() names is written down for the parent, with a way that the interface can follow.
// Shape:  a way begins at the last class object on the path that a static field is taken of, else at the GC root; both have tags of the dump's
//         environment. Steps are fields and elements. O(classes) for each name.
// Zone:   child.
// Errors: where there is no such way (a referent, an index beyond what labels hold, a gap before the end), the number is used up and that is
//         all: the parent counts it.
#pragma once

#include "common/child_mailbox.h"
#include "common/snapshot/snapshot.h"
#include "common/tracked_objects.h"
#include "jvmti/hotspot/frozen_picture.h"
#include "jvmti/tracking/named_record.h"

namespace holdfast::jvmti {

class NamedObjects {
 public:
  NamedObjects(const PictureReader& reader, const FrozenCatalog& frozen, const Snapshot& snapshot,
               ChildMailbox& mailbox) noexcept
      : reader_(reader),
        frozen_(frozen),
        snapshot_(snapshot),
        mailbox_(mailbox),
        records_({mailbox.text, ChildMailbox::kTextBytes}) {}

  // Tracking::name.
  static void name(void* self, std::uint32_t number, const WayToObject& way) noexcept {
    static_cast<NamedObjects*>(self)->add(number, way);
  }

 private:
  using Steps = std::span<const PathStep>;

  void add(std::uint32_t number, const WayToObject& way) noexcept;
  bool way_to(const WayToObject& way, NamedHead& head, std::span<NamedStep> out) const noexcept;
  bool step(const PathStep& from, const PathStep& to, NamedStep& out) const noexcept;
  bool field(ClassId of, RefLabel label, NamedStep& out) const noexcept;
  ClassId class_behind(ObjectId mirror) const noexcept;
  std::int64_t tag_of_root(ObjectId root) const noexcept;

  const PictureReader& reader_;
  const FrozenCatalog& frozen_;
  const Snapshot& snapshot_;
  ChildMailbox& mailbox_;
  NamedRecordWriter records_;
  std::uint32_t next_number_ = 0;
};

}  // namespace holdfast::jvmti
