#include "jvmti/exact/counting_class.h"

#include "jvmti/exact/count_rows.h"
#include "jvmti/exact/method_writer.h"

namespace holdfast::jvmti {

namespace {

constexpr unsigned kClassVersion = 49;  // the newest that needs no stack maps
constexpr unsigned kPublicStatic = 0x0009;
constexpr unsigned kNative = 0x0100;
constexpr std::string_view kObjectToVoid = "(Ljava/lang/Object;)V";
constexpr std::string_view kSlowDescriptor = "(Ljava/lang/Class;J)V";

// An array's element type: how its class is asked for, and how its bytes are worked out.
struct ArrayKind {
  std::string_view class_name;
  unsigned shift;
};
// The usual ones first: outside compiled code they are tried one by one.
constexpr ArrayKind kPrimitiveArrays[] = {{"[B", 0}, {"[C", 1}, {"[I", 2}, {"[J", 3},
                                          {"[Z", 0}, {"[D", 3}, {"[F", 2}, {"[S", 1}};

class CountingClassWriter {
 public:
  CountingClassWriter(const CountingFacts& facts, CountingClassBytes& out) noexcept
      : facts_(facts), out_(out) {}
  Result<void> write() noexcept;

 private:
  // What several methods refer to.
  struct Constants {
    std::uint16_t code, annotations, force_inline, dont_inline;
    std::uint16_t unsafe_field, get_long, put_long, get_long_volatile, add_long;
    std::uint16_t current_thread, state, lane, counted_state, counted_row;
    std::uint16_t get_class, place_of_class;
    std::uint16_t slow, row, constructed, array, arrays, attach, find, place, told;
    std::uint16_t object_array;
  };
  void name_constants() noexcept;
  std::uint16_t own(std::string_view name, std::string_view descriptor) noexcept {
    return pool_.method(kCountingClass, name, descriptor);
  }

  void begin_method(unsigned access, std::string_view name, std::string_view descriptor) noexcept;
  void add_method(std::string_view name, std::string_view descriptor, const MethodWriter& code,
                  unsigned max_locals, std::uint16_t annotation) noexcept;
  void add_native(std::string_view name, std::string_view descriptor) noexcept;

  void push_long(MethodWriter& code, std::int64_t value) noexcept;
  void push_slot_index(MethodWriter& code, unsigned state) noexcept;
  void add_at(MethodWriter& code, unsigned address, unsigned offset, bool from_local,
              unsigned local) noexcept;
  void add_place(MethodWriter& code, unsigned row, unsigned place) noexcept;
  void get_at(MethodWriter& code, unsigned address, int offset, std::uint16_t getter) noexcept;
  void tell_object(MethodWriter& code, unsigned free, const unsigned* bytes) noexcept;
  void count_object(MethodWriter& code, unsigned free, const unsigned* bytes) noexcept;
  void bytes_of_array(MethodWriter& code, std::uint32_t base, unsigned shift) noexcept;
  void class_initializer() noexcept;
  void constructed() noexcept;
  void array() noexcept;
  void arrays() noexcept;
  void cloned() noexcept;
  void row() noexcept;
  void slow() noexcept;
  void change_state(MethodWriter& code) noexcept;
  void enter() noexcept;
  void change_method(MethodWriter& code) noexcept;
  void leave() noexcept;
  void assemble() noexcept;

