#include "clrprofiler/names/fake_type_system.h"

#include <algorithm>
#include <cstdlib>

namespace holdfast::clr {

namespace {

constexpr AppDomainID kOnlyDomain = 1;

std::u16string wide(std::string_view text) { return {text.begin(), text.end()}; }

FakeTypeSystem& of(ICorProfilerInfo* self) { return *reinterpret_cast<FakeTypeSystem*>(self); }
FakeTypeModule& of(IMetaDataImport* self) { return *reinterpret_cast<FakeTypeModule*>(self); }

ClassID id_of(const FakeClass& type) {
  return reinterpret_cast<ClassID>(&type.words[FakeClass::kTable]);
}

// S_OK unless the test wants the call to fail.
HRESULT enter(FakeTypeSystem& runtime, std::string_view call) {
  {
    const std::lock_guard lock(
        runtime.counting);  // modules load on other threads while a dump is taken
    ++runtime.calls[std::string(call)];
  }
  const auto at = runtime.failing.find(call);
  return at == runtime.failing.end() ? S_OK : at->second;
}

// As the runtime does it: cut, with a zero at the end, the full length told.
HRESULT give(const std::u16string& text, WCHAR* out, ULONG room, ULONG* count) {
  if (count != nullptr) *count = static_cast<ULONG>(text.size() + 1);
  if (out == nullptr || room == 0) return S_OK;
  const std::size_t copied = std::min<std::size_t>(text.size(), room - 1);
  std::copy_n(text.begin(), copied, out);
  out[copied] = u'\0';
  return copied < text.size() ? CLDB_S_TRUNCATION : S_OK;
}

template <class T>
const T* row(const std::vector<T>& rows, mdToken token, mdToken table) {
  const mdToken index = token & 0x00FFFFFFu;
  return (token & 0xFF000000u) == table && index != 0 && index <= rows.size() ? &rows[index - 1]
                                                                              : nullptr;
}

// -- ICorProfilerInfo --

HRESULT query(ICorProfilerInfo* self, REFIID iid, void** out) noexcept {
  for (const InterfaceVersion& known : kICorProfilerInfoVersions)
    if (known.version <= of(self).version && same(known.iid, *iid)) {
      *out = self;
      return S_OK;
    }
  return E_NOINTERFACE;
}
ULONG one(ICorProfilerInfo*) noexcept { return 1; }

HRESULT is_array(ICorProfilerInfo* self, ClassID id, CorElementType* type, ClassID* element,
                 ULONG* rank) noexcept {
  if (const HRESULT wanted = enter(of(self), "IsArrayClass"); wanted != S_OK) return wanted;
  const FakeClass& found = of(self).class_at(id);
  if (found.rank == 0) return S_FALSE;
  *type = found.element_type;
  *element = found.element;
  *rank = found.rank;
  return S_OK;
}

HRESULT class_info2(ICorProfilerInfo* self, ClassID id, ModuleID* module, mdTypeDef* token,
                    ClassID* parent, ULONG32 room, ULONG32* count, ClassID* arguments) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetClassIDInfo2"); wanted != S_OK) return wanted;
  const FakeClass& found = of(self).class_at(id);
  if (found.rank != 0) return CORPROF_E_CLASSID_IS_ARRAY;
  if (found.answer != S_OK) return found.answer;
  *module = found.module;
  *token = found.token;
  *parent = found.parent;
  *count = static_cast<ULONG32>(found.arguments.size());
  std::copy_n(found.arguments.begin(), std::min<std::size_t>(room, found.arguments.size()),
              arguments);
  return S_OK;
}

HRESULT class_info(ICorProfilerInfo* self, ClassID id, ModuleID* module,
                   mdTypeDef* token) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetClassIDInfo"); wanted != S_OK) return wanted;
  const FakeClass& found = of(self).class_at(id);
  if (found.answer != S_OK) return found.answer;
  *module = found.module;
  *token = found.token;
  return S_OK;
}

