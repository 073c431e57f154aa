#include "jvmpi/fake_vm.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace holdfast::jvmpi {

namespace {

constexpr VmId kIdStep = 64;  // room for the handles of a class's methods
constexpr std::byte kRubbish{0xDD};

VmId id_of(const void* argument) { return reinterpret_cast<std::uintptr_t>(argument); }
jobjectID as_object(VmId id) {
  return reinterpret_cast<jobjectID>(static_cast<std::uintptr_t>(id));
}
JNIEnv* as_env(VmId env) { return reinterpret_cast<JNIEnv*>(static_cast<std::uintptr_t>(env)); }

// Texts that turn into rubbish when the event is over.
class Texts {
 public:
  ~Texts() {
    for (auto& text : texts_) std::fill(text.begin(), text.end(), 'X');
  }
  char* add(const std::string& text) {
    texts_.emplace_back(text.begin(), text.end());
    texts_.back().push_back('\0');
    return texts_.back().data();
  }
  std::vector<JVMPI_Field> fields(const std::vector<FakeField>& from) {
    std::vector<JVMPI_Field> out;
    out.reserve(from.size());
    for (const FakeField& field : from) out.push_back({add(field.name), add(field.signature)});
    return out;
  }

 private:
  std::vector<std::vector<char>> texts_;
};

// A dump at an odd address, which turns into rubbish when the event is over.
class Buffer {
 public:
  explicit Buffer(const FakeDump& dump) : bytes_(dump.bytes().size() + 1) {
    std::copy(dump.bytes().begin(), dump.bytes().end(), bytes_.begin() + 1);
  }
  ~Buffer() { std::fill(bytes_.begin(), bytes_.end(), kRubbish); }
  char* begin() { return reinterpret_cast<char*>(bytes_.data()) + 1; }
  char* end() { return reinterpret_cast<char*>(bytes_.data() + bytes_.size()); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

FakeVm* FakeVm::current = nullptr;

FakeVm::FakeVm() {
  current = this;
  interface.version = kVersion1;
  interface.EnableEvent = [](jint event, void*) -> jint {
    current->note_call();
    if (current->refused_events.contains(event)) return kNotAvailable;
    current->enabled.insert(event);
    return kSuccess;
  };
  interface.DisableEvent = [](jint event, void*) -> jint {
    current->note_call();
    current->enabled.erase(event);
    return kSuccess;
  };
  interface.CreateSystemThread = [](char*, jint, void (*run)(void*)) -> jint {
    current->note_call();
    if (current->refuses_threads) return kFail;
    current->made_.emplace_back([run] {
      made_by_vm = true;
      run(nullptr);
    });
    return kSuccess;
  };
  interface.RequestEvent = &FakeVm::request;
  interface.DisableGC = [] {
    current->note_call();
    ++current->gc_off;
    ours = true;
  };
  interface.EnableGC = [] {
    ours = false;
    current->note_call();
    if (--current->gc_off < 0) ++current->broken_rules;
  };
  interface.RunGC = [] {
    current->note_call();
    if (current->gc_off != 0) ++current->broken_rules;
    ++current->collections;
  };
  interface.GetMethodClass = [](jmethodID method) -> jobjectID {
    if (current->gc_off == 0) ++current->broken_rules;
    const VmId handle = id_of(method);
    for (const FakeClass& of : current->classes_)
      if (handle > of.id && handle <= of.id + of.methods.size()) return as_object(of.id);
    return nullptr;
  };
}

FakeVm::~FakeVm() {
  join_threads();
  current = nullptr;
}

void FakeVm::note_call() {
  if (gone_) ++calls_when_gone;
}

void FakeVm::tell(EventType event) {
  if (!enabled.contains(event)) return;
  JVMPI_Event told{};
  told.event_type = event;
  interface.NotifyEvent(&told);
}

void FakeVm::shut_down() {
  tell(kJvmShutDown);
  gone_ = true;
}

void FakeVm::join_threads() {
  for (std::thread& thread : made_) thread.join();
  made_.clear();
}

// -- the heap --

VmId FakeVm::next_id() { return next_ += kIdStep; }

FakeClass& FakeVm::add_class(const std::string& name, VmId super) {
  FakeClass made;
  made.id = next_id();
  made.name = name;
  made.super = super;
  classes_.push_back(made);
  class_of_id_[made.id] = &classes_.back();
  return classes_.back();
}

FakeObject& FakeVm::keep(FakeObject made) {
  made.id = next_id();
  objects_.push_back(std::move(made));
  object_of_id_[objects_.back().id] = &objects_.back();
  return objects_.back();
}

FakeObject& FakeVm::add_instance(VmId class_id, std::vector<std::uint64_t> values) {
  FakeObject made;
  made.class_id = class_id;
  made.values = std::move(values);
  made.bytes = 16 + 8 * static_cast<std::uint32_t>(fields_of(class_id).size());
  return keep(std::move(made));
}

FakeObject& FakeVm::add_object_array(VmId told_class, std::vector<std::uint64_t> elements) {
  FakeObject made;
  made.tag = RecordTag::kObjectArray;
  made.class_id = told_class;
  made.element = ValueType::kReference;
  made.length = static_cast<std::uint32_t>(elements.size());
  made.values = std::move(elements);
  made.bytes = 16 + 8 * made.length;
  return keep(std::move(made));
}

FakeObject& FakeVm::add_primitive_array(ValueType element, std::uint32_t length) {
  FakeObject made;
  made.tag = RecordTag::kPrimitiveArray;
  made.element = element;
  made.length = length;
  const std::uint32_t used =
      12 + length * static_cast<std::uint32_t>(value_bytes(element, sizeof(void*)));
  made.bytes = (used + 7) / 8 * 8;
  return keep(std::move(made));
}

FakeClass& FakeVm::class_named(const std::string& name) {
  for (FakeClass& of : classes_)
    if (of.name == name) return of;
  throw std::out_of_range(name);
}

void FakeVm::tell_ids() {
  interface.jobject2jobjectID = [](jobject object) -> jobjectID {
    if (current->gc_off == 0) ++current->broken_rules;
    return as_object(id_of(object));
  };
}

void FakeVm::tell_arrays_with_own_class(const std::map<VmId, VmId>& own) {
  for (FakeObject& of : objects_)
    if (const auto at = own.find(of.class_id); of.tag == RecordTag::kObjectArray && at != own.end())
      of.class_id = at->second;
}

std::vector<VmId> FakeVm::all_ids() const {
  std::vector<VmId> ids;
  for (const FakeObject& of : objects_) ids.push_back(of.id);
  for (const FakeClass& of : classes_) ids.push_back(of.id);
  return ids;
}

const FakeClass* FakeVm::find_class(VmId id) const {
  const auto at = class_of_id_.find(id);
  return at != class_of_id_.end() ? at->second : nullptr;
}

const FakeObject* FakeVm::find_object(VmId id) const {
  const auto at = object_of_id_.find(id);
  return at != object_of_id_.end() ? at->second : nullptr;
}

std::vector<const FakeField*> FakeVm::fields_of(VmId class_id) const {
  std::vector<const FakeField*> fields;
  int steps = 0;  // superclasses may go in a circle
  for (const FakeClass* of = find_class(class_id); of != nullptr && steps < 16;
       of = find_class(of->super), ++steps)
    for (const FakeField& field : of->instances) fields.push_back(&field);
  return fields;
}

// -- answers --

jint FakeVm::request(jint type, void* argument) {
  const bool before = ours;
  ours = false;
  current->note_call();
  const jint answer = current->answer(type, argument);
  ours = before;
  return answer;
}

jint FakeVm::answer(jint type, void* argument) {
  ++asked[type];
  if (argument == nullptr && type != kHeapDump) ++broken_rules;
  if (gc_off == 0 && type != kHeapDump) ++broken_rules;
  if (inside_object_dump_ != 0) ++broken_rules;
  switch (type) {
    case kClassLoad:
      return tell_class(id_of(argument));
    case kObjectDump:
      return tell_object(id_of(argument));
    case kObjectAlloc:
      return tell_size(id_of(argument));
    case kThreadStart:
      return tell_thread(id_of(argument));
    case kHeapDump:
      return tell_heap(argument != nullptr
                           ? static_cast<JVMPI_HeapDumpArg*>(argument)->heap_dump_level
                           : kDumpValues);
    default:
      return kNotAvailable;
  }
}

void FakeVm::deliver(JVMPI_Event& event) {
  event.event_type |= kRequested;
  event.env_id = nullptr;
  ++gc_off;  // by the VM, for as long as the event lasts
  ours = true;
  interface.NotifyEvent(&event);
  if (twice) interface.NotifyEvent(&event);
  ours = false;
  --gc_off;
}

jint FakeVm::tell_class(VmId id) {
  const FakeClass* const of = find_class(id);
  if (of == nullptr && find_object(id) == nullptr) ++strangers;
  if (primitive_classes.contains(id)) ++broken_rules;
  if (of == nullptr || refused_loads.contains(id)) return kFail;
  Texts texts;
  auto statics = texts.fields(of->statics);
  auto instances = texts.fields(of->instances);
  std::vector<JVMPI_Method> methods;
  for (std::size_t m = 0; m < of->methods.size(); ++m)
    methods.push_back({texts.add(of->methods[m]), texts.add("()V"), 1, 2, of->method_of(m)});
  JVMPI_Event event{};
  event.event_type = kClassLoad;
  auto& load = event.u.class_load;
  load.class_name = texts.add(of->name);
  load.num_interfaces = static_cast<jint>(of->interfaces.size());
  load.num_methods = static_cast<jint>(methods.size());
  load.methods = methods.data();
  load.num_static_fields = static_cast<jint>(statics.size());
  load.statics = statics.data();
  load.num_instance_fields =
      static_cast<jint>(instances.size()) - (hidden_fields.contains(id) ? 1 : 0);
  load.instances = instances.data();
  load.class_id = as_object(id);
  deliver(event);
  return kSuccess;
}

void FakeVm::value(FakeDump& out, char letter, std::uint64_t value, bool all) {
  const ValueType type = value_type_of_signature(letter);
  if (type == ValueType::kReference) {
    out.id(value);
    return;
  }
  if (!all) return;
  switch (value_bytes(type, sizeof(void*))) {
    case 1:
      out.u1(value);
      return;
    case 2:
      out.u2(value);
      return;
    case 4:
      out.u4(value);
      return;
    default:
      out.u8(value);
  }
}

void FakeVm::write(FakeDump& out, const FakeClass& of, bool all) {
  out.u1(static_cast<std::uint8_t>(RecordTag::kClass)).id(of.id).id(of.super).id(of.loader);
  out.id(of.signers).id(of.domain).id(of.name_string).id(0).u4(16);
  for (const VmId id : of.interfaces) out.id(id);
  out.u2(of.constants.size());
  std::uint16_t index = 1;
  for (const VmId id : of.constants) out.u2(index++).listed(ValueType::kReference, id);
  for (const FakeField& field : of.statics) value(out, field.signature[0], field.value, all);
}

void FakeVm::write(FakeDump& out, const FakeObject& of, bool all) {
  if (of.tag == RecordTag::kInstance) {
    FakeDump values(sizeof(void*));
    const auto fields = fields_of(of.class_id);
    for (std::size_t i = 0; i < fields.size(); ++i)
      value(values, fields[i]->signature[0], i < of.values.size() ? of.values[i] : 0, all);
    out.instance(of.id, of.class_id, values);
    return;
  }
  if (of.tag == RecordTag::kObjectArray) {
    out.object_array(of.id, of.class_id, {});
    // The length that was written is none's: four bytes in front of the class.
    auto& bytes = out.writable();
    for (std::size_t i = 0; i < 4; ++i)
      bytes[bytes.size() - sizeof(void*) - 1 - i] = static_cast<std::byte>(of.length >> (8 * i));
    for (const std::uint64_t id : of.values) out.id(id);
    return;
  }
  out.primitive_array(of.id, of.element, of.length);
  if (!all) return;
  for (std::uint32_t i = 0; i < of.length * value_bytes(of.element, sizeof(void*)); ++i) out.u1(i);
}

jint FakeVm::tell_object(VmId id) {
  const FakeClass* const as_class = find_class(id);
  const FakeObject* const as_object = find_object(id);
  if (as_class == nullptr && as_object == nullptr) ++strangers;
  if ((as_class == nullptr && as_object == nullptr) || refused_dumps.contains(id)) return kFail;
  FakeDump dump(sizeof(void*));
  if (as_class != nullptr) write(dump, *as_class, true);
  if (as_object != nullptr) write(dump, *as_object, true);
  if (garbage_dumps.contains(id))
    std::fill(dump.writable().begin(), dump.writable().end(), kRubbish);
  if (tails_unwritten) {
    const auto last = dump.writable().end() - static_cast<std::ptrdiff_t>(dump.last_bytes());
    std::fill(last, dump.writable().end(), kRubbish);
  }
  if (!forged_object.empty()) dump.writable() = forged_object;
  Buffer buffer(dump);
  JVMPI_Event event{};
  event.event_type = kObjectDump;
  event.u.object_dump.data = buffer.begin();
  event.u.object_dump.data_len =
      length_lie != 0 ? length_lie : static_cast<jint>(dump.bytes().size());
  ++inside_object_dump_;
  deliver(event);
  --inside_object_dump_;
  return kSuccess;
}

jint FakeVm::tell_size(VmId id) {
  const FakeClass* const as_class = find_class(id);
  const FakeObject* const of = find_object(id);
  if (id == 0) ++broken_rules;
  if (as_class == nullptr && of == nullptr) ++strangers;
  if ((as_class == nullptr && of == nullptr) || refused_sizes.contains(id)) return kFail;
  JVMPI_Event event{};
  event.event_type = kObjectAlloc;
  auto& told = event.u.obj_alloc;
  told.obj_id = as_object(id);
  if (as_class != nullptr) {
    told.size = static_cast<jint>(as_class->bytes);
    if (as_class->name != "java.lang.Class")
      told.class_id = as_object(class_named("java.lang.Class").id);
  } else {
    told.size = static_cast<jint>(of->bytes);
    told.is_array = static_cast<jint>(of->element);
    told.class_id = as_object(of->class_id);
  }
  deliver(event);
  return kSuccess;
}

jint FakeVm::tell_thread(VmId id) {
  for (const FakeThread& thread : threads) {
    if (thread.object != id) continue;
    Texts texts;
    JVMPI_Event event{};
    event.event_type = kThreadStart;
    event.u.thread_start.thread_name = texts.add(thread.name);
    event.u.thread_start.thread_id = as_object(id);
    event.u.thread_start.thread_env_id = as_env(thread.env);
    deliver(event);
    return kSuccess;
  }
  return kFail;
}

jint FakeVm::tell_heap(jint level) {
  if (refused_levels.contains(level)) return kFail;
  if (silent_levels.contains(level)) return kSuccess;
  if (level == kDumpIds && while_listing) while_listing();
  FakeDump dump(sizeof(void*));
  std::size_t records = 0;
  const auto begin_record = [&] {
    if (records++ == unknown_tag_at) dump.u1(0x55);
  };
  if (level != kDumpIds)
    for (const FakeRoot& root : roots) {
      begin_record();
      dump.root(root.tag, root.object);
      if (root.tag == RecordTag::kJniGlobal) dump.id(0);
      if (root.tag == RecordTag::kJniLocal || root.tag == RecordTag::kJavaFrame)
        dump.id(root.thread).u4(root.depth);
      if (root.tag == RecordTag::kThreadBlock || root.tag == RecordTag::kNativeStack)
        dump.id(root.thread);
    }
  for (int pass = 0; pass < (lists_twice ? 2 : 1); ++pass) {
    for (const FakeObject& of : objects_) {
      if (unlisted.contains(of.id)) continue;
      begin_record();
      if (level == kDumpIds)
        dump.u1(static_cast<std::uint8_t>(of.element)).id(of.id);
      else
        write(dump, of, level == kDumpValues);
    }
    for (const FakeClass& of : classes_) {
      if (unlisted.contains(of.id)) continue;
      begin_record();
      if (level == kDumpIds)
        dump.u1(0).id(of.id);
      else
        write(dump, of, level == kDumpValues);
    }
  }
  if (!forged_dump.empty() && level != kDumpIds) dump.writable() = forged_dump;
  Buffer buffer(dump);
  std::vector<std::vector<JVMPI_CallFrame>> frames;
  std::vector<JVMPI_CallTrace> traces;
  for (const FakeThread& thread : threads) {
    frames.emplace_back();
    for (jmethodID method : thread.frames) frames.back().push_back({1, method});
  }
  for (std::size_t t = 0; t < threads.size(); ++t)
    traces.push_back(
        {as_env(threads[t].env), static_cast<jint>(frames[t].size()), frames[t].data()});
  JVMPI_Event event{};
  event.event_type = kHeapDump;
  event.u.heap_dump.dump_level = level;
  event.u.heap_dump.begin = buffer.begin();
  event.u.heap_dump.end = buffer.end() - std::min(cut_bytes, dump.bytes().size());
  event.u.heap_dump.num_traces = static_cast<jint>(traces.size());
  event.u.heap_dump.traces = traces.data();
  deliver(event);
  return kSuccess;
}

}  // namespace holdfast::jvmpi
