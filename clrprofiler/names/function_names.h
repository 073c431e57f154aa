// What a frame on a stack is called: class and method, by FunctionID.
// Why without the frame's generic arguments: code of reference types is shared, and a frame knows its exact class only while it
//      lives. Where the runtime does not tell the class, it is written open, "System.Collections.Generic.List<>", and so is a
//      generic method, "Parse<>".
// Shape:  3 to 6 calls of the runtime. Constructors are ".ctor" and ".cctor"; what the compiler made stays as it is ("<Main>g__Local|0_0",
//         as in stack traces); DynamicMethods have their own name and the class "(dynamic method)".
// Zone:   capture, like ClassReader; a function of a collectible type must be alive.
// Errors: none: a method has a name in any case.
// Source: ICorProfilerInfo2::GetFunctionInfo2 (COR_PRF_FRAME_INFO 0), ICorProfilerInfo8::GetDynamicFunctionInfo.
#pragma once

#include "clrprofiler/names/class_reader.h"

namespace holdfast::clr {

MethodRow name_function(ClassReader& reader, FunctionID function, StringTable& strings) noexcept;

}  // namespace holdfast::clr