HRESULT module_info2(ICorProfilerInfo* self, ModuleID id, LPCBYTE*, ULONG room, ULONG* count,
                     WCHAR* name, AssemblyID* assembly, DWORD* flags) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetModuleInfo2"); wanted != S_OK) return wanted;
  if (assembly != nullptr) *assembly = id + 1;
  *flags = of(self).module_at(id).flags;
  return give(of(self).module_at(id).path, name, room, count);
}
HRESULT module_info(ICorProfilerInfo* self, ModuleID id, LPCBYTE*, ULONG room, ULONG* count,
                    WCHAR* name, AssemblyID* assembly) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetModuleInfo"); wanted != S_OK) return wanted;
  *assembly = id + 1;
  return give(of(self).module_at(id).path, name, room, count);
}
HRESULT assembly_info(ICorProfilerInfo* self, AssemblyID id, ULONG room, ULONG* count, WCHAR* name,
                      AppDomainID*, ModuleID*) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetAssemblyInfo"); wanted != S_OK) return wanted;
  return give(of(self).module_at(id - 1).assembly, name, room, count);
}
HRESULT metadata(ICorProfilerInfo* self, ModuleID id, DWORD, REFIID, IUnknown** out) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetModuleMetaData"); wanted != S_OK) return wanted;
  FakeTypeModule& module = of(self).module_at(id);
  ++module.handles;
  *out = reinterpret_cast<IUnknown*>(&module.import);
  return S_OK;
}

HRESULT function_info2(ICorProfilerInfo* self, FunctionID id, COR_PRF_FRAME_INFO, ClassID* type,
                       ModuleID* module, mdToken* token, ULONG32 room, ULONG32* count,
                       ClassID* arguments) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetFunctionInfo2"); wanted != S_OK) return wanted;
  const FakeFunction& found = of(self).functions[id - 1];
  if (found.dynamic) return E_INVALIDARG;
  *type = found.type;
  *module = found.module;
  *token = found.token;
  if (count != nullptr) *count = static_cast<ULONG32>(found.arguments.size());
  if (arguments != nullptr)
    std::copy_n(found.arguments.begin(), std::min<std::size_t>(room, found.arguments.size()),
                arguments);
  return S_OK;
}
HRESULT is_dynamic(ICorProfilerInfo* self, FunctionID id, BOOL* dynamic) noexcept {
  if (const HRESULT wanted = enter(of(self), "IsFunctionDynamic"); wanted != S_OK) return wanted;
  *dynamic = of(self).functions[id - 1].dynamic ? 1 : 0;
  return S_OK;
}
HRESULT dynamic_info(ICorProfilerInfo* self, FunctionID id, ModuleID* module, PCCOR_SIGNATURE*,
                     ULONG*, ULONG room, ULONG* count, WCHAR* name) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetDynamicFunctionInfo"); wanted != S_OK)
    return wanted;
  const FakeFunction& found = of(self).functions[id - 1];
  if (!found.dynamic) return E_INVALIDARG;
  *module = found.module;
  return give(found.dynamic_name, name, room, count);
}

// -- EnumModules --

struct ModuleList {
  ICorProfilerModuleEnum list{};
  FakeTypeSystem* runtime = nullptr;
  std::size_t next = 0;
};

ULONG release_list(ICorProfilerModuleEnum* self) noexcept {
  delete reinterpret_cast<ModuleList*>(self);
  return 0;
}
HRESULT count_list(ICorProfilerModuleEnum* self, ULONG* count) noexcept {
  *count = static_cast<ULONG>(reinterpret_cast<ModuleList*>(self)->runtime->modules.size());
  return S_OK;
}
HRESULT next_module(ICorProfilerModuleEnum* self, ULONG wanted, ModuleID* ids,
                    ULONG* got) noexcept {
  auto& list = *reinterpret_cast<ModuleList*>(self);
  for (*got = 0; *got < wanted && list.next < list.runtime->modules.size(); ++*got)
    ids[*got] = reinterpret_cast<ModuleID>(&list.runtime->modules[list.next++]);
  return *got == wanted ? S_OK : S_FALSE;
}
constexpr ICorProfilerModuleEnum::Table make_list_table() noexcept {
  auto table = ICorProfilerModuleEnum::Table::answering<E_NOTIMPL>();
  table.Release = &release_list;
  table.GetCount = &count_list;
  table.Next = &next_module;
  return table;
}
constinit const ICorProfilerModuleEnum::Table kListTable = make_list_table();

