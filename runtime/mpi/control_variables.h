// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The MPI library's control variables, by its tools interface (MPI_T) in *_mpi.cpp; *_simgrid.cpp
// has none.
namespace gatherbench::mpi {

/// Returns why this MPI has no interface to control variables; empty: it has one.
std::string_view why_no_control_variables();

/// Returns the categories that hold a control variable, in the library's order; none where this MPI
/// has no interface to them. Must not be called with MPICH 4.0, which crashes later. Throws
/// MpiError.
std::vector<std::string> control_categories();

struct NamedValue {
  std::string name;
  int value;
};

/// A control variable that holds an int, an enumeration, a flag or a text. Its calls throw
/// MpiError.
class ControlVariable {
 public:
  /// Returns the variable of that name; none if the library has no such variable of these types.
  static std::optional<ControlVariable> find(const std::string& name);

  ControlVariable(ControlVariable&& other) noexcept;
  ControlVariable& operator=(ControlVariable&& other) noexcept;
  ~ControlVariable();

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns true unless the variable is a constant or may only be read.
  [[nodiscard]] bool settable() const { return settable_; }
  /// Returns the values' names, in the library's order; none if the variable is no enumeration.
  [[nodiscard]] const std::vector<NamedValue>& values() const { return values_; }
  /// Returns the value as people write it: a text, a name of an enumeration, or a number.
  [[nodiscard]] std::string text() const;
  /// Returns the value of a variable that is no text.
  [[nodiscard]] int read() const;
  void write(int value) const;
  /// Writes a value that the variable had before, and that can be written therefore.
  void restore(int value) const noexcept;

 private:
  struct Handle;
  explicit ControlVariable(std::string name);

  std::string name_;
  bool settable_ = false;
  MPI_Datatype type_ = MPI_INT;
  int count_ = 0;
  std::vector<NamedValue> values_;
  std::unique_ptr<Handle> handle_;
};

/// A variable and what it is to hold for a while.
struct Setting {
  ControlVariable variable;
  int value;
};

/// Writes settings, and at the end of its life the values before. The settings must outlive it.
class ScopedSettings {
 public:
  ScopedSettings() = default;
  explicit ScopedSettings(std::span<const Setting> settings);
  ScopedSettings(ScopedSettings&& other) noexcept
      : settings_(std::exchange(other.settings_, {})), before_(std::move(other.before_)) {}
  ScopedSettings& operator=(ScopedSettings&&) = delete;
  ~ScopedSettings();

 private:
  std::span<const Setting> settings_;
  std::vector<int> before_;
};

/// Returns the names of an enumeration, counted from 0, of a description with lines "NAME - text".
/// MPICH has its names only there, and MPICH 4.0 lost the ends of the lines.
std::vector<NamedValue> values_in(std::string_view description);

}  // namespace gatherbench::mpi
