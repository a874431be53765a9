// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

#include <atomic>

// The functions that libraries which are preloaded stand in front of.
namespace gatherbench::mpi {

/// Returns the function of that name that the program would have called without this library: the
/// MPI library's, or that of another library that is preloaded behind this one. `caller` is an
/// address in the code that called: if it was loaded with a library of its own, as Python's
/// extensions are, RTLD_NEXT does not see that library. Null if there is no such function.
template <class Function>
Function* next_function(const char* name, const void* caller = nullptr) {
  void* found = dlsym(RTLD_NEXT, name);
  Dl_info info{};
  if (found == nullptr && caller != nullptr && dladdr(caller, &info) != 0) {
    if (void* const module = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) {
      found = dlsym(module, name);
    }
  }
  return reinterpret_cast<Function*>(found);
}

/// The function behind one that mpi.h declares. It is looked for when it is called first, as MPI
/// may be loaded after this library. Until then a function that does this has its place, so that a
/// call has nothing to ask. Threads that come at the same time find the same.
template <class Name, class Function>
class Next;

template <class Name, class Result, class... Arguments>
class Next<Name, Result(Arguments...)> {
 public:
  using Function = Result(Arguments...);

  static Function* function() { return function_.load(std::memory_order_relaxed); }

 private:
  static Result find_and_call(Arguments... arguments) {
    auto* const found = next_function<Function>(Name::text());
    function_.store(found, std::memory_order_relaxed);
    return found(arguments...);
  }

  static constinit inline std::atomic<Function*> function_ = &find_and_call;
};

}  // namespace gatherbench::mpi

/// Returns the function behind one that mpi.h declares.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): it needs the name as text and as a type
#define GATHERBENCH_NEXT(name)                                         \
  ([] {                                                                \
    struct Name {                                                      \
      static const char* text() { return GATHERBENCH_TEXT_OF(name); }  \
    };                                                                 \
    return ::gatherbench::mpi::Next<Name, decltype(name)>::function(); \
  }())
// There are two steps, so that a name that is made by a macro is expanded.
#define GATHERBENCH_TEXT_OF(name) GATHERBENCH_AS_TEXT(name)
#define GATHERBENCH_AS_TEXT(name) #name