HRESULT enum_modules(ICorProfilerInfo* self, ICorProfilerModuleEnum** out) noexcept {
  if (const HRESULT wanted = enter(of(self), "EnumModules"); wanted != S_OK) return wanted;
  auto* list = new ModuleList;
  list->list.table = &kListTable;
  list->runtime = &of(self);
  *out = &list->list;
  return S_OK;
}

HRESULT class_layout(ICorProfilerInfo* self, ClassID id, COR_FIELD_OFFSET* out, ULONG room,
                     ULONG* count, ULONG* bytes) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetClassLayout"); wanted != S_OK) return wanted;
  const FakeClass& found = of(self).class_at(id);
  if (found.rank != 0 || found.answer != S_OK) return E_INVALIDARG;
  const FakeTypeModule& module = of(self).module_at(found.module);
  ULONG used = 0;
  for (const mdFieldDef token : of(self).type_of(id).fields) {
    const FakeFieldDef& field = module.fields[(token & 0xFFFFFFu) - 1];
    if ((field.flags & fdStatic) != 0) continue;
    if (out != nullptr && used < room) out[used] = {token, field.offset};
    ++used;
  }
  *count = used;
  *bytes = 64;
  return S_OK;
}

HRESULT box_layout(ICorProfilerInfo* self, ClassID, ULONG32* offset) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetBoxClassLayout"); wanted != S_OK) return wanted;
  *offset = sizeof(void*);
  return S_OK;
}

// Finds what is there already: the real one may load a type.
HRESULT class_from_token(ICorProfilerInfo* self, ModuleID module, mdTypeDef token, ULONG32 count,
                         ClassID* arguments, ClassID* out) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetClassFromTokenAndTypeArgs"); wanted != S_OK)
    return wanted;
  const std::vector<ClassID> wanted_arguments(arguments, arguments + count);
  for (std::size_t i = 0; i < of(self).classes.size(); ++i) {
    const FakeClass& known = of(self).classes[i];
    if (known.module != module || known.token != token || known.arguments != wanted_arguments)
      continue;
    *out = id_of(of(self).classes[i]);
    return S_OK;
  }
  return E_FAIL;
}

HRESULT domains(ICorProfilerInfo*, ModuleID, ULONG32, ULONG32* count, AppDomainID* ids) noexcept {
  *count = 1;
  ids[0] = kOnlyDomain;
  return S_OK;
}

HRESULT static_address(ICorProfilerInfo* self, ClassID id, mdFieldDef token, AppDomainID domain,
                       void** address) noexcept {
  if (const HRESULT wanted = enter(of(self), "GetAppDomainStaticAddress"); wanted != S_OK)
    return wanted;
  const FakeClass& owner = of(self).class_at(id);
  const FakeFieldDef* field = row(of(self).module_at(owner.module).fields, token, mdtFieldDef);
  if (field == nullptr || field->owner != owner.token || domain != kOnlyDomain) return E_INVALIDARG;
  if (field->address == 0) return CORPROF_E_DATAINCOMPLETE;
  *address = reinterpret_cast<void*>(field->address);  // NOLINT(performance-no-int-to-ptr)
  return S_OK;
}

