// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>

#include "formats/metadata.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

using namespace std::string_view_literals;

// Beginnings of the names of variables that steer transports.
constexpr std::array transport_prefixes{"UCX_"sv,  "UCC_"sv, "FI_"sv,   "HCOLL_"sv, "PSM2_"sv,
                                        "PSM3_"sv, "MXM_"sv, "NCCL_"sv, "RCCL_"sv,  "GDRCOPY_"sv};
constexpr std::array scheduler_prefixes{"SLURM_"sv};
constexpr std::array slurm_job{"SLURM_LAUNCH_NODE_IPADDR"sv, "SLURM_SRUN_COMM_"sv,
                               "SLURM_STEP_LAUNCHER_PORT"sv, "SLURM_TASK_PID"sv};

constexpr bool several(const CallShape& shape) { return shape.ranks > 1; }
constexpr bool two(const CallShape& shape) { return shape.ranks == 2; }
constexpr bool even(const CallShape& shape) { return shape.ranks % 2 == 0; }
constexpr bool power_of_two(const CallShape& shape) {
  return std::has_single_bit(static_cast<unsigned>(shape.ranks));
}
constexpr bool two_elements(const CallShape& shape) { return shape.elements >= 2; }
constexpr bool element_a_rank(const CallShape& shape) { return shape.elements >= shape.ranks; }
constexpr bool element_a_member(const CallShape& shape) {
  return shape.elements >= std::bit_floor(static_cast<unsigned>(shape.ranks));
}
constexpr std::string_view a_rank = "an element for each rank";
constexpr std::string_view a_member = "an element for each of the largest power of two of ranks";

constexpr bool commutes(const CallShape& shape) { return shape.commutes; }
constexpr bool never(const CallShape&) { return false; }
constexpr bool in_place_alone(const CallShape& shape) { return shape.in_place; }
constexpr bool not_in_place(const CallShape& shape) { return !shape.in_place; }

/// Returns the restriction of an algorithm that combines in another order than that of ranks,
/// whatever the operator.
constexpr NativeRestriction out_of_order(std::string_view algorithm,
                                         const collectives::Collective& kind) {
  return {algorithm, commutes, "an operator that commutes", "combine in another order", &kind};
}

// Open MPI 4.1 and 5.0. All of it is the tuned component's, which is not asked at 1 rank.
constexpr std::array open_mpi_restrictions{
    NativeRestriction{"", several, "2 ranks or more", "only copy"},
    NativeRestriction{"", not_in_place, "no --in-place", "run its one algorithm for data in place",
                      &collectives::alltoall},
    NativeRestriction{"two_proc", two, "2 ranks", "end the job"},
    NativeRestriction{"neighbor", even, "an even number of ranks", "run ring instead"},
    NativeRestriction{"recursive_doubling", power_of_two, "a power-of-two number of ranks",
                      "run bruck instead", &collectives::allgather},
    NativeRestriction{"split_binary_tree", two_elements, "two elements or more",
                      "run chain instead", &collectives::bcast},
    NativeRestriction{"scatter_allgather", element_a_rank, a_rank, "run basic_linear instead",
                      &collectives::bcast},
    NativeRestriction{"scatter_allgather_ring", element_a_rank, a_rank, "run basic_linear instead",
                      &collectives::bcast},
    out_of_order("chain", collectives::reduce), out_of_order("pipeline", collectives::reduce),
    out_of_order("binary", collectives::reduce), out_of_order("binomial", collectives::reduce),
    out_of_order("knomial", collectives::reduce),
    NativeRestriction{"rabenseifner", element_a_member, a_member, "run linear instead",
                      &collectives::reduce},
    NativeRestriction{"rabenseifner", commutes, "an operator that commutes", "run linear instead",
                      &collectives::reduce},
    out_of_order("ring", collectives::allreduce),
    NativeRestriction{"ring", element_a_rank, a_rank, "run recursive_doubling instead",
                      &collectives::allreduce},
    // A segment is the whole vector unless coll_tuned_allreduce_algorithm_segmentsize is set.
    NativeRestriction{"segmented_ring", never, "a size of segments, which no benchmark sets",
                      "run ring instead", &collectives::allreduce},
    NativeRestriction{"rabenseifner", element_a_member, a_member, "run basic_linear instead",
                      &collectives::allreduce},
    NativeRestriction{"rabenseifner", commutes, "an operator that commutes",
                      "run basic_linear instead", &collectives::allreduce}};

constexpr std::array open_mpi_conditions{
    NativeCondition{"coll_tuned_use_dynamic_rules",
                    [](std::string_view value) { return value == "true"; }},
    // 4.1 goes by a file of rules first.
    NativeCondition{"coll_tuned_dynamic_rules_filename",
                    [](std::string_view value) { return value.empty(); }}};

