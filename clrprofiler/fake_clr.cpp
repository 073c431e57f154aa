#include "clrprofiler/fake_clr.h"

#include <algorithm>
#include <iterator>

#include "clrprofiler/callback.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kLeastObjectBytes = 24;
constexpr std::uint32_t kHasComponents = 0x80000000u;

std::uint64_t* words_of(ObjectID object) noexcept {
  return reinterpret_cast<std::uint64_t*>(object);
}

}  // namespace

FakeClr::FakeClr() : face_{{nullptr}, this}, name_face_{{nullptr}, this} {
  static const ICorProfilerInfo::Table kTable = make_table();
  static const IMetaDataImport::Table kNameTable = make_name_table();
  face_.info.table = &kTable;
  name_face_.import.table = &kNameTable;
}

FakeClr::~FakeClr() { forget_agent_for_test(); }

FakeTable& FakeClr::add_class(std::uint32_t base_bytes, std::uint32_t component_bytes) {
  classes_.push_back(std::make_unique<FakeTable>());
  FakeTable& type = *classes_.back();
  type.table[0] = component_bytes != 0 ? kHasComponents | component_bytes : 0;
  type.table[1] = base_bytes;
  return type;
}

ObjectID FakeClr::add_object(const FakeTable& type, std::uint32_t count) {
  const std::uint64_t bytes =
      type.base_bytes() + std::uint64_t{count} * type.component_bytes() + kLeastObjectBytes;
  objects_.push_back(std::make_unique<std::uint64_t[]>(bytes / sizeof(std::uint64_t) + 1));
  std::uint64_t* const words = objects_.back().get();
  words[0] = type.id();
  words[1] = count;
  return reinterpret_cast<ObjectID>(words);
}

ClassID FakeClr::class_of(ObjectID object) const noexcept {
  return words_of(object)[0] & ~std::uint64_t{7};
}

bool FakeClr::counts_alone(ClassID id) const noexcept {
  return std::ranges::any_of(classes_, [id](const auto& each) { return each->id() == id; });
}

std::uint64_t FakeClr::size_of(ObjectID object) const noexcept {
  const ClassID id = class_of(object);
  if (!counts_alone(id)) return heap.bytes_of(object);
  const FakeTable& type = *reinterpret_cast<const FakeTable*>(id);
  const std::uint64_t count = type.component_bytes() != 0 ? words_of(object)[1] : 0;
  const std::uint64_t bytes = type.base_bytes() + count * type.component_bytes();
  return std::max(bytes, kLeastObjectBytes) + (type.words_lie ? 8 : 0);
}

HRESULT FakeClr::answer(const char* method) const noexcept {
  const auto found = answers.find(method);
  return found != answers.end() ? found->second : S_OK;
}

// -- metadata of classes that only count --

IMetaDataImport::Table FakeClr::make_name_table() noexcept {
  auto table = IMetaDataImport::Table::answering<E_NOTIMPL>();
  table.AddRef = table.Release = [](IMetaDataImport*) noexcept -> ULONG { return 1; };
  table.GetTypeDefProps = [](IMetaDataImport* self, mdTypeDef token, LPWSTR out, ULONG room,
                             ULONG* units, DWORD*, mdToken*) noexcept -> HRESULT {
    FakeClr& runtime = *reinterpret_cast<NameFace*>(self)->runtime;
    ++runtime.names_asked;
    const std::u16string& name = std::next(runtime.names_.begin(), token)->second;
    *units = static_cast<ULONG>(name.size() + 1);
    const std::size_t copied = std::min<std::size_t>(name.size(), room - 1);
    name.copy(out, copied);
    out[copied] = u'\0';
    return *units > room ? CLDB_S_TRUNCATION : S_OK;
  };
  return table;
}

// -- the loader --

HRESULT FakeClr::open_door() {
  IClassFactory* factory = nullptr;
  HRESULT result = DllGetClassObject(&kAgentClass, &kIClassFactoryVersions[0].iid,
                                     reinterpret_cast<void**>(&factory));
  if (!succeeded(result)) return result;
  IUnknown* first = nullptr;
  result = factory->CreateInstance(nullptr, &kICorProfilerCallbackVersions[1].iid,
                                   reinterpret_cast<void**>(&first));
  factory->Release();
  if (!succeeded(result)) return result;
  result = E_NOINTERFACE;
  const auto oldest = std::rend(kICorProfilerCallbackVersions);
  for (auto version = std::rbegin(kICorProfilerCallbackVersions); version != oldest; ++version) {
    result = first->QueryInterface(&version->iid, reinterpret_cast<void**>(&callback_));
    callback_version_ = version->version;
    if (succeeded(result)) break;
  }
  first->Release();
  BOOL only = 0;
  if (succeeded(result) && callback_version_ >= 11) callback_->LoadAsNotificationOnly(&only);
  notification_only_ = only != 0;
  return result;
}

HRESULT FakeClr::load(const std::string& options) {
  if (const HRESULT opened = open_door(); !succeeded(opened)) return opened;
  ::setenv("HOLDFAST_OPTIONS", options.c_str(), 1);
  return callback_->Initialize(&unknown());
}

HRESULT FakeClr::attach(const std::string& options) {
  if (const HRESULT opened = open_door(); !succeeded(opened)) return opened;
  std::string data = options;
  const HRESULT result =
      callback_->InitializeForAttach(&unknown(), data.data(), static_cast<UINT>(data.size()));
  if (succeeded(result)) callback_->ProfilerAttachComplete();
  return result;
}

void FakeClr::start_up() {
  for (const ModuleID module : {ModuleID{1}, ModuleID{2}, ModuleID{3}})
    if ((low_mask & COR_PRF_MONITOR_MODULE_LOADS) != 0) callback_->ModuleLoadFinished(module, S_OK);
}

}  // namespace holdfast::clr
