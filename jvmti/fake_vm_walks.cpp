// The fake VM's walks: roots, then each visited object's references contiguously, its class first, as HotSpot reports them.
#include "jvmti/fake_vm_tables.h"

namespace holdfast::jvmti {

thread_local bool in_stopped_zone = false;

// A friend of FakeVm.
struct FakeWalks {
  static jlong tag_at(const FakeEnvironment& env, std::uint32_t object) {
    const auto found = env.tags.find(object);
    return found == env.tags.end() ? 0 : found->second;
  }
  static jlong class_tag(FakeVm& vm, const FakeEnvironment& env, std::uint32_t object) {
    return tag_at(env, vm.classes[vm.objects[object].type].mirror);
  }
  static void stop(FakeVm& vm) {
    ++vm.walks;
    vm.tagged_while_stopped = vm.callbacks = 0;
    vm.local_references_at_stop = vm.local_references;
    if (vm.on_stop) vm.on_stop();
  }

  // A tag as HotSpot's callback wrapper keeps it, on the stack of the thread that walks.
  struct TagCell {
    std::uint64_t address = 0x5A5A5A5A5A5A5A5A;
    jlong bytes = 0x5A5A5A5A5A5A5A5A;
    jlong tag = 0;
  };
  // The referrer's: only its address stands in front.
  struct ReferrerCell {
    std::uint64_t address = 0x5A5A5A5A5A5A5A5A;
    jlong tag = 0;
  };

  struct Walker {
    FakeVm& vm;
    FakeEnvironment& env;
    jvmtiHeapReferenceCallback callback;
    const void* data;
    std::vector<std::uint32_t> pending;
    std::vector<bool> visited;
    std::vector<std::uint64_t> addresses;

    void show(std::uint32_t object, int referrer, TagCell& cell, ReferrerCell& from) {
      const auto lie = vm.lies.find(vm.callbacks++);
      if (!vm.shows_addresses) return;
      cell.address = addresses[object];
      cell.bytes = vm.objects[object].bytes;
      if (referrer >= 0) from.address = addresses[static_cast<std::size_t>(referrer)];
      if (lie == vm.lies.end()) return;
      if (lie->second == FakeLie::kSize) cell.bytes += 8;
      if (lie->second == FakeLie::kOutside) cell.address = addresses.back();
      if (lie->second == FakeLie::kMisaligned) cell.address += 4;
      if (lie->second == FakeLie::kReferrer) from.address = addresses.back() - 8;
    }
    // False: the agent aborts.
    bool report(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo& info,
                std::uint32_t object, int referrer) {
      TagCell cell;
      ReferrerCell from;
      cell.tag = tag_at(env, object);
      from.tag = referrer < 0 ? 0 : tag_at(env, static_cast<std::uint32_t>(referrer));
      show(object, referrer, cell, from);
      const bool untagged = cell.tag == 0;
      const bool same = referrer == static_cast<int>(object);
      in_stopped_zone = true;
      const jint answer =
          callback(kind, &info, class_tag(vm, env, object),
                   referrer < 0 ? 0 : class_tag(vm, env, static_cast<std::uint32_t>(referrer)),
                   vm.objects[object].bytes, &cell.tag,
                   referrer < 0 ? nullptr
                   : same       ? &cell.tag
                                : &from.tag,
                   -1, const_cast<void*>(data));
      in_stopped_zone = false;
      if (cell.tag != 0) env.tags[object] = cell.tag;
      if (untagged && cell.tag != 0) ++vm.tagged_while_stopped;
      if ((answer & JVMTI_VISIT_ABORT) != 0) return false;
      if ((answer & JVMTI_VISIT_OBJECTS) != 0 && !visited[object]) pending.push_back(object);
      return true;
    }
    bool report_root(const FakeRoot& root) {
      jvmtiHeapReferenceInfo info{};
      const jlong thread_tag =
          root.thread < 0 ? 0 : tag_at(env, static_cast<std::uint32_t>(root.thread));
      auto* method = reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(root.method + 1));
      if (root.kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL)
        info.stack_local = {thread_tag, 0, root.depth, method, root.location, root.slot};
      if (root.kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL)
        info.jni_local = {thread_tag, 0, root.depth, method};
      return report(root.kind, info, root.object, -1);
    }
    bool is_mirror(std::uint32_t object) const { return vm.objects[object].type == vm.class_class; }
    bool visit(std::uint32_t object) {
      visited[object] = true;
      jvmtiHeapReferenceInfo info{};
      if (!is_mirror(object) &&
          !report(JVMTI_HEAP_REFERENCE_CLASS, info, vm.classes[vm.objects[object].type].mirror,
                  static_cast<int>(object)))
        return false;
      for (const FakeReference& reference : vm.objects[object].references) {
        info.field.index =
            reference.index;  // shares its place with array.index and constant_pool.index
        if (!report(reference.kind, info, reference.target, static_cast<int>(object))) return false;
      }
      return true;
    }
    void run() {
      for (const FakeRoot& root : vm.roots)
        if (!report_root(root)) return;
      while (!pending.empty()) {
        const std::uint32_t object = pending.back();
        pending.pop_back();
        if (!visited[object] && !visit(object)) return;
      }
    }
  };
  static jvmtiError JNICALL follow(jvmtiEnv* env, jint, jclass, jobject,
                                   const jvmtiHeapCallbacks* callbacks, const void* data) {
    HF_FAKE(env, "FollowReferences");
    stop(vm);
    Walker walker{vm,
                  self(env),
                  callbacks->heap_reference_callback,
                  data,
                  {},
                  std::vector<bool>(vm.objects.size(), false),
                  vm.addresses()};
    walker.run();
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL iterate(jvmtiEnv* env, jint, jclass,
                                    const jvmtiHeapCallbacks* callbacks, const void* data) {
    HF_FAKE(env, "IterateThroughHeap");
    stop(vm);
    for (std::uint32_t object = 0; object < vm.objects.size(); ++object) {
      jlong tag = tag_at(self(env), object);
      in_stopped_zone = true;
      callbacks->heap_iteration_callback(class_tag(vm, self(env), object), vm.objects[object].bytes,
                                         &tag, -1, const_cast<void*>(data));
      in_stopped_zone = false;
    }
    return JVMTI_ERROR_NONE;
  }
};

void add_walk_calls(jvmtiInterface_1_& table) {
  table.FollowReferences = &FakeWalks::follow;
  table.IterateThroughHeap = &FakeWalks::iterate;
}

}  // namespace holdfast::jvmti
