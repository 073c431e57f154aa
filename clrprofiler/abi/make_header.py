#!/usr/bin/env python3
"""make_header.py TABLE OUT: the binary interface of the CLR's profiling API as a C++ header.

An interface is a pointer to a table of functions, as the ABI has it: no C++ class, whose layout a compiler would choose. Interfaces
of one chain (ICorProfilerInfo, ICorProfilerInfo2 ...) are one struct with the slots of the newest, because slot n is the same in
all of them; what an object really has is known by the interface identifiers that it answers. Every slot, size and offset is taken
from TABLE twice: by its place in the file and by its own number, and the header asserts that both agree.
"""
import pathlib
import re
import sys

HEAD = """// Generated from clrprofiler/abi/corprof.tsv by make_header.py.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_WIN32) && !defined(_WIN64)
#define HF_COM __stdcall
#else
#define HF_COM
#endif
// An object is looked at as whichever of its interfaces is at hand.
#if defined(__GNUC__)
#define HF_COM_OBJECT __attribute__((may_alias))
#else
#define HF_COM_OBJECT
#endif

namespace holdfast::clr {

"""
INTEGERS = {
    "HRESULT": "std::int32_t", "LONG": "std::int32_t", "BOOL": "std::int32_t", "ULONG": "std::uint32_t", "DWORD": "std::uint32_t",
    "UINT": "std::uint32_t", "ULONG32": "std::uint32_t", "UINT32": "std::uint32_t", "USHORT": "std::uint16_t", "BYTE": "std::uint8_t",
    "UINT8": "std::uint8_t", "UINT64": "std::uint64_t", "WCHAR": "char16_t", "EVENTPIPE_SESSION": "std::uint64_t",
    **{name: "std::uintptr_t" for name in
       "UINT_PTR SIZE_T ObjectID ClassID FunctionID ModuleID AssemblyID AppDomainID ThreadID ContextID ProcessID GCHandleID ReJITID "
       "COR_PRF_ELT_INFO COR_PRF_FRAME_INFO EVENTPIPE_PROVIDER EVENTPIPE_EVENT".split()},
    "HANDLE": "void*", "HCORENUM": "void*", "LPVOID": "void*", "LPCVOID": "const void*", "UVCP_CONSTANT": "const void*",
    "ObjectHandleID": "void**", "PCCOR_SIGNATURE": "const std::uint8_t*", "LPCBYTE": "const std::uint8_t*", "MDUTF8CSTR": "const char*",
    "LPCWSTR": "const char16_t*", "LPWSTR": "char16_t*",
}
# What Table::answering() is made of: methods that all answer the same.
ANSWER = """template <HRESULT kAnswer, class Answer, class... Arguments>
Answer HF_COM answer_with(Arguments...) noexcept {
  return static_cast<Answer>(kAnswer);
}

"""
# A GUID is passed by address.
AFTER_GUID = "using REFIID = const GUID*;\nusing REFGUID = const GUID*;\nusing REFCLSID = const GUID*;\nusing LPCGUID = const GUID*;\n\n"
FIELD_TYPES = {"uint8": "std::uint8_t", "uint16": "std::uint16_t", "uint32": "std::uint32_t", "int32": "std::int32_t",
               "uint64": "std::uint64_t", "uptr": "std::uintptr_t", "ptr": "const void*", "enum32": "std::uint32_t"}
# Functions that the profiler could give the runtime, and interfaces that it would have to write: none of ours.
OPAQUE = re.compile(r"\b(FunctionEnter\d?(WithInfo)?|FunctionLeave\d?(WithInfo)?|FunctionTailcall\d?(WithInfo)?|FunctionIDMapper2?"
                    r"|EventPipeProviderCallback|IMethodMalloc|ICorProfilerFunctionControl|ICorProfilerMethodEnum"
                    r"|ICorProfilerAssemblyReferenceProvider|COR_PRF_METHOD|COR_PRF_FILTER_DATA)\b")


class Table:
    def __init__(self, path):
        lines = pathlib.Path(path).read_text().splitlines()[1:]
        self.rows = [(line + "\t" * 6).split("\t")[:6] for line in lines]

    def of(self, kind):
        return [row[1:] for row in self.rows if row[0] == kind]

    def chains(self):
        """[(family, [(interface, first own slot, iid)], [(slot, method, returns, parameters)])]; IUnknown's methods lead each."""
        bases = {owner: base for owner, _, _, _, base in self.of("interface")}
        methods = {}
        for owner, slot, name, returns, parameters in self.of("method"):
            methods.setdefault(owner, []).append((int(slot), name, returns, parameters))
        families = {}
        for owner, slot, _, iid, base in self.of("interface"):
            family = owner if base in ("", "IUnknown") else next(f for f, members in families.items() if base in members)
            families.setdefault(family, {})[owner] = (int(slot), iid)
        for family, members in families.items():
            lead = [] if family == "IUnknown" else methods["IUnknown"]
            yield family, [(name, slot, iid) for name, (slot, iid) in members.items()], lead + sum((methods[m] for m in members), [])
        assert set(bases) == {member for members in families.values() for member in members}