constexpr std::array open_mpi_prefixes{"OMPI_"sv, "PRTE_"sv, "PMIX_MCA_"sv};
constexpr std::array open_mpi_job{"OMPI_FILE_LOCATION"sv,
                                  "OMPI_MCA_ess_base_jobid"sv,
                                  "OMPI_MCA_orte_hnp_uri"sv,
                                  "OMPI_MCA_orte_jobfam_session_dir"sv,
                                  "OMPI_MCA_orte_local_daemon_uri"sv,
                                  "OMPI_MCA_orte_precondition_transports"sv,
                                  "OMPI_MCA_orte_top_session_dir"sv};

constexpr std::array open_mpi_calls{"OMPI_MCA_"sv};
constexpr std::array open_mpi_launcher{"OMPI_MCA_ess"sv,    "OMPI_MCA_initial_wdir"sv,
                                       "OMPI_MCA_odls"sv,   "OMPI_MCA_orte_"sv,
                                       "OMPI_MCA_plm"sv,    "OMPI_MCA_pmix"sv,
                                       "OMPI_MCA_prte_"sv,  "OMPI_MCA_rmaps"sv,
                                       "OMPI_MCA_schizo"sv, "OMPI_MCA_shmem_RUNTIME_QUERY_hint"sv};

// The tuned component ignores its control variables without it.
constexpr std::array open_mpi_at_start{
    EnvironmentVariable{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}};

std::string open_mpi_variable(const collectives::Collective& collective) {
  return fmt::format("coll_tuned_{}_algorithm", collective.name);
}

bool open_mpi_reads_at_start_only(const collectives::Collective& collective) {
  return collective.gathers() && collective.unequal_blocks;
}

// MPICH 4.0 and 5.0, and Intel MPI and MVAPICH, which are made from it.
constexpr std::array mpich_prefixes{"MPIR_"sv,  "MPICH_"sv, "HYDRA_"sv,
                                    "I_MPI_"sv, "MV2_"sv,   "MVP_"sv};
constexpr std::array mpich_job{"MPIR_CVAR_CH3_INTERFACE_HOSTNAME"sv, "MPICH_INTERFACE_HOSTNAME"sv,
                               "I_MPI_HYDRA_UUID"sv};
constexpr std::array mpich_calls{"MPIR_"sv, "MPICH_"sv, "I_MPI_"sv, "MV2_"sv, "MVP_"sv};
constexpr std::array mpich_launcher{
    "I_MPI_HYDRA"sv, "I_MPI_INFO_"sv, "I_MPI_JOB_"sv, "I_MPI_MPIRUN"sv,    "I_MPI_PERHOST"sv,
    "I_MPI_PIN"sv,   "I_MPI_RMK"sv,   "I_MPI_ROOT"sv, "MV2_COMM_WORLD_"sv, "MVP_COMM_WORLD_"sv};

constexpr NativeRestriction of_alltoall(std::string_view algorithm, bool in_place) {
  return {algorithm, in_place ? in_place_alone : not_in_place,
          in_place ? "--in-place" : "no --in-place", "end the job", &collectives::alltoall};
}

/// Returns the restriction of an algorithm to MPI's own operators. The operator that does not
/// commute is the only one that is not MPI's own.
constexpr NativeRestriction of_own_operators(std::string_view algorithm,
                                             const collectives::Collective& kind) {
  return {algorithm, commutes, "an operator of MPI's own", "end the job", &kind};
}

/// Returns whether the library is older than MPICH 5, or tells no version of it. From 5 on the
/// first barriers on a communicator call an all-reduce of one element, by the same choice.
bool before_mpich_5(const CallShape&) {
  constexpr std::string_view name = "MPICH Version:";
  const std::string version = mpi::library_version();
  const std::size_t found = version.find(name);
  if (found == std::string::npos) return true;
  const std::size_t digit = version.find_first_of("0123456789", found + name.size());
  if (digit == std::string::npos) return true;
  int major = 0;
  std::from_chars(&version[digit], version.data() + version.size(), major);
  return major < 5;
}

/// Returns the restriction of an algorithm that the library refuses where operators do not commute.
constexpr NativeRestriction if_it_commutes(std::string_view algorithm,
                                           const collectives::Collective& kind) {
  return {algorithm, commutes, "an operator that commutes", "end the job", &kind};
}

