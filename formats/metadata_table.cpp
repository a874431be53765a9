// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "formats/metadata.h"

namespace gatherbench::formats {
namespace {

// The roles that there are. All that is part of what was asked must be the same to resume.
constexpr Role run{.resume = true};
constexpr Role cases{.resume = true, .duet = true};
constexpr Role seeded{.resume = true};  // the jobs of a duet agree on one when they meet
// Keys on which a time depends, and which launches that are one sample may have in different
// numbers.
constexpr Role company{.resume = true, .duet = true, .compare = true};
constexpr Role build{.resume = true, .pool = true};  // what a comparison is about
constexpr Role how{.resume = true, .pool = true, .compare = true};
constexpr Role conditions{.resume = true, .duet = true, .pool = true, .compare = true};
// Keys that must agree to pool must agree to resume, too: the rows of a file are one sample.
constexpr Role machine{.resume = true, .pool = true, .compare = true};
// A scheduler gives each launch other hosts of one machine.
constexpr Role compared{.compare = true};
constexpr Role found{.resume = true, .duet = true, .pool = true};
// Other clock rates or another transport are another sample, and may be what is compared.
constexpr Role pooled{.resume = true, .pool = true};

constexpr std::array keys{
    MetadataKey{"suite", "name and version of the suite", build},
    MetadataKey{"mpi", "what the MPI library says of itself", build},
    MetadataKey{"collective", "the collective", cases},
    MetadataKey{"ranks", "number of ranks", cases},
    MetadataKey{"nodes", "number of nodes", found},
    MetadataKey{"ranks_per_node", "number of ranks on each node", conditions},
    MetadataKey{"thread_level", "the thread support that MPI gave", how},
    MetadataKey{"sync", "how ranks come together before an iteration", conditions},
    MetadataKey{"wait",
                "how ranks pass the time until they arrive: busy, sleep or work",
                conditions,
                {},
                false,
                "delay"},
    MetadataKey{"prediction",
                "`--prediction`: where algorithms that predict arrivals have them from", conditions,
                "edge"},
    MetadataKey{"compute", "computation before each rank's delay", conditions},
    MetadataKey{"buffers",
                "`--buffers`: the state of the buffers when a call begins; `cold` with the bytes "
                "that each rank reads before it",
                conditions, "same"},
    MetadataKey{"cycles",
                "`--cycles`: cycles of write, call and read behind each turn of timed calls, in "
                "cases without an arrival pattern",
                conditions, "0"},
    MetadataKey{"read", "`--read`: whether each rank reads the result after each call", conditions,
                "no"},
    MetadataKey{"buffer_offset",
                "`--buffer-offset`: bytes from the begin of a page to that of a buffer, one number "
                "if it is that of both, else `SEND,RECEIVE`; or `random`. The column of this name "
                "tells cases of several launches apart. A file without that column is older: this "
                "number is that of both buffers in all its cases",
                cases, "0"},
    MetadataKey{"buffer_offset_drawn", "with `random`: the bytes that this launch has drawn", run},
    MetadataKey{"pages", "`--pages`: what pages the buffers lie in", conditions, "usual"},
    MetadataKey{
        "buffers_in",
        "`--buffers-in`: whether the buffers lie in memory of the rank's own (`private`), in a "
        "`window`, which the ranks of a node share, or in that of a device (`cuda`, "
        "`cuda-managed`, `hip`)",
        conditions, "private"},
    MetadataKey{"device", "with buffers in a device: what its driver calls it", machine, "none"},
    MetadataKey{"device_driver", "its driver and that one's version", pooled, "none"},
    MetadataKey{"device_of_rank",
                "the number of each rank's device on its node, as the driver counts", how, "none"},
    MetadataKey{"library_settings",
                "what the user and the site have set of the MPI library and its transports, in the "
                "environment and in files, as the library tells it where it does: which algorithm "
                "`native` is depends on it. Behind the name of a file that is read stands a "
                "checksum; `none`: nothing is set; `unlike: `: ranks have unlike settings, and "
                "which ones",
                how},
    MetadataKey{"compiler", "compiler and flags of the suite", build},
    MetadataKey{"sizes", "the block sizes", cases},
    MetadataKey{"algorithms",
                "the algorithms, with their parameters. They take turns as `order` says, so a time "
                "may depend on which others there are. Launches are pooled all the same, since "
                "some algorithms need a launch of their own",
                company},
    MetadataKey{"distributions", "the distributions of block sizes", cases},
    MetadataKey{"arrivals", "the arrival patterns", cases},
    MetadataKey{"mappings", "the mappings", cases},
    MetadataKey{"launched_mapping", "the mapping that the launcher was asked for", cases},
    MetadataKey{
        "placement",
        "how the launched ranks lie on their nodes: sequential, cyclic (on one node all are "
        "sequential) or custom",
        conditions},
    MetadataKey{"pretended_ranks_per_node", "`--ranks-per-node`", how},
    MetadataKey{"topology", "the file of `--topology`", run},
    MetadataKey{"in_place", "`--in-place`: MPI_IN_PLACE", conditions},
    MetadataKey{"datatype", "`--datatype`: what the buffers of an all-gather are counted in",
                conditions, "byte"},
    MetadataKey{"displacements", "`--displacements`: where blocks lie in the receive buffer",
                conditions, "dense"},
    MetadataKey{"root", "`--root`: the rank that all get the block from", conditions},
    MetadataKey{"op", "`--op`: what a reduction combines by", conditions},
    MetadataKey{"type", "`--type`: of the elements", conditions},
    MetadataKey{"gamma", "`--gamma`: the simulated time to combine a byte", conditions, "none"},
    MetadataKey{"charge_schedule",
                "`--charge-schedule`: whether making a schedule counts as part of the call",
                conditions},
    MetadataKey{"groups",
                "`--groups`: which ranks run a collective together, each group beside the others",
                conditions, "none"},
    MetadataKey{"beside", "`--beside`: another collective that is under way in some rounds",
                conditions, "nothing"},
    MetadataKey{"congest",
                "`--congest`: ranks of the launch that are not measured, and in some rounds send "
                "to each other",
                conditions, "nobody"},
    MetadataKey{"overlap",
                "`--overlap`: how often MPI_Test is called in the computation beside a call; calls "
                "are then begun and waited for apart",
                conditions, "none"},
    MetadataKey{"replay",
                "`--replay`: the program whose calls an iteration makes, how many they are, and a "
                "checksum of them and of the gaps between them",
                conditions, "none"},
    MetadataKey{"group_file", "the group of each rank, by the file of `--groups`", conditions},
    MetadataKey{"noncontiguous", "how blocks that do not lie together travel", how},
    MetadataKey{"iterations",
                "timed iterations of each algorithm and case; medians of few differ from those of "
                "many where times are skewed",
                company},
    MetadataKey{"warmup", "untimed iterations before them", conditions},
    MetadataKey{"launch_warmup",
                "untimed exchanges of the largest block between neighbours before the first case, "
                "or for how long",
                conditions, "none"},
    MetadataKey{"order",
                "`--order`: `interleaved:CALLS`, turns of so many calls behind one that is not "
                "counted, or `sequential`; `interleaved` alone, in older files: turns of one call, "
                "none left out",
                conditions},
    MetadataKey{"size_order", "`--size-order`: the order in which sizes are measured", conditions,
                "given"},
    MetadataKey{"seed",
                "of all that is random. Launches that are compared may differ in it, and should: "
                "what the order of the calls does then averages out over them",
                seeded},
    MetadataKey{"check_up_to", "the largest block size that is checked before it is timed",
                conditions},
    MetadataKey{"validation", "whether the result of each timed iteration is checked too",
                conditions},
    MetadataKey{"precision", "`--precision`", cases},
    MetadataKey{"max_time", "`--max-time`", cases},
    MetadataKey{"record_ranks", "whether each rank's times are recorded", run},
    MetadataKey{
        "record_steps",
        "whether the times of each step are recorded, in calls of their own after the timed "
        "ones of a case",
        run, "no"},
    MetadataKey{"record_counters",
                "whether counters of the hosts are read before and after the timed calls of a case",
                run, "no"},
    MetadataKey{"counters_left_out",
                "which sources of counters the hosts have not, or cannot read"},
    MetadataKey{"steps_left_out", "of which algorithms no steps are recorded, and why", run},
    MetadataKey{"duet_name", "this job's name in the duet", run},
    MetadataKey{"note.", "what `--note KEY=VALUE` said", run, {}, true},
    MetadataKey{"distribution_file_", "what a file of block sizes says", conditions, {}, true},
    MetadataKey{"arrival_trace", "the arrival traces, each with its checksum", conditions},
    MetadataKey{
        "schedule_file_", "an algorithm `file:PATH`, with its file's checksum", how, {}, true},
    MetadataKey{"topology_tree", "the switches and hosts that the file of `--topology` names", how},
    MetadataKey{
        "profile_key_",
        "`MAPPING: PLACEMENT SWITCHES`, a key for each mapping: by these two columns a profile "
        "of libagstar knows where ranks are",
        {},
        {},
        true},
    MetadataKey{"cases", "the number of cases: a file that holds fewer is of an unfinished launch"},
    MetadataKey{"duet_partner", "the partner's name in the duet", run},
    MetadataKey{"command", "the command"},
    MetadataKey{"start", "when the launch began"},
    MetadataKey{writer_key, "the process that writes the file: of rank 0"},
    MetadataKey{"hosts", "the hosts", compared},
    MetadataKey{"oversubscribed", "whether there are more ranks than processors", machine},
    MetadataKey{"binding", "ranks and the processors they may use", machine},
    MetadataKey{"clock", "the clock of the ranks, and whether they share it", machine},
    MetadataKey{"clock_reading_us",
                "time between two successive readings of the clock with nothing in between, on the "
                "slowest rank, measured when the launch begins: so much of each time is the "
                "clock's own"},
    MetadataKey{"prepared", "what is prepared before the clock starts"},
    MetadataKey{"model",
                "by `--measure-model`: alpha, beta and tau, of an exchange of all ranks with their "
                "neighbours, in the order in which they were launched"},
    MetadataKey{"model_fit", "how well these fit the measured times, or why there are none"},
    MetadataKey{"model_times", "those times: bytes x messages = microseconds"},
    MetadataKey{"host_memory",
                "by `--measure-model`: bytes of messages a second, of a rank when two of its node "
                "exchange, and of all ranks of a node when they do"},
    MetadataKey{"host_window",
                "by `--measure-model`: of transfers within a node by `via=window` the seconds that "
                "each takes, and the bytes a second, of a rank when two of its node exchange, and "
                "of all ranks of a node when they do in pairs"},
    MetadataKey{"simulated", "whether the times are a simulation's, which have no noise", machine},
    MetadataKey{"computed",
                "by which model `allgather_schedule time` computed the times, without a run; no "
                "key: they are of a run",
                machine, "no"},
    MetadataKey{"kernel", "the operating system", machine},
    MetadataKey{
        "machine.cpu",
        "the processor's model. Keys `machine.…` are what Linux tells of the nodes in /proc "
        "and /sys; what it does not tell (in some containers and virtual machines) has no "
        "key, and a simulation has none. Nodes that differ: numbers as `MIN to MAX`, others "
        "as `2 kinds: A (3 nodes); B (1 node)`",
        machine},
    MetadataKey{"machine.sockets", "processors of a node", machine},
    MetadataKey{"machine.cores", "cores of a node", machine},
    MetadataKey{"machine.threads_per_core", "hardware threads of a core that are online", machine},
    MetadataKey{"machine.numa_nodes", "NUMA nodes of a node", machine},
    MetadataKey{"machine.governor", "what chooses the clock rate", pooled},
    MetadataKey{"machine.turbo", "whether the clock rate may exceed the nominal one", pooled},
    MetadataKey{"machine.cpu_quota",
                "how much processor time the cgroup leaves to all ranks of a node; `none`", pooled},
    MetadataKey{"machine.huge_pages",
                "what Linux does about transparent huge pages: always, madvise or never", pooled},
    MetadataKey{"machine.memory", "bytes of memory of a node"},
    MetadataKey{"machine.network", "network cards of a node that are up"},
    MetadataKey{"transport",
                "what moves the MPI library's bytes, if it tells: Open MPI's point-to-point layer "
                "(pml) and what that works over (btl, mtl), MPICH's device",
                pooled},
    MetadataKey{"mpi_library", "the file that the MPI library was loaded from, with links resolved",
                pooled},
    MetadataKey{"mpi_build_id",
                "that file's build-id, as `readelf -n` prints it: two builds of one version differ "
                "in it",
                pooled},
    MetadataKey{"preload",
                "libraries that `LD_PRELOAD` and `/etc/ld.so.preload` put before all others, with "
                "their build-ids; no key: none",
                pooled},
    MetadataKey{"numa_policy", "where a rank's memory comes from, as `numactl` sets it", pooled},
    MetadataKey{"collective_components", "those that Open MPI has open (coll)", pooled},
    MetadataKey{"load_start",
                "the load average of the last minute before the first case, of the busiest node"},
    MetadataKey{"load_end",
                "the same after the last case, with the launch's own ranks in it; no key: the "
                "launch was ended early. Of a resumed run, of each launch that finished"},
    MetadataKey{"registry", "the suite's algorithms"},
    MetadataKey{"left_out",
                "what this MPI cannot run, and why (simulations have no threads and no MPI_T)"},
    MetadataKey{"env.",
                "variables that steer MPI libraries, transports and Slurm; those that may "
                "hold secrets are left out, and the addresses and sessions of one job (its "
                "number stays)",
                {},
                {},
                true},
    MetadataKey{"chosen_at_start",
                "the `native:NAME` that the MPI library had to be given before it started"},
    MetadataKey{
        "same_messages",
        "algorithms that are one with so many ranks and these nodes, since all ranks have "
        "the same schedule by each of them: `a = b; c = d`. Reports compare the first of "
        "them. Without `--groups` and `--replay`, of algorithms whose schedules do not depend on "
        "the sizes of blocks"},
    MetadataKey{"duet_pair", "the same in the files of the two jobs of a duet"},
    MetadataKey{"duet_begins", "whether this job begins each round"},
    MetadataKey{"duet_address", "where the two jobs of a duet met"},
    MetadataKey{"resumed",
                "written where `--resume` went on: after how many cases, and what was else then"},
};

}  // namespace

std::span<const MetadataKey> metadata_keys() { return keys; }

}  // namespace gatherbench::formats
