# Sourced by ./dev: the packages this project needs, by what they are for, and the two libraries that Debian has not in a form
# that can go into a shared object (its libuv_a.a has R_X86_64_PC32 relocations against environ). Both are built from Debian's
# own source packages, found through the machine's own apt sources; where the machine runs programs of 32 bits, the tests want
# them for these once more, and zstd with them.
# install_deps <build|test|bench> installs, need_deps says what is missing. Nothing else here wants root or the network.

has_32_bits() { [ "$(dpkg --print-architecture)" = amd64 ]; }

# packages_for <build|test|bench>: Debian's packages, one a line.
packages_for() {
  printf '%s\n' binutils ca-certificates cmake doctest-dev dpkg-dev esbuild flatbuffers-compiler g++ git libcli11-dev \
    libexpected-dev libflatbuffers-dev libprotozero-dev libxxhash-dev libzstd-dev ninja-build nlohmann-json3-dev \
    node-d3-array node-d3-hierarchy node-d3-scale node-d3-shape python3 zlib1g-dev
  has_jdk || echo default-jdk-headless
  [ "$1" != build ] || return 0
  printf '%s\n' ccache chromium clang clang-format clang-tidy gdb groff-base libclang-rt-dev man-db mkdocs mkdocs-material nodejs \
    pkg-config python3-jsonschema python3-markdown-it python3-prometheus-client python3-rich shellcheck zsh
  older_jdk
  # Packages of node from elsewhere bring npm along, and then Debian's cannot be installed beside them.
  command -v npm >/dev/null || echo npm
  if has_32_bits; then echo g++-multilib; fi
  # Real programs for the tests with real VMs, and for the benchmarks.
  grep -v '^#' tests/vm/packages.txt
  zoo_packages
}

# Of tests/zoo/packages.txt those that this release has, as far as its lists are here.
zoo_packages() {
  # shellcheck disable=SC2046  # a list of words
  apt-cache --no-all-versions show $(grep -v '^#' tests/zoo/packages.txt) 2>/dev/null | sed -n 's/^Package: //p' || true
}

# The oldest JDK of this Debian, for the tests that take the oldest and the newest: 17 on Debian 12.
older_jdk() {
  if grep -qs '^VERSION_ID="12"' /etc/os-release; then echo openjdk-17-jdk-headless; else echo openjdk-21-jdk-headless; fi
}

has_jdk() { command -v javac >/dev/null && compgen -G '/usr/lib/jvm/*/include/jvmti.h' >/dev/null; }

deps=$PWD/build/deps
deps32=$PWD/build/deps32
readers=$PWD/build/readers

# install_deps <build|test|bench>
install_deps() {
  [ "$1" = build ] || update_missing_lists
  install_missing_packages "$1"
  [ "$(cat "$deps/stamp" 2>/dev/null)" = "$(stamp)" ] || build_deps "$deps" build_deps_in
  [ "$1" != build ] || return 0
  if has_32_bits && [ "$(cat "$deps32/stamp" 2>/dev/null)" != "$(stamp)" ]; then build_deps "$deps32" build_deps32_in; fi
  cmp -s tests/export/package-lock.json "$readers/installed-lock.json" || install_readers
  [ -s "$readers/jfluid-heap.jar" ] || install_visualvm_library
  # Without it tests/narrow is left out: not every mirror has that architecture.
  ! has_32_bits || tests/jdks/fetch i386-17 >&2 || echo "== no JDK of 32 bits can be had here: tests/narrow is left out" >&2
}

# need_deps <build|test|bench>: says in one line what is missing, and how it is had.
need_deps() {
  local missing
  missing=$(missing_packages "$1" | xargs)
  [ -f "$deps/stamp" ] || missing="$missing libuv and mimalloc in build/deps"
  if [ "$1" != build ]; then
    ! has_32_bits || [ -f "$deps32/stamp" ] || missing="$missing libuv and mimalloc in build/deps32"
    cmp -s tests/export/package-lock.json "$readers/installed-lock.json" || missing="$missing npm packages of tests/export"
    [ -s "$readers/jfluid-heap.jar" ] || missing="$missing VisualVM's library"
  fi
  [ -n "$missing" ] || return 0
  echo "dev: missing: ${missing# }; './dev deps $1' installs it" >&2
  exit 1
}

# Who reads what we export, in tests/shipped/export_test.py. Not `npm ci`: it wants the lock file to know the packages of
# every other platform too, and a mirror need not have them.
install_readers() {
  echo "== npm packages of tests/export" >&2
  rm -rf "$readers"
  mkdir -p "$readers"
  cp tests/export/package.json tests/export/package-lock.json tests/export/.npmrc "$readers"
  npm install --prefix "$readers" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 &&
    cp tests/export/package-lock.json "$readers/installed-lock.json" && return 0
  rm -rf "$readers"
  exit 1
}

# How VisualVM reads heap dumps: one jar of Debian's package. The program around it wants a screen and thirty packages more.
install_visualvm_library() {
  local work jar=./usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar
  echo "== VisualVM's library for heap dumps" >&2
  work=$(mktemp -d)
  update_missing_lists
  download_package visualvm "$work" || true
  dpkg-deb --fsys-tarfile "$work"/visualvm_*.deb | tar -xO "$jar" >"$work/jar" && mv "$work/jar" "$readers/jfluid-heap.jar"
  rm -rf "$work"
  [ -s "$readers/jfluid-heap.jar" ] || exit 1
}

