#include "cli/export/pprof.h"

#include <zlib.h>

#include <algorithm>
#include <map>
#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>

namespace holdfast::cli {
namespace {

// Field numbers of profile.proto.
enum class Profile : protozero::pbf_tag_type {
  kSampleType = 1,
  kSample = 2,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kTimeNanos = 9,
  kComment = 13,
  kDefaultSampleType = 14,
};
enum class ValueType : protozero::pbf_tag_type { kType = 1, kUnit = 2 };
enum class Sample : protozero::pbf_tag_type { kLocationId = 1, kValue = 2, kLabel = 3 };
enum class LabelField : protozero::pbf_tag_type { kKey = 1, kText = 2 };
enum class Location : protozero::pbf_tag_type { kId = 1, kLine = 4 };
enum class LineOf : protozero::pbf_tag_type { kFunctionId = 1 };
enum class Function : protozero::pbf_tag_type { kId = 1, kName = 2 };

class ProfileBuilder {
 public:
  ProfileBuilder(const ReportView& view, StackKind kind)
      : view_(view),
        space_(kind == StackKind::kAllocated ? "alloc_space" : "inuse_space"),
        objects_(kind == StackKind::kAllocated ? "alloc_objects" : "inuse_objects"),
        stacks_(stacks_of(view, kind)),
        profile_(bytes_) {
    text("");  // profile.proto wants the empty string first
  }

  std::string bytes() {
    add_sample_type(space_, "bytes");
    add_sample_type(objects_, "count");
    for (const StackSample& sample : stacks_.samples)
      if (sample.bytes > 0 || sample.objects > 0) add_sample(sample);
    for (std::uint32_t name = 0; name < stacks_.names.size(); ++name) add_function(name);
    add_origin();
    for (const std::string* entry : texts_) profile_.add_string(Profile::kStringTable, *entry);
    return std::move(bytes_);
  }

 private:
  std::int64_t text(const std::string& value) {
    const auto [at, added] = text_ids_.try_emplace(value, texts_.size());
    if (added) texts_.push_back(&at->first);
    return static_cast<std::int64_t>(at->second);
  }

  // 0 means none in profile.proto, so ids begin at 1. A location is a class, as a function is.
  static std::uint64_t id_of(std::uint32_t name) { return std::uint64_t{name} + 1; }

  void add_sample_type(const char* type, const char* unit) {
    protozero::pbf_builder<ValueType> value(profile_, Profile::kSampleType);
    value.add_int64(ValueType::kType, text(type));
    value.add_int64(ValueType::kUnit, text(unit));
  }

  void add_sample(const StackSample& sample) {
    std::vector<std::uint64_t> locations;
    std::ranges::transform(sample.frames, std::back_inserter(locations), id_of);
    const std::int64_t values[] = {static_cast<std::int64_t>(sample.bytes),
                                   static_cast<std::int64_t>(sample.objects)};
    protozero::pbf_builder<Sample> out(profile_, Profile::kSample);
    out.add_packed_uint64(Sample::kLocationId, locations.begin(), locations.end());
    out.add_packed_int64(Sample::kValue, std::begin(values), std::end(values));
    if (sample.loader.empty()) return;
    protozero::pbf_builder<LabelField> label(out, Sample::kLabel);
    label.add_int64(LabelField::kKey, text("loader"));
    label.add_int64(LabelField::kText, text(std::string(sample.loader)));
  }

  // Without a system name: with one, pprof takes the name for a mangled one and cuts what stands in angle brackets.
  void add_function(std::uint32_t name) {
    {
      protozero::pbf_builder<Location> location(profile_, Profile::kLocation);
      location.add_uint64(Location::kId, id_of(name));
      protozero::pbf_builder<LineOf> line(location, Location::kLine);
      line.add_uint64(LineOf::kFunctionId, id_of(name));
    }
    protozero::pbf_builder<Function> function(profile_, Profile::kFunction);
    function.add_uint64(Function::kId, id_of(name));
    function.add_int64(Function::kName, text(stacks_.names[name]));
  }

  void add_origin() {
    constexpr std::int64_t kNanosPerMs = 1'000'000;
    const OriginView& origin = view_.origin;
    profile_.add_int64(Profile::kTimeNanos,
                       static_cast<std::int64_t>(origin.started_utc_ms) * kNanosPerMs);
    const std::int64_t comments[] = {
        text("main: " + std::string(origin.main_name)), text("pid: " + std::to_string(origin.pid)),
        text("host: " + std::string(origin.host)),
        text(std::string("dump: ") + (view_.dump.extended ? "extended" : "simple"))};
    profile_.add_packed_int64(Profile::kComment, std::begin(comments), std::end(comments));
    profile_.add_int64(Profile::kDefaultSampleType, text(space_));
  }

  const ReportView& view_;
  const char *space_, *objects_;
  TreeStacks stacks_;
  std::string bytes_;
  protozero::pbf_builder<Profile> profile_;
  std::map<std::string, std::size_t> text_ids_;
  std::vector<const std::string*> texts_;  // keys of text_ids_, in the order of their ids
};

std::string gzipped(std::string_view bytes) {
  constexpr int kGzip = 15 + 16;  // the largest window, and gzip's header
  constexpr int kMemoryLevel = 8;
  constexpr int kUnix = 3;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib does not start");
  std::string comment(kPprofComment);
  gz_header header{};
  header.os = kUnix;
  header.comment = reinterpret_cast<Bytef*>(comment.data());
  deflateSetHeader(&stream, &header);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int ended = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (ended != Z_STREAM_END) throw std::runtime_error("zlib does not end");
  return out;
}

}  // namespace

void write_pprof(const ReportView& view, StackKind kind, const Sink& sink) {
  sink(gzipped(ProfileBuilder(view, kind).bytes()));
}

}  // namespace holdfast::cli
