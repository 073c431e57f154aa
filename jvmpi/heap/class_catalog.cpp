#include "jvmpi/heap/class_catalog.h"

#include <algorithm>

#include "common/java/class_layout.h"
#include "common/java/class_names.h"
#include "jvmpi/heap/name_index.h"

namespace holdfast::jvmpi {

namespace {

constexpr std::uint32_t kNoRow = java::kNoClass;
// Behind all ids: the loader of a class that the VM shows nothing of but its name.
constexpr VmId kUnknownLoader = ~VmId{0};
constexpr std::uint64_t kNameSlack = 64;  // "boot", "platform", "[]" behind a name that has none
constexpr std::size_t kLongestArrayEnding = 2;

char letter_of(ValueType type) noexcept {
  switch (type) {
    case ValueType::kBoolean:
      return 'Z';
    case ValueType::kChar:
      return 'C';
    case ValueType::kFloat:
      return 'F';
    case ValueType::kDouble:
      return 'D';
    case ValueType::kByte:
      return 'B';
    case ValueType::kShort:
      return 'S';
    case ValueType::kInt:
      return 'I';
    default:
      return 'J';
  }
}

class CatalogMaker {
 public:
  CatalogMaker(const CatalogInput& input, Arena& kept, Arena& scratch, BookedCatalog& out) noexcept
      : in_(input), kept_(kept), scratch_(scratch), out_(out) {}

  Result<void> make() noexcept {
    HF_TRY(names, NameIndex::make(in_.book.classes(), scratch_));
    names_ = names;
    told_with_elements_ = arrays_are_told_with_elements();
    HF_CHECK_OK(number_rows());
    HF_CHECK_OK(make_tables());
    for (const BookedClass* const of : in_.book.classes())
      if (of->loaded == Told::kTold) fill_told(*of);
    fill_arrays();
    for (ClassRow& row : catalog().classes)
      if (is_array_row(row)) row.superclass = known_.object;
    name_loaders();
    fill_threads();
    fill_methods();
    java::mark_kinds(known_.classes, catalog().classes);
    return {};
  }

 private:
  struct Known {
    java::KnownClasses classes;
    ClassId object;
  };

  Catalog& catalog() noexcept { return out_.catalog; }
  ClassRow& row(ClassId id) noexcept { return catalog().classes[id.value]; }
  ClassId& row_of(ClassId number) noexcept { return out_.row_of_number[number.value]; }
  static bool is_array_row(const ClassRow& row) noexcept { return (row.flags & kClassArray) != 0; }

  bool arrays_are_told_with_elements() const noexcept {
    for (const BookedClass* const of : in_.book.classes())
      if (of->holds_arrays && of->loaded == Told::kTold && !of->is_array()) return true;
    return false;
  }

  // The class of arrays that were told with this class; nullptr: it was told nowhere.
  const BookedClass* array_class_of(const BookedClass& told_with) noexcept {
    if (!told_with_elements_) return &told_with;
    java::ClassName name;
    array_name_of(told_with.name, name);
    const BookedClass* const found = names_.find(name.view(), told_with.loader);
    // Of another loader, if the VM tells loaders of array classes at all.
    const bool others = found != nullptr && found->loader != 0 && found->loader != told_with.loader;
    return others ? nullptr : found;
  }
  static void array_name_of(std::string_view element, java::ClassName& out) noexcept {
    const bool array = java::is_array_signature(element);
    out.bytes = 0;
    const auto append = [&](std::string_view text) {
      const std::size_t bytes = std::min(text.size(), java::ClassName::kMaxNameBytes - out.bytes);
      std::copy_n(text.data(), bytes, out.text + out.bytes);
      out.bytes += bytes;
    };
    append(array ? "[" : "[L");
    append(element);
    if (!array) append(";");
  }
  const BookedClass* primitive_array_class(ValueType element) noexcept {
    const char name[] = {'[', letter_of(element)};
    return names_.find({name, sizeof name}, 0);
  }

  Result<void> number_rows() noexcept {
    HF_TRY(numbers, scratch_.make_filled<ClassId>(numbers_used(in_.book), ClassId{}));
    out_.row_of_number = numbers;
    for (const BookedClass* const of : in_.book.classes())
      if (of->loaded == Told::kTold) count_told(*of);
    told_rows_ = rows_;
    for (const BookedClass* const of : in_.book.classes())
      if (of->holds_arrays && of->loaded == Told::kTold) number_arrays(*of);
    for (std::uint32_t t = 0; t < kFirstBookedNumber; ++t)
      if ((in_.primitive_arrays >> t & 1) != 0)
        number_primitive_arrays(value_type_of(static_cast<std::uint8_t>(t)));
    const BookedClass* const class_class = names_.find("java.lang.Class", 0);
    if (class_class != nullptr)
      row_of(ClassId{kNumberOfClassObjects}) = row_of(number_of_instance(*class_class));
    return {};
  }
  void count_told(const BookedClass& of) noexcept {
    row_of(number_of_instance(of)) = ClassId{rows_++};
    fields_ += of.field_count();
    name_bytes_ += of.name.size() + of.field_names.size() + kLongestArrayEnding;
  }
  void number_arrays(const BookedClass& told_with) noexcept {
    const BookedClass* const known = array_class_of(told_with);
    row_of(number_of_array(told_with)) =
        known != nullptr ? row_of(number_of_instance(*known)) : ClassId{rows_++};
    if (known == nullptr) name_bytes_ += told_with.name.size() + kNameSlack;
  }
  void number_primitive_arrays(ValueType element) noexcept {
    const BookedClass* const known = primitive_array_class(element);
    row_of(number_of_primitive_array(element)) =
        known != nullptr ? row_of(number_of_instance(*known)) : ClassId{rows_++};
    name_bytes_ += kNameSlack;
  }