def guid(text):
    a, b, c, d, e = text.split("-")
    return "{0x%s, 0x%s, 0x%s, {%s}}" % (a, b, c, ", ".join("0x" + (d + e)[i:i + 2] for i in range(0, 16, 2)))


def parameters(text):
    """[(type, name)]"""
    return [tuple(OPAQUE.sub("void", part).rsplit(" ", 1)) for part in text.split("; ") if part]


def integers(table):
    names = {word for row in table.of("method") for kind, _ in parameters(row[4]) for word in re.findall(r"\bmd\w+", kind)}
    tokens = "".join(f"using {name} = std::uint32_t;\n" for name in sorted(names | {"mdToken"}))
    return "".join(f"using {name} = {kind};\n" for name, kind in INTEGERS.items()) + tokens + "\n"


def enums(table):
    owners = {}
    for owner, _, name, value, _ in table.of("enum"):
        owners.setdefault(owner, []).append(f"  {name} = {value},\n")
    return "".join(f"enum {owner} : std::uint32_t {{\n{''.join(rows)}}};\n\n" for owner, rows in owners.items())


def results(table):
    return "".join(f"inline constexpr HRESULT {name} = static_cast<HRESULT>({value}u);  // {what}\n"
                   for _, _, name, value, what in table.of("hresult")) + "\n"


def field(name, kind):
    base, bound = re.fullmatch(r"(\w+)((?:\[\d+\])?)", kind).groups()
    return f"  {FIELD_TYPES.get(base, base)} {name}{bound};\n"


def structs(table):
    text = ""
    for owner, _, _, size, other in table.of("struct"):
        fields = [row for row in table.of("field") if row[0] == owner]
        text += f"struct {owner} {{\n{''.join(field(name, kind) for _, _, name, kind, _ in fields)}}};\n"
        # 32 bit: only where a 64-bit integer is aligned as Windows aligns it.
        text += "#if UINTPTR_MAX > 0xFFFFFFFFu || defined(_WIN32)\n"
        small = other.removeprefix("32-bit MSVC=")
        text += f"static_assert(sizeof({owner}) == (sizeof(void*) == 8 ? {size} : {small}));\n"
        for _, _, name, _, places in fields:
            wide, narrow = re.fullmatch(r"offset64=(\d+); offset32=(\d+)", places).groups()
            text += f"static_assert(offsetof({owner}, {name}) == (sizeof(void*) == 8 ? {wide} : {narrow}));\n"
        text += "#endif\n" + (AFTER_GUID if owner == "GUID" else "\n")
    return text


def callbacks(table):
    text = ""
    for _, _, name, returns, params in table.of("fnptr"):
        # One of the three is named as a function, the others as pointers to one.
        star = "" if name == "StackSnapshotCallback" else "*"
        text += f"using {name} = {returns}(HF_COM{star})({params});\n" if star else f"using {name} = {returns}({params});\n"
    return text + "\n"


def interface(family, members, methods):
    rows, calls, checks = "", "", ""
    for slot, name, returns, text in methods:
        params = parameters(text)
        declared = "".join(f", {kind} {of}" for kind, of in params)
        passed = "".join(f", {of}" for _, of in params)
        rows += f"    {returns}(HF_COM* {name})({family}* self{declared});\n"
        calls += f"  {returns} {name}({declared[2:]}) {{ return table->{name}(this{passed}); }}\n"
        checks += f"static_assert(offsetof({family}::Table, {name}) == {slot} * sizeof(void*));\n"
    versions = ""
    for number, (name, slot, iid) in enumerate(members):
        later = [first for _, first, _ in members[number + 1:]] + [len(methods)]
        versions += f"    {{{guid(iid)}, {re.search(r'[0-9]*$', name)[0] or 1}, {later[0]}}},\n"
    same = ", ".join(["&answer_with<kAnswer>"] * len(methods))
    rows += f"    template <HRESULT kAnswer>\n    static constexpr Table answering() noexcept {{\n      return {{{same}}};\n    }}\n"
    return (f"struct HF_COM_OBJECT {family} {{\n  struct HF_COM_OBJECT Table {{\n{rows}  }};\n  const Table* table;\n{calls}}};\n{checks}"
            f"static_assert(sizeof({family}::Table) == {len(methods)} * sizeof(void*));\n"
            f"// The oldest first.\ninline constexpr InterfaceVersion k{family}Versions[] = {{\n{versions}}};\n\n")


def main(source, out):
    table = Table(source)
    chains = list(table.chains())
    text = HEAD + integers(table) + enums(table) + results(table) + structs(table) + callbacks(table)
    text += "struct InterfaceVersion {\n  GUID iid;\n  int version;\n  int slots;\n};\n\n"
    text += ANSWER
    text += "".join(f"struct HF_COM_OBJECT {family};\n" for family, _, _ in chains) + "\n"
    text += "".join(interface(*chain) for chain in chains)
    pathlib.Path(out).write_text(text + "}  // namespace holdfast::clr\n")


main(*sys.argv[1:])