constexpr ICorProfilerInfo::Table make_info_table() noexcept {
  auto table = ICorProfilerInfo::Table::answering<E_NOTIMPL>();
  table.QueryInterface = &query;
  table.AddRef = table.Release = &one;
  table.IsArrayClass = &is_array;
  table.GetClassIDInfo = &class_info;
  table.GetClassIDInfo2 = &class_info2;
  table.GetModuleInfo = &module_info;
  table.GetModuleInfo2 = &module_info2;
  table.GetAssemblyInfo = &assembly_info;
  table.GetModuleMetaData = &metadata;
  table.GetFunctionInfo2 = &function_info2;
  table.IsFunctionDynamic = &is_dynamic;
  table.GetDynamicFunctionInfo = &dynamic_info;
  table.EnumModules = &enum_modules;
  table.GetClassLayout = &class_layout;
  table.GetBoxClassLayout = &box_layout;
  table.GetClassFromTokenAndTypeArgs = &class_from_token;
  table.GetAppDomainsContainingModule = &domains;
  table.GetAppDomainStaticAddress = &static_address;
  return table;
}
constinit const ICorProfilerInfo::Table kInfoTable = make_info_table();

// -- IMetaDataImport --

ULONG release_import(IMetaDataImport* self) noexcept {
  return static_cast<ULONG>(--of(self).handles);
}

HRESULT type_props(IMetaDataImport* self, mdTypeDef token, LPWSTR name, ULONG room, ULONG* count,
                   DWORD* flags, mdToken* extends) noexcept {
  if (const HRESULT wanted = enter(*of(self).runtime, "GetTypeDefProps"); wanted != S_OK)
    return wanted;
  const FakeTypeDef* type = row(of(self).types, token, mdtTypeDef);
  if (type == nullptr) return CLDB_E_INDEX_NOTFOUND;
  *flags = type->flags;
  *extends = 0x01000000;
  return give(type->name, name, room, count);
}
HRESULT nested_props(IMetaDataImport* self, mdTypeDef token, mdTypeDef* outer) noexcept {
  if (const HRESULT wanted = enter(*of(self).runtime, "GetNestedClassProps"); wanted != S_OK)
    return wanted;
  const FakeTypeDef* type = row(of(self).types, token, mdtTypeDef);
  if (type == nullptr || type->outer == 0) return CLDB_E_RECORD_NOTFOUND;
  *outer = type->outer;
  return S_OK;
}
HRESULT method_props(IMetaDataImport* self, mdMethodDef token, mdTypeDef* type, LPWSTR name,
                     ULONG room, ULONG* count, DWORD*, PCCOR_SIGNATURE*, ULONG*, ULONG*,
                     DWORD*) noexcept {
  if (const HRESULT wanted = enter(*of(self).runtime, "GetMethodProps"); wanted != S_OK)
    return wanted;
  const FakeMethodDef* method = row(of(self).methods, token, mdtMethodDef);
  if (method == nullptr) return CLDB_E_INDEX_NOTFOUND;
  *type = method->type;
  return give(method->name, name, room, count);
}
HRESULT field_props(IMetaDataImport* self, mdFieldDef token, mdTypeDef* owner, LPWSTR name,
                    ULONG room, ULONG* count, DWORD* flags, PCCOR_SIGNATURE* signature,
                    ULONG* signature_bytes, DWORD*, UVCP_CONSTANT*, ULONG*) noexcept {
  if (const HRESULT wanted = enter(*of(self).runtime, "GetFieldProps"); wanted != S_OK)
    return wanted;
  const FakeFieldDef* field = row(of(self).fields, token, mdtFieldDef);
  if (field == nullptr) return CLDB_E_INDEX_NOTFOUND;
  *owner = field->owner;
  *flags = field->flags;
  *signature = field->signature.data();
  *signature_bytes = static_cast<ULONG>(field->signature.size());
  return give(field->name, name, room, count);
}
HRESULT enum_fields(IMetaDataImport* self, HCORENUM* cursor, mdTypeDef token, mdFieldDef* out,
                    ULONG room, ULONG* got) noexcept {
  if (const HRESULT wanted = enter(*of(self).runtime, "EnumFields"); wanted != S_OK) return wanted;
  const FakeTypeDef* type = row(of(self).types, token, mdtTypeDef);
  if (type == nullptr) return CLDB_E_INDEX_NOTFOUND;
  const auto first = reinterpret_cast<std::uintptr_t>(*cursor);
  const std::size_t copied = std::min<std::size_t>(room, type->fields.size() - first);
  std::copy_n(type->fields.begin() + static_cast<std::ptrdiff_t>(first), copied, out);
  *got = static_cast<ULONG>(copied);
  // A handle of nothing but the place; null stands for the beginning.
  *cursor = reinterpret_cast<HCORENUM>(first + copied);  // NOLINT(performance-no-int-to-ptr)
  return copied == 0 ? S_FALSE : S_OK;
}
void close_enum(IMetaDataImport*, HCORENUM) noexcept {}