  Result<void> make_tables() noexcept {
    const std::size_t threads = in_.roots != nullptr ? in_.roots->threads().size() : 0;
    const std::size_t methods = in_.roots != nullptr ? in_.roots->methods().size() : 0;
    HF_CHECK_OK(find_loaders());
    std::uint64_t text = name_bytes_ + loaders_.size() * kNameSlack;
    for (std::size_t i = 0; i < threads; ++i) text += in_.roots->threads()[i].name.size();
    for (std::size_t i = 0; i < methods; ++i) text += in_.roots->methods()[i].name.size();
    HF_TRY(rows, kept_.make_filled<ClassRow>(rows_, ClassRow{}));
    HF_TRY(loader_rows, kept_.make_filled<LoaderRow>(loaders_.size(), LoaderRow{}));
    HF_TRY(thread_rows, kept_.make_filled<ThreadRow>(threads, ThreadRow{}));
    HF_TRY(method_rows, kept_.make_filled<MethodRow>(methods, MethodRow{}));
    HF_TRY(fields, kept_.make_filled<StringId>(fields_, StringId{}));
    const auto names = static_cast<std::uint32_t>(rows_ + fields_ + loaders_.size() + threads +
                                                  methods + kNameSlack);
    HF_TRY(strings, StringTable::make(kept_, names, text + kNameSlack));
    catalog().classes = rows;
    catalog().loaders = loader_rows;
    catalog().threads = thread_rows;
    catalog().methods = method_rows;
    catalog().fields = fields;
    catalog().strings = strings;
    return {};
  }

  // Loaders are few; the boot loader is none of the objects.
  Result<void> find_loaders() noexcept {
    HF_TRY(loaders, scratch_.make<VmId>(in_.book.size() + 1));
    std::size_t used = 0;
    loaders[used++] = 0;
    for (const BookedClass* const of : in_.book.classes())
      if (const VmId loader = loader_id_of(*of); loader != 0) loaders[used++] = loader;
    std::sort(loaders.begin(), loaders.begin() + static_cast<std::ptrdiff_t>(used));
    const auto end =
        std::unique(loaders.begin(), loaders.begin() + static_cast<std::ptrdiff_t>(used));
    loaders_ = loaders.first(static_cast<std::size_t>(end - loaders.begin()));
    return {};
  }
  LoaderId loader_of(const BookedClass& of) const noexcept {
    const auto at = std::lower_bound(loaders_.begin(), loaders_.end(), loader_id_of(of));
    return LoaderId{static_cast<std::uint32_t>(at - loaders_.begin())};
  }
  // An array class belongs to the loader of its elements' class, whatever the VM tells of it.
  VmId loader_id_of(const BookedClass& of) const noexcept {
    if (!of.is_array()) return of.recorded == Told::kTold ? of.loader : kUnknownLoader;
    if (of.loader != 0) return of.loader;
    const std::string_view element = java::element_of_class_name(of.name);
    const BookedClass* const elements = names_.find(element, 0);
    if (elements == nullptr || element.size() <= 1) return 0;
    return elements->recorded == Told::kTold ? elements->loader : kUnknownLoader;
  }

