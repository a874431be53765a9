// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "formats/column.h"

// The columns of result files: the one table. The header, the rows, the times of a sample and of an
// iteration, the catalogue that the reports read and the reference in docs/ are made from it.
namespace gatherbench::formats::table {

using enum ColumnRole;
using enum Filled;

template <auto member>
std::optional<double> of_rank(const Row& row) {
  return row.rank_times == nullptr ? std::optional<double>() : row.rank_times->*member;
}

template <auto member>
std::string_view text_of_part(const Row& row) {
  return row.part == nullptr ? std::string_view() : row.part->*member;
}

template <auto member>
std::optional<std::int64_t> integer_of_part(const Row& row) {
  return row.part == nullptr ? std::optional<std::int64_t>() : row.part->*member;
}

template <auto member>
std::optional<double> of_part(const Row& row) {
  return row.part_times == nullptr ? std::optional<double>() : row.part_times->*member;
}

template <auto member>
std::string_view text_of_change(const Row& row) {
  return row.change == nullptr ? std::string_view() : row.change->*member;
}

template <auto member>
std::string_view text_of_key(const Row& row) {
  return row.key->*member;
}

template <auto member>
std::optional<std::int64_t> integer_of_key(const Row& row) {
  return row.key->*member;
}

/// The columns, in the order of the files.
inline constexpr std::array columns{
    Column{"collective", "", "`allgather` (MPI_Allgather's meaning) or `allgatherv`", case_key,
           always, File::all, &text_of_key<&CaseKey::collective>},
    Column{"algorithm", "",
           "the name as `--algorithms` takes it; `native` is the library's own choice, "
           "`native:ring` what it calls ring. Of counters: `together` where the calls of several "
           "took turns",
           label, always, File::all, [](const Row& row) { return row.algorithm; }},
    Column{"distribution", "",
           "how block sizes differ between ranks; `replay`: as a recorded program has them "
           "(`--replay`)",
           case_key, always, File::all, &text_of_key<&CaseKey::distribution>},
    Column{"arrival", "", "the arrival pattern that was injected; `none`", case_key, always,
           File::all, &text_of_key<&CaseKey::arrival>},
    Column{"mapping", "", "the mapping that was asked for, by `--mapping` or of the launcher",
           case_key, always, File::all, &text_of_key<&CaseKey::mapping>},
    Column{
        "group", "",
        "with `--groups`: whose times they are, a group's by its number or name, or `slowest`: in "
        "each iteration the group with the largest `avg_us`; else `all`",
        case_key, always, File::all, &text_of_key<&CaseKey::group>, all_ranks},
    Column{"beside", "",
           "what went on at the same time: `groups`, the other groups' calls of the same "
           "algorithm; the traffic of `--beside`; `computation` of `--overlap`; or `nothing`",
           case_key, always, File::all, &text_of_key<&CaseKey::beside>, nothing_beside},
    Column{
        "buffer_offset", "",
        "`--buffer-offset` as `SEND,RECEIVE`: how many bytes behind the begin of a page the send "
        "and the receive buffer begin (in place, of the receive buffer alone; with "
        "`--buffers rotate`, of the ring of buffers); `random`: each launch has drawn both",
        case_key, always, File::all, &text_of_key<&CaseKey::buffer_offset>, at_pages},
    Column{"ranks", "",
           "number of ranks; of a group, its own; of `slowest`, those of the largest one", case_key,
           always, File::all, &integer_of_key<&CaseKey::ranks>},
    Column{"nodes", "",
           "number of nodes (groups of ranks that share memory) on which the ranks were found",
           label, always, File::all, &integer_of_key<&CaseKey::nodes>},
    Column{"bytes", "B",
           "the base size c that is swept: each block of `regular`, and what the others are "
           "multiples of; of `replay` what a rank contributes to all calls of an iteration "
           "together, the mean over the ranks, rounded up",
           case_key, always, File::all, &integer_of_key<&CaseKey::bytes>},
    Column{"total_bytes", "B",
           "sum of all blocks that a rank ends with; of `replay` that of all calls of an "
           "iteration, on the rank that gets most",
           label, always, File::all, &integer_of_key<&CaseKey::total_bytes>},
    Column{"iteration", "",
           "0, 1, ... within the case; equal numbers of two algorithms were neighbours in time",
           label, timed, File::of_iterations, [](const Row& row) { return row.iteration; }},
    Column{"rank", "", "the rank, of a group too by its number in the launch", label, timed,
           File::of_ranks, [](const Row& row) { return row.rank; }},
    Column{
        "part", "",
        "`before` the first step (copies), a `step`, or `after` the last one (copies, tokens that "
        "are still on their way, a broadcast at the end)",
        label, timed, File::steps, &text_of_part<&PlanPart::name>},
    Column{
        "step", "",
        "0, 1, ...: the rank's step; -1 before the first, and the number of steps after the last",
        label, timed, File::steps, &integer_of_part<&PlanPart::step>},
    Column{"to", "", "the ranks that it sends to, rising: `0-2;5` is 0, 1, 2 and 5", label, timed,
           File::steps, &text_of_part<&PlanPart::to>},
    Column{"from", "", "the ranks that it receives from, likewise", label, timed, File::steps,
           &text_of_part<&PlanPart::from>},
    Column{"sent_bytes", "B", "what it sends in this step, without headers of messages", label,
           timed, File::steps, &integer_of_part<&PlanPart::sent_bytes>},
    Column{"received_bytes", "B", "what it receives, likewise", label, timed, File::steps,
           &integer_of_part<&PlanPart::received_bytes>},
    Column{"barrier", "", "1 if all ranks wait for each other before its messages, else 0", label,
           timed, File::steps, &integer_of_part<&PlanPart::barrier>},
    Column{"arrived_us", "µs",
           "the rank's arrival in this call minus the first rank's, by the ranks' common clock",
           measured, timed, File::steps, &of_part<&PartTimes::arrived_us>},
    Column{"start_us", "µs",
           "when the part began, since the rank's own arrival in this call, by its own clock: "
           "before the step's barrier, if it has one, packing and posting",
           measured, timed, File::steps, &of_part<&PartTimes::start_us>},
    Column{"end_us", "µs", "when it ended, likewise: after waiting for its messages and unpacking",
           measured, timed, File::steps, &of_part<&PartTimes::end_us>},
    Column{"host", "", "whose counter it is", label, always, File::counters,
           &text_of_change<&CounterChange::host>},
    Column{"counter", "", "its source, what it is of, and the kernel's word: `net/eth0/tx_bytes`",
           label, always, File::counters, &text_of_change<&CounterChange::counter>},
    Column{"unit", "", "`B`, `packets`, `segments`, `uJ`, `us`, `ms`, `periods`, `ticks`, `events`",
           label, always, File::counters, &text_of_change<&CounterChange::unit>},
    Column{"difference", "",
           "by how much it rose from just before the first timed call to just after the last; "
           "empty with a reason",
           measured, always, File::counters,
           [](const Row& row) {
             return row.change == nullptr ? std::optional<std::int64_t>() : row.change->difference;
           }},
    Column{"between_us", "µs", "time between the two readings", measured, always, File::counters,
           [](const Row& row) {
             return row.change == nullptr ? std::optional<double>() : row.change->between_us;
           }},
    Column{"calls", "", "calls between them, of all algorithms, timed or not", label, always,
           File::counters,
           [](const Row& row) {
             return row.change == nullptr ? std::optional<std::int64_t>() : row.change->calls;
           }},
    Column{"elapsed_us", "µs", "the rank's elapsed time: its exit minus its arrival", measured,
           timed, File::ranks, &of_rank<&RankTimes::elapsed_us>},
    Column{"asked_us", "µs", "the delay that the arrival pattern asked of the rank", measured,
           arrival_pattern, File::ranks, &of_rank<&RankTimes::asked_us>},
    Column{"achieved_us", "µs", "the delay that the rank had", measured, arrival_pattern,
           File::ranks, &of_rank<&RankTimes::achieved_us>},
    Column{"computed_us", "µs",
           "the rank's time from the synchronisation (with `--sync none`: from when its buffers "
           "were ready) to its arrival, if it computes (`--compute`) or is delayed",
           measured, processing, File::ranks, &of_rank<&RankTimes::computed_us>},
    Column{"min_us", "µs", "smallest elapsed time over the ranks, of this iteration", measured,
           timed, File::results, OverRanks::derived},
    Column{"avg_us", "µs", "mean elapsed time over the ranks, of this iteration", measured, timed,
           File::results, OverRanks::derived},
    Column{"max_us", "µs", "largest elapsed time over the ranks, of this iteration", measured,
           timed, File::results, OverRanks::derived},
    Column{"run_us", "µs", "last exit minus first arrival", measured, timed, File::results,
           OverRanks::derived},
    Column{"period_us", "µs",
           "with `--sync none`: last exit minus the last exit of the call before, of whichever "
           "algorithm, so that the mean is the time of a whole run over its number of calls; empty "
           "for the first call of a batch",
           measured, back_to_back, File::results, OverRanks::derived},
    Column{"cycle_us", "µs",
           "what a program sees: the mean time of a cycle of writing what is sent, the call, and "
           "reading the result, of the `cycles` that follow each turn without a clock or a barrier "
           "between; mean over the ranks; on the last iteration of the turn, empty on the others",
           measured, end_of_turn, File::results, OverRanks::mean},
    Column{"write_us", "µs",
           "with `--buffers fresh`: writing what the rank sends, before the ranks are synchronised "
           "for this call; mean over the ranks; in none of the other times but `cycle_us`",
           measured, written, File::results, OverRanks::mean},
    Column{"read_us", "µs",
           "with `--read`: reading the whole result after this call; mean over the ranks; in none "
           "of the other times but `cycle_us`",
           measured, read, File::results, OverRanks::mean},
    Column{"imbalance_us", "µs",
           "last arrival minus first arrival: the pattern's, and what the synchronisation left",
           measured, timed, File::results, OverRanks::derived},
    Column{"asked_imbalance_us", "µs",
           "largest minus smallest arrival time that the pattern asked for in this iteration; "
           "empty for `none`",
           measured, arrival_pattern, File::results, OverRanks::derived},
    Column{"asked_run_us", "µs",
           "as `run_us`, by the arrivals that the pattern asked for and each rank's elapsed time, "
           "so without the common clock: the largest sum of the two, minus the smallest asked "
           "arrival; empty for `none`",
           measured, arrival_pattern, File::results, OverRanks::derived},
    Column{"delay_error_us", "µs",
           "how far the worst rank's achieved delay was from the asked one: the largest absolute "
           "difference; empty for `none`",
           measured, arrival_pattern, File::results, OverRanks::derived},
    Column{
        "message_us", "µs",
        "time of one block of c bytes between two ranks (`t`) while another goes the other way, as "
        "in a step of a ring; measured before the case, empty where nothing needs it",
        measured, message_time, File::results, [](const Row& row) { return row.message_us; }},
    Column{"clock_error_us", "µs",
           "by how much the ranks' common clock may be wrong in this iteration, and so "
           "`imbalance_us` and `run_us`, at most; it grows with the time to the clock's last "
           "synchronisation; 0 where the ranks share a clock",
           measured, timed, File::results, OverRanks::derived},
    Column{"line_before_us", "µs",
           "how long a cache line takes to a neighbour rank on the node and back, measured before "
           "the batch of calls that this one is of, on the slowest node: it tells the states of a "
           "machine apart; empty where no two ranks share a node",
           measured, shared_node, File::results, OverRanks::derived},
    Column{"line_after_us", "µs", "the same, after that batch", measured, shared_node,
           File::results, OverRanks::derived},
    Column{"prediction_error_us", "µs",
           "of an algorithm that predicts arrivals: how far the worst rank was from its predicted "
           "arrival; empty for others",
           measured, prediction, File::results, OverRanks::largest},
    Column{"helper_us", "µs",
           "of such an algorithm: processor time that its helper thread took on the busiest rank, "
           "which the computation may miss; empty for others",
           measured, prediction, File::results, OverRanks::largest},
    Column{"schedule_us", "µs",
           "of a reduction that predicts arrivals: making its schedule for this iteration, on the "
           "slowest rank; in the times with `--charge-schedule` only; 0 where the one before fits; "
           "empty with `--prediction edge`, whose helper thread makes it, and for others",
           measured, prediction, File::results, OverRanks::largest},
    Column{"overlapped_us", "µs",
           "with `--overlap`: the computation between the begin of the call and the wait for its "
           "end, without the calls of MPI_Test; mean over the ranks; part of the elapsed time; "
           "empty where nothing is computed",
           measured, overlap, File::results, OverRanks::mean},
    Column{"chosen", "",
           "of `adaptive`: the algorithm that it took in this iteration; empty for others", label,
           selection, File::results, [](const Row& row) { return row.chosen; }},
    Column{"prepare_us", "µs",
           "time to make schedule, plan and datatypes for this case, on the slowest rank; before "
           "the clock starts, so in none of the times; the same on every row of an algorithm and "
           "case",
           measured, timed, File::results, [](const Row& row) { return row.prepare_us; }},
    Column{"status", "", "whether the row has a time that counts", label, always, File::results,
           [](const Row& row) { return name_of(row.status); }},
    Column{"reason", "", "why the status is not `ok`", label, always, File::results,
           [](const Row& row) { return row.reason; }},
    Column{"reason", "", "why there is no difference", label, always, File::counters,
           &text_of_change<&CounterChange::reason>},
};

}  // namespace gatherbench::formats::table