  const CountingFacts& facts_;
  CountingClassBytes& out_;
  PoolWriter pool_{1};
  ClassBytes<8192> methods_;
  Constants at_{};
  std::uint16_t this_class_ = 0;
  std::uint16_t object_class_ = 0;
  unsigned methods_written_ = 0;
  bool overflowed_ = false;
};

void CountingClassWriter::name_constants() noexcept {
  const std::string_view unsafe = facts_.before_9 ? "sun/misc/Unsafe" : "jdk/internal/misc/Unsafe";
  this_class_ = pool_.class_ref(kCountingClass);
  object_class_ = pool_.class_ref("java/lang/Object");
  at_.code = pool_.utf8("Code");
  at_.annotations = pool_.utf8("RuntimeVisibleAnnotations");
  at_.force_inline = pool_.utf8(force_inline_descriptor(facts_.before_9));
  at_.dont_inline = pool_.utf8(dont_inline_descriptor(facts_.before_9));
  at_.unsafe_field =
      pool_.field(kCountingClass, "unsafe",
                  facts_.before_9 ? "Lsun/misc/Unsafe;" : "Ljdk/internal/misc/Unsafe;");
  at_.get_long = pool_.method(unsafe, "getLong", "(Ljava/lang/Object;J)J");
  at_.put_long = pool_.method(unsafe, "putLong", "(Ljava/lang/Object;JJ)V");
  at_.get_long_volatile = pool_.method(unsafe, "getLongVolatile", "(Ljava/lang/Object;J)J");
  at_.add_long = pool_.method(unsafe, "getAndAddLong", "(Ljava/lang/Object;JJ)J");
  at_.current_thread = pool_.method("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;");
  at_.state = pool_.field("java/lang/Thread", kStateField, "J");
  at_.lane = pool_.field("java/lang/Thread", kLaneField, "J");
  at_.counted_state = pool_.field("java/lang/Thread", kCountedStateField, "J");
  at_.counted_row = pool_.field("java/lang/Thread", kCountedRowField, "J");
  at_.get_class = pool_.method("java/lang/Object", "getClass", "()Ljava/lang/Class;");
  at_.place_of_class = pool_.field("java/lang/Class", kPlaceField, "I");
  at_.slow = own("slow", kSlowDescriptor);
  at_.row = own("row", "(JJ)J");
  at_.constructed = own("constructed", kObjectToVoid);
  at_.array = own("array", kObjectToVoid);
  at_.arrays = own("arrays", kObjectToVoid);
  at_.attach = own("attach", "(Ljava/lang/Thread;)J");
  at_.find = own("find", "(JJ)J");
  at_.place = own("place", "(Ljava/lang/Class;)I");
  at_.told = own("told", kToldDescriptor);
  at_.object_array = pool_.class_ref("[Ljava/lang/Object;");
}

void CountingClassWriter::begin_method(unsigned access, std::string_view name,
                                       std::string_view descriptor) noexcept {
  ++methods_written_;
  methods_.u2(access);
  methods_.u2(pool_.utf8(name));
  methods_.u2(pool_.utf8(descriptor));
}

void CountingClassWriter::add_method(std::string_view name, std::string_view descriptor,
                                     const MethodWriter& code, unsigned max_locals,
                                     std::uint16_t annotation) noexcept {
  constexpr unsigned kMaxStack = 12;
  begin_method(kPublicStatic, name, descriptor);
  methods_.u2(annotation != 0 ? 2 : 1);
  methods_.u2(at_.code);
  methods_.u4(static_cast<std::uint32_t>(12 + code.size()));
  methods_.u2(kMaxStack);
  methods_.u2(max_locals);
  methods_.u4(static_cast<std::uint32_t>(code.size()));
  methods_.append(code.span());
  methods_.u2(0);  // exception table
  methods_.u2(0);  // attributes
  overflowed_ = overflowed_ || code.overflowed();
  if (annotation == 0) return;
  methods_.u2(at_.annotations);
  methods_.u4(6);
  methods_.u2(1);
  methods_.u2(annotation);
  methods_.u2(0);
}

void CountingClassWriter::add_native(std::string_view name, std::string_view descriptor) noexcept {
  begin_method(kPublicStatic | kNative, name, descriptor);
  methods_.u2(0);
}

// A constant that no entry of the pool is needed for.
void CountingClassWriter::push_long(MethodWriter& code, std::int64_t value) noexcept {
  code.op2(kSipush, static_cast<unsigned>(value) & 0xFFFF).op(kI2l);
}

// CountRows::home_slot() of a state in a long local.
void CountingClassWriter::push_slot_index(MethodWriter& code, unsigned state) noexcept {
  code.op1(kLload, state).op(kL2i).op1(kBipush, CountRows::kSpread).op(kImul);
  code.op1(kLload, state).op1(kBipush, 32).op(kLushr).op(kL2i).op(kIadd);
  code.op2(kSipush, CountRows::kSlots - 1).op(kIand);
}

// row += place
void CountingClassWriter::add_place(MethodWriter& code, unsigned row, unsigned place) noexcept {
  code.op1(kLload, row).op1(kIload, place).op(kI2l).op(kLadd).op1(kLstore, row);
}

// *(address + offset), a long.
void CountingClassWriter::get_at(MethodWriter& code, unsigned address, int offset,
                                 std::uint16_t getter) noexcept {
  code.op2(kGetstatic, at_.unsafe_field).op(kAconstNull).op1(kLload, address);
  if (offset != 0) push_long(code, offset), code.op(kLadd);
  code.op2(kInvokevirtual, getter);
}

// *(address + offset) += 1, or += a long local.
void CountingClassWriter::add_at(MethodWriter& code, unsigned address, unsigned offset,
                                 bool from_local, unsigned local) noexcept {
  for (int side = 0; side < 2; ++side) {
    code.op2(kGetstatic, at_.unsafe_field).op(kAconstNull).op1(kLload, address);
    if (offset != 0) push_long(code, offset), code.op(kLadd);
  }
  code.op2(kInvokevirtual, at_.get_long);
  if (from_local)
    code.op1(kLload, local);
  else
    code.op(kLconst1);
  code.op(kLadd).op2(kInvokevirtual, at_.put_long);
}

void CountingClassWriter::class_initializer() noexcept {
  const std::string_view unsafe = facts_.before_9 ? "sun/misc/Unsafe" : "jdk/internal/misc/Unsafe";
  MethodWriter code;
  code.op2(kInvokestatic,
           pool_.method(unsafe, "getUnsafe",
                        facts_.before_9 ? "()Lsun/misc/Unsafe;" : "()Ljdk/internal/misc/Unsafe;"));
  code.op2(kPutstatic, at_.unsafe_field).op(kReturn);
  add_method("<clinit>", "()V", code, 0, 0);
}

// told(object, class, thread, state, place, bytes); of the object nothing where nobody wants it.
void CountingClassWriter::tell_object(MethodWriter& code, unsigned free,
                                      const unsigned* bytes) noexcept {
  const unsigned thread = free, type = free + 1;
  code.op1(kAload, 0).op2(kInvokevirtual, at_.get_class).op1(kAstore, type);
  code.op2(kInvokestatic, at_.current_thread).op1(kAstore, thread);
  if (facts_.tells_objects)
    code.op1(kAload, 0);
  else
    code.op(kAconstNull);
  code.op1(kAload, type).op1(kAload, thread).op1(kAload, thread).op2(kGetfield, at_.state);
  code.op1(kAload, type).op2(kGetfield, at_.place_of_class);
  if (bytes != nullptr)
    code.op1(kLload, *bytes);
  else
    code.op(kLconst0);
  code.op2(kInvokestatic, at_.told).op(kReturn);
}

// if (the thread's state is the one that it counted in last, and place != 0)
//   ++*(row + place), and *(row + place + 8) += bytes;
// else slow(class, bytes).
// What is handed on is the class and not the object: an object that no call gets is one that the compiler may do without.
// `bytes`: a long local, or nullptr: an object's are its class's. Local 0 is the object; `free` and on are free locals.
void CountingClassWriter::count_object(MethodWriter& code, unsigned free,
                                       const unsigned* bytes) noexcept {
  if (facts_.tells_each) return tell_object(code, free, bytes);
  const unsigned thread = free, type = free + 1, place = free + 2, address = free + 3;
  code.op1(kAload, 0).op2(kInvokevirtual, at_.get_class).op1(kAstore, type);
  code.op2(kInvokestatic, at_.current_thread).op1(kAstore, thread);
  code.op1(kAload, thread).op2(kGetfield, at_.state);
  code.op1(kAload, thread).op2(kGetfield, at_.counted_state).op(kLxor);
  push_long(code, -1);
  code.op(kLcmp);
  const auto elsewhere = code.jump(kIfne);
  code.op1(kAload, type).op2(kGetfield, at_.place_of_class).op1(kIstore, place);
  code.op1(kIload, place);
  const auto unknown = code.jump(kIfeq);
  code.op1(kAload, thread).op2(kGetfield, at_.counted_row);
  code.op1(kIload, place).op(kI2l).op(kLadd).op1(kLstore, address);
  add_at(code, address, 0, false, 0);
  if (bytes != nullptr) add_at(code, address, CountRows::kBytesOffset, true, *bytes);
  code.op(kReturn);
  code.land(elsewhere);
  code.land(unknown);
  code.op1(kAload, type);
  if (bytes != nullptr)
    code.op1(kLload, *bytes);
  else
    code.op(kLconst0);
  code.op2(kInvokestatic, at_.slow).op(kReturn);
}

void CountingClassWriter::constructed() noexcept {
  MethodWriter code;
  count_object(code, 1, nullptr);
  add_method("constructed", kObjectToVoid, code, 6, at_.force_inline);
}

// An int, the length, is on the stack: whole(base + (length << shift)) into local 1.
void CountingClassWriter::bytes_of_array(MethodWriter& code, std::uint32_t base,
                                         unsigned shift) noexcept {
  code.op(kI2l).op1(kBipush, shift).op(kLshl);
  push_long(code, base + facts_.alignment_bytes - 1);
  code.op(kLadd);
  push_long(code, -static_cast<std::int64_t>(facts_.alignment_bytes));
  code.op(kLand).op1(kLstore, 1);
}

void CountingClassWriter::array() noexcept {
  MethodWriter code;
  MethodWriter::Jump done[std::size(kPrimitiveArrays) + 1];
  std::size_t jumps = 0;
  const auto kind = [&](std::uint16_t class_index, std::uint32_t base, unsigned shift) noexcept {
    code.op1(kAload, 0).op2(kInstanceof, class_index);
    const auto other = code.jump(kIfeq);
    code.op1(kAload, 0).op2(kCheckcast, class_index).op(kArraylength);
    bytes_of_array(code, base, shift);
    done[jumps++] = code.jump(kGoto);
    code.land(other);
  };
  kind(pool_.class_ref(kPrimitiveArrays[0].class_name), facts_.base_bytes[0], 0);
  kind(at_.object_array, facts_.reference_base_bytes, facts_.reference_shift);
  for (const ArrayKind& each : std::span(kPrimitiveArrays).subspan(1))
    kind(pool_.class_ref(each.class_name), facts_.base_bytes[each.shift], each.shift);
  code.op(kReturn);  // no array
  for (std::size_t i = 0; i < jumps; ++i) code.land(done[i]);
  constexpr unsigned kBytes = 1;  // as bytes_of_array() leaves them
  count_object(code, kBytes + 2, &kBytes);
  add_method("array", kObjectToVoid, code, 8, at_.force_inline);
}

// array(object), and, where its elements are arrays, each of those: at most 255 levels, as the class file format allows.
void CountingClassWriter::arrays() noexcept {
  MethodWriter code;
  code.op1(kAload, 0);
  const auto something = code.jump(kIfnonnull);
  code.op(kReturn);
  code.land(something);
  code.op1(kAload, 0)
      .op2(kInvokestatic, at_.array)
      .op1(kAload, 0)
      .op2(kInstanceof, at_.object_array);
  const auto flat = code.jump(kIfeq);
  code.op1(kAload, 0)
      .op2(kCheckcast, at_.object_array)
      .op1(kAstore, 1)
      .op(kIconst0)
      .op1(kIstore, 2);
  const std::size_t again = code.size();
  code.op1(kIload, 2).op1(kAload, 1).op(kArraylength);
  const auto end = code.jump(kIfIcmpge);
  code.op1(kAload, 1).op1(kIload, 2).op(kAaload).op2(kInvokestatic, at_.arrays);
  code.op1(kIload, 2).op(kIconst1).op(kIadd).op1(kIstore, 2);
  code.jump_back(kGoto, again);
  code.land(flat);
  code.land(end);
  code.op(kReturn);
  add_method("arrays", kObjectToVoid, code, 3, 0);
}

void CountingClassWriter::cloned() noexcept {
  MethodWriter code;
  code.op1(kAload, 0).op2(kInvokevirtual, at_.get_class);
  code.op2(kInvokevirtual, pool_.method("java/lang/Class", "isArray", "()Z"));
  const auto object = code.jump(kIfeq);
  code.op1(kAload, 0).op2(kInvokestatic, at_.array).op(kReturn);
  code.land(object);
  code.op1(kAload, 0).op2(kInvokestatic, at_.constructed).op(kReturn);
  add_method("cloned", kObjectToVoid, code, 1, at_.force_inline);
}

// The row of a state (local 2) in a lane without its tag (local 0): looked for in all slots that may lead there, then asked for.
// A shared lane's slots are filled meanwhile, the row before its state.
void CountingClassWriter::row() noexcept {
  MethodWriter code;
  push_slot_index(code, 2);
  code.op1(kIstore, 4).op(kIconst0).op1(kIstore, 5);
  const std::size_t again = code.size();
  code.op1(kIload, 5).op1(kBipush, CountRows::kProbes);
  const auto nowhere = code.jump(kIfIcmpge);
  code.op1(kIload, 4).op1(kIload, 5).op(kIadd).op2(kSipush, CountRows::kSlots - 1).op(kIand);
  code.op1(kBipush, CountRows::kSlotShift).op(kIshl).op(kI2l);
  code.op1(kLload, 0).op(kLadd).op1(kLstore, 6);
  get_at(code, 6, 0, at_.get_long_volatile);
  code.op1(kLload, 2).op(kLcmp);
  const auto other = code.jump(kIfne);
  get_at(code, 6, CountRows::kRowOffset, at_.get_long);
  code.op(kLreturn);
  code.land(other);
  code.op1(kIload, 5).op(kIconst1).op(kIadd).op1(kIstore, 5);
  code.jump_back(kGoto, again);
  code.land(nowhere);
  code.op1(kLload, 0).op1(kLload, 2).op2(kInvokestatic, at_.find).op(kLreturn);
  add_method("row", "(JJ)J", code, 8, 0);
}

// The first object of a class, of a thread or of a state that it has entered, and every one of a thread whose lane is shared.
// Not inlined: where states take turns the compiler finds it hot, and puts its 150 bytes and three calls beside every `new`.
void CountingClassWriter::slow() noexcept {
  constexpr unsigned kThread = 3, kLane = 4, kPlace = 6, kState = 7, kRow = 9;
  MethodWriter code;
  code.op2(kInvokestatic, at_.current_thread).op1(kAstore, kThread);
  code.op1(kAload, kThread).op2(kGetfield, at_.lane).op1(kLstore, kLane);
  code.op1(kLload, kLane).op(kLconst0).op(kLcmp);
  const auto attached = code.jump(kIfne);
  code.op1(kAload, kThread).op2(kInvokestatic, at_.attach).op1(kLstore, kLane);
  code.op1(kAload, kThread).op1(kLload, kLane).op2(kPutfield, at_.lane);
  code.land(attached);
  code.op1(kAload, 0).op2(kGetfield, at_.place_of_class).op1(kIstore, kPlace);
  code.op1(kIload, kPlace);
  const auto known = code.jump(kIfne);
  code.op1(kAload, 0).op2(kInvokestatic, at_.place).op1(kIstore, kPlace);
  code.land(known);
  code.op1(kAload, kThread).op2(kGetfield, at_.state).op1(kLstore, kState);
  code.op1(kLload, kLane);
  push_long(code, -static_cast<std::int64_t>(CountRows::kTagMask) - 1);
  code.op(kLand);  // the lane without its tag
  code.op1(kLload, kState).op2(kInvokestatic, at_.row).op1(kLstore, kRow);
  code.op1(kLload, kLane).op(kL2i).op1(kBipush, CountRows::kTagMask).op(kIand).op(kIconst1);
  const auto shared = code.jump(kIfIcmpne);
  code.op1(kAload, kThread).op1(kLload, kRow).op2(kPutfield, at_.counted_row);
  code.op1(kAload, kThread).op1(kLload, kState);
  push_long(code, -1);
  code.op(kLxor).op2(kPutfield, at_.counted_state);
  add_place(code, kRow, kPlace);
  add_at(code, kRow, 0, false, 0);
  add_at(code, kRow, CountRows::kBytesOffset, true, 1);
  code.op(kReturn);
  code.land(shared);
  add_place(code, kRow, kPlace);
  const auto add_atomically = [&](unsigned offset, bool bytes) noexcept {
    code.op2(kGetstatic, at_.unsafe_field).op(kAconstNull).op1(kLload, kRow);
    push_long(code, offset);
    code.op(kLadd);
    if (bytes)
      code.op1(kLload, 1);
    else
      code.op(kLconst1);
    code.op2(kInvokevirtual, at_.add_long).op(kPop2);
  };
  add_atomically(0, false);
  add_atomically(CountRows::kBytesOffset, true);
  code.op(kReturn);
  add_method("slow", kSlowDescriptor, code, 11, at_.dont_inline);
}

// The thread, and the principal in its place, are on the stack: the rest of the new state, and the answer, ~(the old one).
void CountingClassWriter::change_state(MethodWriter& code) noexcept {
  code.op1(kIload, 0).op(kI2l).op(kLor).op2(kPutfield, at_.state);
  code.op1(kLload, 2);
  push_long(code, -1);
  code.op(kLxor).op(kLreturn);
}

// if the state is of the same account: state = its principal, and the other method.
void CountingClassWriter::change_method(MethodWriter& code) noexcept {
  code.op1(kLload, 2).op1(kIload, 0).op(kI2l).op(kLxor);
  push_long(code, kAccountMask);
  code.op(kLand).op(kL2i);
  const auto other_account = code.jump(kIfne);
  code.op1(kAload, 1).op1(kLload, 2).op1(kBipush, 32).op(kLushr).op1(kBipush, 32).op(kLshl);
  change_state(code);
  code.land(other_account);
}

// if ((int)state == account) return 0; state = state << 32 | account; return ~(the state before): what leave() goes back to.
// Where each method has a number of its own the principal is the account in it, and stays within an account.
// No account has number 0 or -1, so what is returned is 0 only where there is nothing to leave.
void CountingClassWriter::enter() noexcept {
  MethodWriter code;
  code.op2(kInvokestatic, at_.current_thread).op1(kAstore, 1);
  code.op1(kAload, 1).op2(kGetfield, at_.state).op1(kLstore, 2);
  code.op1(kLload, 2).op(kL2i).op1(kIload, 0);
  const auto same = code.jump(kIfIcmpeq);
  if (facts_.numbers_methods) change_method(code);
  code.op1(kAload, 1).op1(kLload, 2);
  if (facts_.numbers_methods) push_long(code, kAccountMask), code.op(kLand);
  code.op1(kBipush, 32).op(kLshl);
  change_state(code);
  code.land(same);
  code.op(kLconst0).op(kLreturn);
  add_method("enter", "(I)J", code, 4, at_.force_inline);
}

// The door has asked whether there is something to go back to.
void CountingClassWriter::leave() noexcept {
  MethodWriter code;
  code.op2(kInvokestatic, at_.current_thread).op1(kLload, 0);
  push_long(code, -1);
  code.op(kLxor).op2(kPutfield, at_.state).op(kReturn);
  add_method("leave", "(J)V", code, 2, at_.force_inline);
}

void CountingClassWriter::assemble() noexcept {
  constexpr unsigned kPublicFinalSuper = 0x0031;
  constexpr unsigned kPrivateStaticFinal = 0x001A;
  const std::uint16_t field_name = pool_.utf8("unsafe");
  const std::uint16_t field_type =
      pool_.utf8(facts_.before_9 ? "Lsun/misc/Unsafe;" : "Ljdk/internal/misc/Unsafe;");
  out_.u4(0xCAFEBABE);
  out_.u2(0);
  out_.u2(kClassVersion);
  out_.u2(pool_.count());
  out_.append(pool_.bytes());
  out_.u2(kPublicFinalSuper);
  out_.u2(this_class_);
  out_.u2(object_class_);
  out_.u2(0);  // interfaces
  out_.u2(1);
  out_.u2(kPrivateStaticFinal);
  out_.u2(field_name);
  out_.u2(field_type);
  out_.u2(0);
  out_.u2(methods_written_);
  out_.append(methods_.span());
  out_.u2(0);  // attributes
}

Result<void> CountingClassWriter::write() noexcept {
  name_constants();
  class_initializer();
  constructed();
  array();
  arrays();
  cloned();
  row();
  slow();
  enter();
  leave();
  add_native("attach", "(Ljava/lang/Thread;)J");
  add_native("find", "(JJ)J");
  add_native("place", "(Ljava/lang/Class;)I");
  add_native("told", kToldDescriptor);
  assemble();
  if (overflowed_ || pool_.overflowed() || methods_.overflowed() || out_.overflowed())
    return make_error(ErrorCode::kTooMany);
  return {};
}

}  // namespace

std::string_view force_inline_descriptor(bool before_9) noexcept {
  return before_9 ? "Ljava/lang/invoke/ForceInline;" : "Ljdk/internal/vm/annotation/ForceInline;";
}

std::string_view dont_inline_descriptor(bool before_9) noexcept {
  return before_9 ? "Ljava/lang/invoke/DontInline;" : "Ljdk/internal/vm/annotation/DontInline;";
}

std::string_view stable_descriptor(bool before_9) noexcept {
  return before_9 ? "Ljava/lang/invoke/Stable;" : "Ljdk/internal/vm/annotation/Stable;";
}

Result<void> write_counting_class(const CountingFacts& facts, CountingClassBytes& out) noexcept {
  return CountingClassWriter(facts, out).write();
}

}  // namespace holdfast::jvmti
