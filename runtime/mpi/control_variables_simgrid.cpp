// SPDX-License-Identifier: BSD-3-Clause
//
// SimGrid's SMPI has no MPI_T, so there is no variable to be found.
#include "runtime/mpi/control_variables.h"

namespace gatherbench::mpi {

struct ControlVariable::Handle {};

std::string_view why_no_control_variables() {
  return "SMPI has no MPI_T; its own choice is smpirun's --cfg=smpi/allgather:NAME";
}

std::vector<std::string> control_categories() { return {}; }

std::optional<ControlVariable> ControlVariable::find(const std::string& /*name*/) {
  return std::nullopt;
}

ControlVariable::ControlVariable(std::string name) : name_(std::move(name)) {}
ControlVariable::ControlVariable(ControlVariable&& other) noexcept = default;
ControlVariable& ControlVariable::operator=(ControlVariable&& other) noexcept = default;
ControlVariable::~ControlVariable() = default;

std::string ControlVariable::text() const { return {}; }
int ControlVariable::read() const { return 0; }
void ControlVariable::write(int /*value*/) const {}
void ControlVariable::restore(int /*value*/) const noexcept {}

}  // namespace gatherbench::mpi