  void fill_told(const BookedClass& of) noexcept {
    ClassRow& to = row(row_of(number_of_instance(of)));
    java::ClassName name;
    java::name_from_class_name(of.name, name);
    to.name = catalog().strings.intern(name.view());
    to.loader = loader_of(of);
    if (of.super != nullptr) to.superclass = row_of(number_of_instance(*of.super));
    if (in_.object_of != nullptr) to.mirror = in_.object_of(in_.context, of.id);
    if (of.is_array()) to.flags |= kClassArray;
    if (to.loader.value == 0) to.flags |= kClassPlatform;
    to.first_field = next_field_;
    to.field_count = of.field_count();
    to.chain_offset = of.settled ? of.first_slot : fields_above(of);
    name_fields(of);
    if (to.loader.value == 0) note_known(of, row_of(number_of_instance(of)));
  }
  static std::uint32_t fields_above(const BookedClass& of) noexcept {
    return of.super != nullptr ? of.super->first_slot + of.super->field_count() : 0;
  }
  void name_fields(const BookedClass& of) noexcept {
    std::string_view names = of.field_names;
    for (std::uint32_t i = 0; i < of.field_count(); ++i) {
      const std::size_t end = std::min(names.find('\0'), names.size());
      catalog().fields[next_field_++] = catalog().strings.intern(names.substr(0, end));
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }
  void note_known(const BookedClass& of, ClassId id) noexcept {
    struct Row {
      std::string_view name;
      std::uint32_t java::KnownClasses::*index;
    };
    constexpr Row kRows[] = {
        {"java.lang.Class", &java::KnownClasses::class_class},
        {"java.lang.ClassLoader", &java::KnownClasses::class_loader},
        {"java.lang.Thread", &java::KnownClasses::thread},
        {"java.lang.ref.SoftReference", &java::KnownClasses::soft},
        {"java.lang.ref.WeakReference", &java::KnownClasses::weak},
        {"java.lang.ref.FinalReference", &java::KnownClasses::final},
        {"java.lang.ref.PhantomReference", &java::KnownClasses::phantom},
    };
    for (const Row& known : kRows)
      if (of.name == known.name) known_.classes.*known.index = id.value;
    if (of.name == "java.lang.Object") known_.object = id;
  }

  // Rows behind those that were told.
  void fill_arrays() noexcept {
    for (const BookedClass* const of : in_.book.classes()) {
      if (!of->holds_arrays || of->loaded != Told::kTold) continue;
      const ClassId id = row_of(number_of_array(*of));
      if (id.value < told_rows_) continue;
      java::ClassName vm_name, name;
      array_name_of(of->name, vm_name);
      java::name_from_class_name(vm_name.view(), name);
      fill_array(id, name.view(), loader_of(*of));
    }
    for (std::uint32_t t = 0; t < kFirstBookedNumber; ++t) {
      const ValueType type = value_type_of(static_cast<std::uint8_t>(t));
      const ClassId id = row_of(number_of_primitive_array(type));
      if ((in_.primitive_arrays >> t & 1) == 0 || id.value < told_rows_) continue;
      const char vm_name[] = {'[', letter_of(type)};
      java::ClassName name;
      java::name_from_class_name({vm_name, sizeof vm_name}, name);
      fill_array(id, name.view(), LoaderId{0});
    }
  }
  void fill_array(ClassId id, std::string_view name, LoaderId loader) noexcept {
    ClassRow& to = row(id);
    to.name = catalog().strings.intern(name);
    to.loader = loader;
    to.flags = static_cast<std::uint8_t>(kClassArray | (loader.value == 0 ? kClassPlatform : 0));
    to.first_field = next_field_;
  }

  void name_loaders() noexcept {
    catalog().loaders[0].name = catalog().strings.intern("boot");
    catalog().loaders[0].builtin = true;
    for (std::size_t l = 1; l < loaders_.size(); ++l) name_loader(l);
    for (ClassRow& of : catalog().classes) {
      const LoaderRow& loader = catalog().loaders[of.loader.value];
      if (loader.builtin && catalog().strings.view(loader.name) == kPlatformLoaderName)
        of.flags |= kClassPlatform;
    }
  }
  void name_loader(std::size_t l) noexcept {
    LoaderRow& to = catalog().loaders[l];
    if (in_.object_of != nullptr) to.object = in_.object_of(in_.context, loaders_[l]);
    const ClassId number = in_.class_of(in_.context, loaders_[l]);
    const bool known = number.valid() && number.value < out_.row_of_number.size();
    const ClassId id = known ? row_of(number) : ClassId{};
    const std::string_view class_name =
        id.valid() ? catalog().class_name(id) : std::string_view("?");
    const std::string_view builtin = builtin_loader_name(class_name);
    to.builtin = !builtin.empty();
    to.name = catalog().strings.intern(to.builtin ? builtin : class_name);
  }

  void fill_threads() noexcept {
    for (std::size_t t = 0; t < catalog().threads.size(); ++t) {
      const ToldThread& from = in_.roots->threads()[t];
      ThreadRow& to = catalog().threads[t];
      to.name = catalog().strings.intern(from.name);
      if (from.object != 0) to.object = in_.object_of(in_.context, from.object);
    }
  }
  void fill_methods() noexcept {
    for (std::size_t m = 0; m < catalog().methods.size(); ++m) {
      const ToldMethod& from = in_.roots->methods()[m];
      MethodRow& to = catalog().methods[m];
      to.name = catalog().strings.intern(from.name);
      const bool told = from.of != nullptr && from.of->loaded == Told::kTold;
      to.class_name = told ? row(row_of(number_of_instance(*from.of))).name : StringId{0};
    }
  }

  const CatalogInput& in_;
  Arena& kept_;
  Arena& scratch_;
  BookedCatalog& out_;
  NameIndex names_;
  Known known_;
  std::span<VmId> loaders_;  // sorted, the first is the boot loader's 0
  bool told_with_elements_ = true;
  std::uint32_t rows_ = 0;
  std::uint32_t told_rows_ = 0;
  std::uint32_t next_field_ = 0;
  std::uint64_t fields_ = 0;
  std::uint64_t name_bytes_ = 0;
};

}  // namespace

Result<void> make_catalog(const CatalogInput& input, Arena& kept, Arena& scratch,
                          BookedCatalog& out) noexcept {
  return CatalogMaker(input, kept, scratch, out).make();
}

}  // namespace holdfast::jvmpi
