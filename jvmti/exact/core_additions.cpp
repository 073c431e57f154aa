#include "jvmti/exact/core_additions.h"

#include "jvmti/exact/counting_class.h"
#include "jvmti/exact/method_writer.h"
#include "jvmti/exact/pool_writer.h"

namespace holdfast::jvmti {

namespace {

constexpr unsigned kAccPublic = 0x0001;
constexpr unsigned kAccStaticBit = 0x0008;
constexpr unsigned kAccTransient = 0x0080;
constexpr unsigned kAccSynthetic = 0x1000;
constexpr unsigned kFirst9Major = 53;

// A door of the same name and descriptor as the counting class's method.
struct Door {
  std::string_view door;
  std::string_view counting;
  std::string_view descriptor;
  Opcode load;
  Opcode answer;
};
constexpr Door kDoors[] = {
    {"hf$constructed", "constructed", "(Ljava/lang/Object;)V", kAload, kReturn},
    {"hf$array", "array", "(Ljava/lang/Object;)V", kAload, kReturn},
    {"hf$arrays", "arrays", "(Ljava/lang/Object;)V", kAload, kReturn},
    {"hf$cloned", "cloned", "(Ljava/lang/Object;)V", kAload, kReturn},
    {"hf$enter", "enter", "(I)J", kIload, kLreturn},
    {"hf$leave", "leave", "(J)V", kLload, kReturn},
};

// New members of a class, and the constants that they need.
struct Additions {
  explicit Additions(const ClassFile& file) noexcept : pool(file.pool().count()) {}
  PoolWriter pool;
  ClassBytes<2048> fields;
  ClassBytes<2048> methods;
  unsigned field_count = 0;
  unsigned method_count = 0;
};

void add_field(Additions& to, unsigned access, std::string_view name,
               std::string_view descriptor) noexcept {
  ++to.field_count;
  to.fields.u2(access);
  to.fields.u2(to.pool.utf8(name));
  to.fields.u2(to.pool.utf8(descriptor));
  to.fields.u2(0);
}

// The one annotation of a field or method whose other attributes, if any, are written.
void add_annotation(ClassBytes<2048>& to, PoolWriter& pool, std::string_view descriptor) noexcept {
  to.u2(pool.utf8("RuntimeVisibleAnnotations"));
  to.u4(6);
  to.u2(1);
  to.u2(pool.utf8(descriptor));
  to.u2(0);
}

// Stable: compiled code takes it for a constant, and enter asks nothing. What is off after a detach is counting, which calls natives.
void add_ready(Additions& to, bool before_9) noexcept {
  ++to.field_count;
  to.fields.u2(kAccPublic | kAccStaticBit | kAccSynthetic);
  to.fields.u2(to.pool.utf8(kReadyField));
  to.fields.u2(to.pool.utf8("Z"));
  to.fields.u2(1);
  add_annotation(to.fields, to.pool, stable_descriptor(before_9));
}

// if (on) return Counts.x(argument); return 0;
// For enter "on" is whether there is a counting class; for leave "on" is whether enter has answered something.
void add_door(Additions& to, const Door& door, bool before_9, std::uint16_t on_field,
              std::uint16_t code_name, std::uint16_t frames_name) noexcept {
  MethodWriter code;
  if (door.load == kLload)
    code.op1(kLload, 0).op(kLconst0).op(kLcmp);
  else
    code.op2(kGetstatic, on_field);
  const auto off = code.jump(kIfeq);
  code.op1(door.load, 0)
      .op2(kInvokestatic, to.pool.method(kCountingClass, door.counting, door.descriptor));
  code.op(door.answer);
  code.land(off);
  const std::size_t off_at = code.size();
  if (door.answer == kLreturn) code.op(kLconst0);
  code.op(door.answer);
  ++to.method_count;
  to.methods.u2(kAccPublic | kAccStaticBit | kAccSynthetic);
  to.methods.u2(to.pool.utf8(door.door));
  to.methods.u2(to.pool.utf8(door.descriptor));
  to.methods.u2(2);
  to.methods.u2(code_name);
  to.methods.u4(static_cast<std::uint32_t>(12 + code.size() + 9));
  to.methods.u2(4);
  to.methods.u2(2);
  to.methods.u4(static_cast<std::uint32_t>(code.size()));
  to.methods.append(code.span());
  to.methods.u2(0);
  to.methods.u2(1);
  to.methods.u2(frames_name);
  to.methods.u4(3);
  to.methods.u2(1);
  to.methods.u1(static_cast<unsigned>(off_at));  // same_frame: the arguments, and an empty stack
  add_annotation(to.methods, to.pool, force_inline_descriptor(before_9));
}

// Another agent of this kind was here: a second field of one name would end the VM.
bool has_member(const ClassFile& file, std::string_view name) noexcept {
  ByteReader fields(file.fields());
  for (unsigned i = 0; i < file.field_count(); ++i)
    if (file.read_member(fields).name == name) return true;
  return false;
}

Result<void> add_doors(Additions& to, const ClassFile& file) noexcept {
  if (has_member(file, kSwitchField)) return make_error(ErrorCode::kUnsupported);
  const bool before_9 = file.major() < kFirst9Major;
  add_field(to, kAccPublic | kAccStaticBit | kAccSynthetic, kSwitchField, "Z");
  add_ready(to, before_9);
  const std::uint16_t on_field = to.pool.field(kDoorClass, kSwitchField, "Z");
  const std::uint16_t code_name = to.pool.utf8("Code");
  const std::uint16_t frames_name = to.pool.utf8("StackMapTable");
  for (const Door& each : kDoors) add_door(to, each, before_9, on_field, code_name, frames_name);
  return {};
}

// The parts of Object's constructor: all before its Code, and all behind it.
struct Constructor {
  Bytes before, code, after;
};

Result<Constructor> find_constructor(const ClassFile& file) noexcept {
  ByteReader reader(file.methods());
  for (unsigned i = 0; i < file.method_count(); ++i) {
    const Member method = file.read_member(reader);
    if (method.name != "<init>") continue;
    ByteReader attributes(method.attributes);
    const auto first = static_cast<std::size_t>(method.attributes.data() - file.methods().data());
    for (unsigned k = 0; k < method.attribute_count; ++k) {
      const std::size_t at = first + attributes.at();
      const Attribute attribute = file.read_attribute(attributes);
      if (attribute.name != "Code") continue;
      const Bytes all = file.methods();
      return Constructor{all.first(at), attribute.content,
                         all.subspan(at + attribute.bytes.size())};
    }
  }
  return make_error(ErrorCode::kUnsupported);
}

// Object's constructor is one `return` in every JDK; another one is not touched.
Result<void> write_constructor(Additions& to, const Constructor& old, ByteWriter& out) noexcept {
  constexpr std::size_t kOnlyReturn = 2 + 2 + 4 + 1 + 2 + 2;
  if (old.code.size() < kOnlyReturn || load_u32(old.code, 4) != 1 ||
      load_u8(old.code, 8) != kReturn || load_u16(old.code, 9) != 0)
    return make_error(ErrorCode::kUnsupported);
  MethodWriter code;
  code.op1(kAload, 0).op2(kInvokestatic,
                          to.pool.method(kDoorClass, "hf$constructed", "(Ljava/lang/Object;)V"));
  code.op(kReturn);
  out.put(old.before);
  out.u16(to.pool.utf8("Code"));
  out.u32(static_cast<std::uint32_t>(12 + code.size()));
  out.u16(1);
  out.u16(load_u16(old.code, 2));
  out.u32(static_cast<std::uint32_t>(code.size()));
  out.put(code.span());
  out.u16(0);
  out.u16(0);  // line numbers, of an empty line
  out.put(old.after);
  return {};
}

Result<std::span<const std::byte>> join(const ClassFile& file, const Additions& added,
                                        Bytes methods, std::span<std::byte> out) noexcept {
  ByteWriter writer(out);
  writer.put(file.head());
  writer.u16(added.pool.count());
  writer.put(file.pool_bytes());
  writer.put(added.pool.bytes());
  writer.put(file.middle());
  writer.u16(file.field_count() + added.field_count);
  writer.put(file.fields());
  writer.put(added.fields.span());
  writer.u16(file.method_count() + added.method_count);
  writer.put(methods);
  writer.put(added.methods.span());
  writer.put(file.tail());
  if (!writer.ok() || added.pool.overflowed() || added.fields.overflowed() ||
      added.methods.overflowed())
    return make_error(ErrorCode::kTooMany);
  return std::span<const std::byte>(out.first(writer.at()));
}

// The constructor grows by a handful of bytes: the methods are put together behind where the class will end.
Result<std::span<const std::byte>> add_call(const ClassFile& file, Additions& to,
                                            std::span<std::byte> out) noexcept {
  HF_TRY(constructor, find_constructor(file));
  std::byte methods[kMostAddedBytes];
  if (file.methods().size() + 64 > sizeof methods) return make_error(ErrorCode::kUnsupported);
  ByteWriter writer(methods);
  HF_CHECK_OK(write_constructor(to, constructor, writer));
  if (!writer.ok()) return make_error(ErrorCode::kTooMany);
  return join(file, to, Bytes(methods, writer.at()), out);
}

}  // namespace

CoreClass core_class(std::string_view internal_name) noexcept {
  if (internal_name == "java/lang/Object") return CoreClass::kObject;
  if (internal_name == "java/lang/Thread") return CoreClass::kThread;
  if (internal_name == "java/lang/Class") return CoreClass::kClass;
  if (internal_name == kDoorClass) return CoreClass::kDoors;
  return CoreClass::kNone;
}

Result<std::span<const std::byte>> add_to_core(CoreClass which, const ClassFile& file,
                                               std::span<std::byte> out) noexcept {
  Additions added(file);
  switch (which) {
    case CoreClass::kThread:
      if (has_member(file, kStateField)) return make_error(ErrorCode::kUnsupported);
      for (const std::string_view field :
           {kStateField, kLaneField, kCountedStateField, kCountedRowField})
        add_field(added, kAccTransient | kAccSynthetic, field, "J");
      break;
    case CoreClass::kClass:
      if (has_member(file, kPlaceField)) return make_error(ErrorCode::kUnsupported);
      add_field(added, kAccTransient | kAccSynthetic, kPlaceField, "I");
      break;
    case CoreClass::kDoors:
      HF_CHECK_OK(add_doors(added, file));
      break;
    case CoreClass::kObject:
      return add_call(file, added, out);
    case CoreClass::kNone:
      return make_error(ErrorCode::kUnsupported);
  }
  return join(file, added, file.methods(), out);
}

}  // namespace holdfast::jvmti