// Parameters are not described; a name with a grave accent has some.
HRESULT enum_parameters(IMetaDataImport* self, HCORENUM*, mdToken token, mdGenericParam*, ULONG,
                        ULONG* got) noexcept {
  const FakeTypeDef* type = row(of(self).types, token, mdtTypeDef);
  if (type == nullptr) return CLDB_E_INDEX_NOTFOUND;
  *got = type->name.find(u'`') != std::u16string::npos ? 1 : 0;
  return *got != 0 ? S_OK : S_FALSE;
}

HRESULT find_type(IMetaDataImport* self, LPCWSTR name, mdToken, mdTypeDef* out) noexcept {
  if (const HRESULT wanted = enter(*of(self).runtime, "FindTypeDefByName"); wanted != S_OK)
    return wanted;
  for (std::size_t i = 0; i < of(self).types.size(); ++i) {
    if (of(self).types[i].name != name || of(self).types[i].outer != 0) continue;
    *out = mdtTypeDef + static_cast<mdTypeDef>(i) + 1;
    return S_OK;
  }
  return CLDB_E_RECORD_NOTFOUND;
}
HRESULT reference_props(IMetaDataImport* self, mdTypeRef token, mdToken* scope, LPWSTR name,
                        ULONG room, ULONG* count) noexcept {
  if (const HRESULT wanted = enter(*of(self).runtime, "GetTypeRefProps"); wanted != S_OK)
    return wanted;
  const auto at = of(self).references.find(token);
  if (at == of(self).references.end()) return CLDB_E_INDEX_NOTFOUND;
  *scope = 0x23000001;
  return give(at->second, name, room, count);
}

constexpr IMetaDataImport::Table make_import_table() noexcept {
  auto table = IMetaDataImport::Table::answering<E_NOTIMPL>();
  table.Release = &release_import;
  table.GetTypeDefProps = &type_props;
  table.GetNestedClassProps = &nested_props;
  table.GetMethodProps = &method_props;
  table.GetFieldProps = &field_props;
  table.EnumFields = &enum_fields;
  table.EnumGenericParams = &enum_parameters;
  table.CloseEnum = &close_enum;
  table.FindTypeDefByName = &find_type;
  table.GetTypeRefProps = &reference_props;
  return table;
}
constinit const IMetaDataImport::Table kImportTable = make_import_table();

}  // namespace

FakeTypeSystem::FakeTypeSystem() {
  info.table = &kInfoTable;
  add_module("System.Private.CoreLib",
             "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.12/System.Private.CoreLib.dll");
  add_module("shop", "/app/shop.dll");
  for (const char16_t* name : {u"System.Object", u"System.ValueType", u"System.Enum",
                               u"System.MulticastDelegate", u"System.Threading.Thread"})
    add_type(module_named("System.Private.CoreLib"), name);
}

ModuleID FakeTypeSystem::add_module(std::string_view assembly, std::string_view path, DWORD flags) {
  FakeTypeModule& module = modules.emplace_back();
  module.import.table = &kImportTable;
  module.runtime = this;
  module.assembly = wide(assembly);
  module.path = wide(path);
  module.flags = flags;
  return reinterpret_cast<ModuleID>(&module);
}

ModuleID FakeTypeSystem::module_named(std::string_view assembly) {
  for (FakeTypeModule& module : modules)
    if (module.assembly == wide(assembly)) return reinterpret_cast<ModuleID>(&module);
  return add_module(assembly, "/app/" + std::string(assembly) + ".dll");
}

