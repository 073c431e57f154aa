// Address space and pages: reserve now, commit later, give back exactly.
// Why: the agent promises never to use more memory than it reserved at load, so it must own its pages.
// Shape:  addresses and byte counts are multiples of page_bytes(); reserved pages are not accessible and cost no memory.
// Zone:   any but stopped (each call is a system call, and a raw one: a child may commit what was reserved for it).
// Errors: nullptr or false, with nothing changed; the caller names what it wanted the memory for.
#pragma once

#include <cstddef>

namespace holdfast::platforms {

std::size_t page_bytes() noexcept;

// Reserves inaccessible address space; nullptr when the system refuses (limits on address space).
std::byte* reserve_pages(std::size_t bytes) noexcept;
// Makes reserved pages readable and writable; they stay untouched, so they cost nothing until written.
bool commit_pages(std::byte* start, std::size_t bytes) noexcept;
// Drops contents and access; the address space stays reserved.
void decommit_pages(std::byte* start, std::size_t bytes) noexcept;
void release_pages(std::byte* start, std::size_t bytes) noexcept;
// Zeros that a child made later sees as this process does, and the other way round; nullptr when refused. release_pages().
std::byte* shared_pages(std::size_t bytes) noexcept;
// Asks for huge pages on a committed range; a hint, never an error.
void advise_huge_pages(std::byte* start, std::size_t bytes) noexcept;
// Pages that children made from now on do not have, and the way back. One system call each, any zone. False: they have them as before.
bool keep_from_children(std::byte* start, std::size_t bytes) noexcept;
void give_to_children(std::byte* start, std::size_t bytes) noexcept;
// Takes any pages out of this process, whoever mapped them: how a child drops its copy of the heap.
void unmap_range(std::byte* start, std::size_t bytes) noexcept;

}  // namespace holdfast::platforms