constexpr std::array mpich_restrictions{
    NativeRestriction{"recursive_doubling", power_of_two, "a power-of-two number of ranks",
                      "choose another instead", &collectives::allgather},
    of_alltoall("brucks", false),
    of_alltoall("k_brucks", false),  // from MPICH 5.0.2 on
    of_alltoall("pairwise", false),
    of_alltoall("scattered", false),
    of_alltoall("pairwise_sendrecv_replace", true),
    NativeRestriction{"smp", never, "several nodes, of which nothing is known here", "end the job",
                      &collectives::bcast},
    NativeRestriction{"smp", never, "several nodes, of which nothing is known here", "end the job",
                      &collectives::reduce},
    NativeRestriction{"reduce_scatter_gather", element_a_member, a_member, "end the job",
                      &collectives::reduce},
    of_own_operators("reduce_scatter_gather", collectives::reduce),
    NativeRestriction{"smp", never, "several nodes, of which nothing is known here", "end the job",
                      &collectives::allreduce},
    if_it_commutes("recursive_multiplying", collectives::allreduce),
    if_it_commutes("ring", collectives::allreduce),
    if_it_commutes("k_reduce_scatter_allgather", collectives::allreduce),
    of_own_operators("reduce_scatter_allgather", collectives::allreduce),
    NativeRestriction{"reduce_scatter_allgather", before_mpich_5,
                      "MPICH before 5, whose barriers call no all-reduce", "fail in a barrier",
                      &collectives::allreduce},
    NativeRestriction{"reduce_scatter_allgather", element_a_member, a_member, "end the job",
                      &collectives::allreduce}};

constexpr std::array mpich_conditions{NativeCondition{
    "MPIR_CVAR_DEVICE_COLLECTIVES", [](std::string_view value) { return value != "all"; }}};

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char letter) { return std::toupper(letter); });
  return result;
}

std::string mpich_variable(const collectives::Collective& collective) {
  return fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM", upper(collective.name));
}

std::vector<std::pair<std::string, int>> mpich_companions(
    const collectives::Collective& collective) {
  constexpr int no = 0;
  constexpr int error = 0;
  return {// The device may have an all-gather of its own, and take that.
          {fmt::format("MPIR_CVAR_{}_DEVICE_COLLECTIVE", upper(collective.name)), no},
          // A restriction that is not in the table above is an error, not another algorithm.
          {"MPIR_CVAR_COLLECTIVE_FALLBACK", error}};
}

constexpr std::array families{
    NativeFamily{.name = "Open MPI",
                 .environment_prefixes = open_mpi_prefixes,
                 .job_variables = open_mpi_job,
                 .call_variables = open_mpi_calls,
                 .launcher_variables = open_mpi_launcher,
                 .variable = open_mpi_variable,
                 .own_choice = "ignore",
                 .read_in_each_call = false,
                 .variable_prefix = "OMPI_MCA_",
                 .needed_at_start = open_mpi_at_start,
                 .read_at_start_only = open_mpi_reads_at_start_only,
                 .conditions = open_mpi_conditions,
                 .companions = nullptr,
                 // Open MPI 5.0 prefers its han component on several nodes; sites add others.
                 .info_key = "ompi_comm_coll_preference",
                 .info_value = "tuned",
                 .restrictions = open_mpi_restrictions},
    NativeFamily{.name = "MPICH",
                 .environment_prefixes = mpich_prefixes,
                 .job_variables = mpich_job,
                 .call_variables = mpich_calls,
                 .launcher_variables = mpich_launcher,
                 .variable = mpich_variable,
                 .own_choice = "auto",
                 .read_in_each_call = true,
                 .variable_prefix = {},
                 .needed_at_start = {},
                 .read_at_start_only = nullptr,
                 .conditions = mpich_conditions,
                 .companions = mpich_companions,
                 .info_key = nullptr,
                 .info_value = nullptr,
                 .restrictions = mpich_restrictions}};

bool begins_with_one_of(std::string_view variable, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto one) { return variable.starts_with(one); });
}

}  // namespace

std::span<const NativeFamily> native_families() { return families; }

bool steers_mpi(std::string_view variable) {
  bool steers = begins_with_one_of(variable, transport_prefixes) ||
                begins_with_one_of(variable, scheduler_prefixes);
  bool is_a_jobs = begins_with_one_of(variable, slurm_job);
  for (const NativeFamily& family : families) {
    steers = steers || begins_with_one_of(variable, family.environment_prefixes);
    is_a_jobs = is_a_jobs || begins_with_one_of(variable, family.job_variables);
  }
  const bool may_be_secret = std::ranges::any_of(formats::secret_words, [&](std::string_view part) {
    return variable.find(part) != variable.npos;
  });
  return steers && !is_a_jobs && !may_be_secret;
}

bool steers_calls(std::string_view variable) {
  if (!steers_mpi(variable)) return false;
  return begins_with_one_of(variable, transport_prefixes) ||
         std::ranges::any_of(families, [&](const NativeFamily& family) {
           return begins_with_one_of(variable, family.call_variables) &&
                  !begins_with_one_of(variable, family.launcher_variables);
         });
}

}  // namespace gatherbench::bench