# download_package <name> <folder>
download_package() {
  (cd "$2" && apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$1" </dev/null >&2)
}

# Changes when the recipe does, or the compiler or libc.
stamp() {
  sed -n '/^build_deps()/,$p' cmake/deps.sh | sha256sum
  dpkg-query -W -f '${Version}\n' gcc libc6-dev
}

# missing_packages <build|test|bench>
missing_packages() {
  comm -23 <(packages_for "$1" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p' | sort)
}

install_missing_packages() {
  local missing
  missing=$(missing_packages "$1" | xargs)
  [ -n "$missing" ] || return 0
  echo "== apt-get install $missing" >&2
  # shellcheck disable=SC2086  # a list of words
  as_root apt-get update -q <"/dev/null" >&2 &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing \
      </dev/null >&2 && return 0
  echo "Please install these Debian packages: $missing" >&2
  exit 1
}

# A machine whose lists of packages were removed, such as a container's image.
update_missing_lists() {
  # shellcheck disable=SC2016  # apt's own variable
  [ -n "$(apt-get indextargets --format '$(FILENAME)' 'Created-By: Packages' | xargs -r ls -d 2>/dev/null | head -n 1)" ] ||
    as_root apt-get update -q </dev/null >&2 || true
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo -n true 2>/dev/null && sudo "$@"
  fi
}

# build_deps <where to> <function>: the function builds in a folder of its own.
build_deps() {
  local work status=0 where=$1
  echo "== libuv and mimalloc from source into ${where#"$PWD"/}" >&2
  update_missing_lists
  rm -rf "$where"
  mkdir -p "$where"
  work=$(mktemp -d)
  # A shell of its own: `set -e` does not hold inside a function whose result is asked for.
  bash -euo pipefail -c '. cmake/deps.sh; "$2" "$1"' deps "$work" "$2" >"$where/log" 2>&1 || status=1
  rm -rf "$work"
  [ $status -eq 0 ] || {
    cat "$where/log" >&2
    exit 1
  }
  stamp >"$where/stamp"
}

build_deps_in() {
  local name
  fetch_sources "$1" libuv1-dev libmimalloc-dev
  build_both "$deps" ''
  for name in libuv mimalloc; do  # the licences are installed with what they are linked into
    install -D -m 644 "$name"*-*/debian/copyright "$deps/share/doc/$name/copyright"
  done
}

build_deps32_in() {
  fetch_sources "$1" libuv1-dev libmimalloc-dev libzstd-dev
  build_both "$deps32" -m32
  build_one "$deps32" -m32 libzstd-*/build/cmake -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF
}

# fetch_sources <folder> <package>...: the folder is where we are then.
fetch_sources() {
  cd "$1" || return
  shift
  write_source_entries apt "$@"
  private_apt update
  # shellcheck disable=SC2046  # a list of words
  private_apt source $(printf '%s\n' "$@" | sed -E 's/^libuv1-dev$/libuv1/; s/^libmimalloc-dev$/mimalloc/; s/^libzstd-dev$/libzstd/')
  # uv.h marks its functions as exported on every gcc; they must stay inside ours.
  sed -i 's/__attribute__((visibility("default")))//' libuv1-*/include/uv.h
}

# build_both <where to> <flags>
build_both() {
  build_one "$@" libuv1-*/ -DBUILD_TESTING=OFF
  build_one "$@" mimalloc-*/ -DMI_OVERRIDE=OFF -DMI_BUILD_SHARED=OFF -DMI_BUILD_OBJECT=OFF \
    -DMI_BUILD_TESTS=OFF -DMI_LOCAL_DYNAMIC_TLS=ON -DMI_INSTALL_TOPLEVEL=ON
}

# build_one <where to> <flags> <source> [cmake's arguments...]
build_one() {
  local flags="$2 -g1 -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -DMI_STAT=0"
  cmake -S "$3" -B "$3/out$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$1" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$2" -DCMAKE_ASM_FLAGS="$2" "${@:4}"
  cmake --build "$3/out$2" --target install
}

# apt with a configuration of its own: the system's lists, sources and caches stay as they are.
private_apt() {
  apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$PWD/apt/sources" \
    -o Dir::State::Lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt/cache" \
    -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" "$@" </dev/null
}

# write_source_entries <folder> <package>...: the machine's own source files that serve these
# packages, turned from binary to source entries. Others are left out: they may not have any.
write_source_entries() {
  local folder=$1 file
  shift
  mkdir -p "$folder/sources" "$folder/lists/partial" "$folder/cache/archives/partial"
  source_files_with "$@" | sort -u | while read -r file; do
    sed -E 's/^deb(\s)/deb-src\1/; s/^Types:.*\bdeb\b.*/Types: deb-src/' "$file" \
      >"$folder/sources/$(basename "$file")"
  done
}

source_files_with() {
  local index file pattern
  pattern=$(printf '%s|' "$@")
  # shellcheck disable=SC2016  # apt's own variables
  apt-get indextargets --format '$(FILENAME) $(SOURCESENTRY)' 'Created-By: Packages' |
    while read -r index file; do
      if /usr/lib/apt/apt-helper cat-file "$index" | grep -E "^Package: (${pattern%|})$" >/dev/null; then
        echo "${file%:*}"
      fi
    done
}
