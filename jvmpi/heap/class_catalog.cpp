#include "jvmpi/heap/class_catalog.h"

#include <algorithm>

#include "common/java/class_layout.h"
#include "common/java/class_names.h"
#include "jvmpi/heap/array_classes.h"
#include "jvmpi/heap/name_index.h"
#include "jvmpi/heap/told_loaders.h"

namespace holdfast::jvmpi {

namespace {

constexpr std::uint64_t kNameSlack = 64;  // "boot", "platform", "[]" behind a name that has none
constexpr std::size_t kLongestArrayEnding = 2;

class CatalogMaker {
 public:
  CatalogMaker(const CatalogInput& input, const NameIndex& names, Arena& kept, Arena& scratch,
               BookedCatalog& out) noexcept
      : in_(input),
        names_(names),
        arrays_(input.book, names),
        kept_(kept),
        scratch_(scratch),
        out_(out) {}

  Result<void> make() noexcept {
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
    const BookedClass* const known = arrays_.of_told(told_with);
    row_of(number_of_array(told_with)) =
        known != nullptr ? row_of(number_of_instance(*known)) : ClassId{rows_++};
    if (known == nullptr) name_bytes_ += told_with.name.size() + kNameSlack;
  }
  void number_primitive_arrays(ValueType element) noexcept {
    const BookedClass* const known = arrays_.of_primitives(element);
    row_of(number_of_primitive_array(element)) =
        known != nullptr ? row_of(number_of_instance(*known)) : ClassId{rows_++};
    name_bytes_ += kNameSlack;
  }

  Result<void> make_tables() noexcept {
    const std::size_t threads = in_.roots != nullptr ? in_.roots->threads().size() : 0;
    const std::size_t methods = in_.roots != nullptr ? in_.roots->methods().size() : 0;
    HF_TRY(loaders, ToldLoaders::make(in_.book, names_, scratch_));
    loaders_ = loaders;
    const std::size_t loader_count = loaders_.ids().size();
    std::uint64_t text = name_bytes_ + loader_count * kNameSlack;
    for (std::size_t i = 0; i < threads; ++i) text += in_.roots->threads()[i].name.size();
    for (std::size_t i = 0; i < methods; ++i) text += in_.roots->methods()[i].name.size();
    HF_TRY(rows, kept_.make_filled<ClassRow>(rows_, ClassRow{}));
    HF_TRY(loader_rows, kept_.make_filled<LoaderRow>(loader_count, LoaderRow{}));
    HF_TRY(thread_rows, kept_.make_filled<ThreadRow>(threads, ThreadRow{}));
    HF_TRY(method_rows, kept_.make_filled<MethodRow>(methods, MethodRow{}));
    HF_TRY(fields, kept_.make_filled<StringId>(fields_, StringId{}));
    const auto names =
        static_cast<std::uint32_t>(rows_ + fields_ + loader_count + threads + methods + kNameSlack);
    HF_TRY(strings, StringTable::make(kept_, names, text + kNameSlack));
    catalog().classes = rows;
    catalog().loaders = loader_rows;
    catalog().threads = thread_rows;
    catalog().methods = method_rows;
    catalog().fields = fields;
    catalog().strings = strings;
    return {};
  }

  void fill_told(const BookedClass& of) noexcept {
    ClassRow& to = row(row_of(number_of_instance(of)));
    java::ClassName name;
    java::name_from_class_name(of.name, name);
    to.name = catalog().strings.intern(name.view());
    to.loader = loaders_.of(of);
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
      ArrayClasses::name_of(of->name, vm_name);
      java::name_from_class_name(vm_name.view(), name);
      fill_array(id, name.view(), loaders_.of(*of));
    }
    for (std::uint32_t t = 0; t < kFirstBookedNumber; ++t) {
      const ValueType type = value_type_of(static_cast<std::uint8_t>(t));
      const ClassId id = row_of(number_of_primitive_array(type));
      if ((in_.primitive_arrays >> t & 1) == 0 || id.value < told_rows_) continue;
      java::ClassName vm_name, name;
      ArrayClasses::name_of(type, vm_name);
      java::name_from_class_name(vm_name.view(), name);
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
    for (std::size_t l = 1; l < loaders_.ids().size(); ++l) name_loader(l);
    for (ClassRow& of : catalog().classes) {
      const LoaderRow& loader = catalog().loaders[of.loader.value];
      if (loader.builtin && catalog().strings.view(loader.name) == kPlatformLoaderName)
        of.flags |= kClassPlatform;
    }
  }
  void name_loader(std::size_t l) noexcept {
    LoaderRow& to = catalog().loaders[l];
    if (in_.object_of != nullptr) to.object = in_.object_of(in_.context, loaders_.ids()[l]);
    const ClassId number = in_.class_of(in_.context, loaders_.ids()[l]);
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
  const NameIndex& names_;
  const ArrayClasses arrays_;
  Arena& kept_;
  Arena& scratch_;
  BookedCatalog& out_;
  Known known_;
  ToldLoaders loaders_;
  std::uint32_t rows_ = 0;
  std::uint32_t told_rows_ = 0;
  std::uint32_t next_field_ = 0;
  std::uint64_t fields_ = 0;
  std::uint64_t name_bytes_ = 0;
};

}  // namespace

Result<void> make_catalog(const CatalogInput& input, Arena& kept, Arena& scratch,
                          BookedCatalog& out) noexcept {
  HF_TRY(names, NameIndex::make(input.book.classes(), scratch));
  return CatalogMaker(input, names, kept, scratch, out).make();
}

}  // namespace holdfast::jvmpi