mdTypeDef FakeTypeSystem::add_type(ModuleID module, std::u16string name, mdTypeDef outer) {
  std::vector<FakeTypeDef>& types = module_at(module).types;
  types.push_back({std::move(name), outer, 0, {}});
  return mdtTypeDef + static_cast<mdTypeDef>(types.size());
}

ClassID FakeTypeSystem::add_class(FakeClass type) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const FakeClass& known = classes[i];
    if (known.module == type.module && known.token == type.token &&
        known.arguments == type.arguments && known.element == type.element &&
        known.rank == type.rank && known.answer == type.answer)
      return id_of(known);
  }
  return append_class(std::move(type));
}

ClassID FakeTypeSystem::append_class(FakeClass type) {
  classes.push_back(std::move(type));
  const ClassID id = id_of(classes.back());
  lay_out(id, 24, {});
  return id;
}

void FakeTypeSystem::lay_out(ClassID id, std::uint32_t base_bytes,
                             std::vector<std::pair<std::uint32_t, std::uint32_t>> series,
                             std::uint32_t element_bytes) {
  std::array<std::uint64_t, FakeClass::kTable + 2>& words = class_at(id).words;
  constexpr std::size_t kTable = FakeClass::kTable;
  const std::uint64_t references = series.empty() ? 0 : 0x01000000;
  const std::uint64_t components = element_bytes == 0 ? 0 : 0x80000000u | element_bytes;
  words[kTable] = std::uint64_t{base_bytes} << 32u | references | components;
  const bool items = element_bytes != 0;
  words[kTable - 1] = items ? 0 - std::uint64_t{series.size()} : series.size();
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto [first, second] = series[i];
    if (items) {
      words[kTable - 3 - i] = std::uint64_t{second} << 32u | first;
    } else {
      words[kTable - 3 - 2 * i] = std::uint64_t{second} * 8 - base_bytes;
      words[kTable - 2 - 2 * i] = first;
    }
  }
}

FakeClass& FakeTypeSystem::class_at(ClassID id) {
  for (FakeClass& known : classes)
    if (id_of(known) == id) return known;
  std::abort();
}

bool FakeTypeSystem::knows(ClassID id) const {
  return std::any_of(classes.begin(), classes.end(),
                     [id](const FakeClass& known) { return id_of(known) == id; });
}

FakeTypeDef& FakeTypeSystem::type_of(ClassID id) {
  const FakeClass& type = class_at(id);
  return module_at(type.module).types[(type.token & 0xFFFFFFu) - 1];
}

mdFieldDef FakeTypeSystem::add_field(ClassID owner, std::string_view name,
                                     std::vector<std::uint8_t> signature, ULONG offset,
                                     DWORD flags) {
  std::vector<FakeFieldDef>& fields = module_at(class_at(owner).module).fields;
  fields.push_back({wide(name), std::move(signature), flags, offset, class_at(owner).token, 0});
  const auto token = mdtFieldDef + static_cast<mdFieldDef>(fields.size());
  type_of(owner).fields.push_back(token);
  return token;
}

void FakeTypeSystem::add_static(ClassID owner, std::string_view name, std::uint64_t address) {
  add_field(owner, name, {0x06, ELEMENT_TYPE_OBJECT}, 0, fdStatic);
  module_at(class_at(owner).module).fields.back().address = address;
}

FunctionID FakeTypeSystem::add_function(ClassID type, std::string_view method) {
  const FakeClass& owner = class_at(type);
  std::vector<FakeMethodDef>& methods = module_at(owner.module).methods;
  methods.push_back({wide(method), owner.token});
  FakeFunction function;
  function.type = type;
  function.module = owner.module;
  function.token = mdtMethodDef + static_cast<mdMethodDef>(methods.size());
  return add_function(function);
}

FunctionID FakeTypeSystem::add_function(FakeFunction function) {
  functions.push_back(std::move(function));
  return functions.size();
}

int FakeTypeSystem::open_handles() const {
  int sum = 0;
  for (const FakeTypeModule& module : modules) sum += module.handles;
  return sum;
}

}  // namespace holdfast::clr
