//! Figures of key-value suites.

use super::Figure;
use crate::figures::key_value::{
    capabilities, compaction, components, grid, latency, mapping, replay, scaling, stores, timeline,
};
use crate::figures::{closed_loop, engine};

pub(super) const FIGURES: [Figure; 27] = [
    Figure {
        name: "throughput-memory",
        title: "Throughput of key-value stores, and the memory they hold for it",
        question: "What throughput do stores reach, and how much memory do they hold for it?",
        source: "Nibble (PVLDB 2017) section 5.4, mixes of Fig. 13 on one machine",
        suites: &["store-throughput"],
        caption: "Above, operations per second of wall time, GETs and PUTs of existing keys as \
                  fast as they are answered. Below, resident ÷ live value bytes right after that \
                  step. The store null keeps nothing: its throughput is the price of the harness \
                  alone, and it holds no values. Bars far above the others are cut and their \
                  value is printed.",
        script: script!("throughput-memory"),
        value: "mops",
        build: |_, rows| closed_loop::throughput_memory(rows),
    },
    Figure {
        name: "index-layouts",
        title: "Layouts of the index",
        question: "What do the three layouts of the index cost and give?",
        source: "Nibble (PVLDB 2017) section 3.1; layouts of its text, of its source, and of ours",
        suites: &["index-layouts"],
        caption: "Above, bytes of index for each live key by the store's own census after the load \
                  (base: live keys, 8 bytes each and not counted), over the number of keys; a \
                  point for each fill of the same object memory. Below, operations per second of \
                  wall time of all threads together, single and in batches. The layouts: text, 15 \
                  entries in two lines; keyed, the same with the keys beside the entries in four \
                  lines; tagged, ten tagged entries in one line. All else is the best \
                  configuration.",
        script: script!("index-layouts"),
        value: "mops",
        build: |_, rows| engine::index_layouts(rows),
    },
    Figure {
        name: "engine-knobs",
        title: "Knobs of the engine, one at a time",
        question: "What is each knob of the engine worth, turned alone from the best \
                   configuration?",
        source: "dissertation chapter 6: the choices it evaluates, on one machine",
        suites: &["engine-knobs"],
        caption: "Operations per second of wall time with one knob turned ÷ the median of the best \
                  configuration (dashed line at 1); error bars are shares of that \
                  median too. Uniform keys, 50 % GET, two threads, and a \
                  log in which compaction has work. The knobs are those of nibble::Config.",
        script: script!("engine-knobs"),
        value: "ratio",
        build: |_, rows| engine::engine_knobs(rows),
    },
    Figure {
        name: "ycsb-threads",
        title: "Throughput over threads",
        question: "How does throughput grow with threads, under uniform and skewed keys?",
        source: "Nibble (PVLDB 2017) Fig. 13",
        suites: &["ycsb-threads"],
        caption: "Operations per second of wall time of all threads together over the number of \
                  threads, from 0; a panel for each key distribution and share of GETs, the rest \
                  updates. Grey: the roofline, the same requests against plain memory without a \
                  store; where it is far above all stores the axis does not reach it and its \
                  highest value is printed. The paper's \
                  machine had many sockets and cores; threads here are those that the suite asks \
                  for, on this machine.",
        script: script!("ycsb-threads"),
        value: "value",
        build: |_, rows| scaling::over_threads("ycsb-threads", rows),
    },
    Figure {
        name: "nibble-2",
        title: "Updates in place beside appended updates",
        question: "What do updates in place gain or cost beside appending every value?",
        source: "dissertation Fig. 30-31",
        suites: &["ycsb-threads"],
        caption: "Throughput with updates in place ÷ throughput of the same store appending \
                  (base: the appended side of the same repetition, so that both saw the same \
                  operations; 1 is no difference), over the share of GETs, a line for each number \
                  of threads and a panel for each key distribution. n counts pairs of processes. \
                  The axis need not begin at 0.",
        script: script!("nibble-2"),
        value: "value",
        build: |_, rows| scaling::in_place_ratio(rows),
    },
    Figure {
        name: "rivals",
        title: "The paper's rivals over threads",
        question: "How do the paper's rivals scale with threads, under uniform and skewed keys?",
        source: "Nibble (PVLDB 2017) Fig. 13",
        suites: &["rivals"],
        caption: "Operations per second of wall time of all threads together over the number of \
                  threads, from 0; a panel for each key distribution and share of GETs, the rest \
                  updates. MICA as the paper configured it (any thread on any partition) is a line, \
                  its exclusive partitions another: there each request was dealt to the worker of \
                  its key before the clock, and the run ends with the last. RAMCloud as one \
                  instance and as two. Grey: the roofline, the same requests against plain memory.",
        script: script!("rivals"),
        value: "value",
        build: |_, rows| scaling::over_threads("rivals", rows),
    },
    Figure {
        name: "capabilities",
        title: "Capabilities, measured",
        question: "Which stores keep their memory whole, scale on reads, updates and inserts, and \
                   bear high utilisation?",
        source: "Nibble (PVLDB 2017) Table 2",
        suites: &["capabilities", "rivals", "store-bloat"],
        caption: "Uniform keys, values of 1 KiB. From above: throughput of two threads ÷ one under \
                  GETs, under updates, under inserts (the same repetition of both); throughput at \
                  90 % ÷ at 20 % fill of two threads with 50 % GET; memory ÷ live values after the sizes changed, the \
                  worst of the patterns P1 to P6 (resident; of stores that bind memory their \
                  capacity). The table rates these as the paper's does: ● at least 1.6 of two \
                  threads, 0.8 of the throughput at 20 % fill, at most 1.25 of the live bytes; ○ at \
                  least 1.2, 0.5, at most 1.6; × less, · not measured. Two threads on two cores, \
                  where the paper had 240: what would stop to scale later cannot be seen here.",
        script: script!("capabilities"),
        value: "value",
        build: |_, rows| capabilities::capabilities(rows),
    },
    Figure {
        name: "mica-modes",
        title: "MICA's modes",
        question: "What do MICA's access modes, its cache and its batches give?",
        source: "Lim's thesis section 5.4",
        suites: &["mica-modes"],
        caption: "Above, operations per second of wall time of two threads, 50 % GET; below, the \
                  time against plain memory (the roofline under the same requests) ÷ the store's \
                  own. Where keys belong to workers, requests are dealt before the clock and the \
                  run ends with the last, so a hot partition slows all. The cache may evict and is \
                  no store: its mark says so.",
        script: script!("mica-modes"),
        value: "value",
        build: |_, rows| stores::side_by_side("mica-modes", &stores::SPEED, rows),
    },
    Figure {
        name: "servers",
        title: "Servers behind sockets",
        question: "What do servers behind UNIX sockets cost, and what does pipelining give back?",
        source: "Nibble (PVLDB 2017) section 5.1",
        suites: &["servers"],
        caption: "Above, operations per second of wall time of two threads against two servers, \
                  single operations and batches of 64 in a pipeline. Below, resident memory of \
                  all processes together ÷ live value bytes; an empty server's memory is in it and \
                  by itself in the rows (empty_server_resident_bytes). Valkey with the C library's \
                  allocator, and with others preloaded.",
        script: script!("servers"),
        value: "value",
        build: |_, rows| stores::side_by_side("servers", &stores::SPEED_AND_MEMORY, rows),
    },
    Figure {
        name: "fig11",
        title: "Postmark: time to completion over threads",
        question: "How does the time to replay Postmark grow with threads, each with a working set of \
                   its own?",
        source: "Nibble (PVLDB 2017) Fig. 11",
        suites: &["postmark-scaling"],
        caption: "Above, wall time from the first request of any thread to the last of all; each \
                  thread replays the whole trace on keys of its own (weak scaling), so a store that \
                  scales stays level. Below, the highest of the memory samples ÷ the value bytes \
                  where most are live; a store that is given its memory ahead holds all of it. The \
                  trace is PostMark's as TableFS maps files to rows, requests staged before the \
                  clock. The paper's machine had 240 hardware threads: threads here are this \
                  machine's.",
        script: script!("fig11"),
        value: "value",
        build: |_, rows| replay::weak_scaling(rows),
    },
    Figure {
        name: "fig12",
        title: "Postmark: time to completion over memory utilisation",
        question: "What does memory utilisation cost under Postmark?",
        source: "Nibble (PVLDB 2017) Fig. 12",
        suites: &["postmark-utilisation"],
        caption: "Above, wall time of the same trace, each thread on keys of its own, over the fill \
                  (live object bytes ÷ object memory at the moment where most is live); below, the \
                  highest of the memory samples ÷ the value bytes where most are live. A cross on \
                  the axis: the store refused at that fill in at least one process.",
        script: script!("fig12"),
        value: "value",
        build: |_, rows| replay::over_utilisation(rows),
    },
    Figure {
        name: "real-traces",
        title: "Real traces",
        question: "How do stores fare under traces of real systems, in throughput and in memory?",
        source: "no figure of the papers; traces in public formats, imported",
        suites: &["real-traces"],
        caption: "Above, operations per second of wall time; below, the highest of the memory \
                  samples ÷ the value bytes where most are live. A trace's operations on a key \
                  keep their order. Sizes are scaled down where the trace is larger than the \
                  scale's stores; its header says by how much.",
        script: script!("real-traces"),
        value: "value",
        build: |_, rows| replay::real_traces(rows),
    },
    Figure {
        name: "maps",
        title: "Maps that people use",
        question: "How fast are the maps that people use, with values on the same heap?",
        source: "no figure of the papers",
        suites: &["maps"],
        caption: "Above, operations per second of wall time of two threads; in the middle, the time \
                  against plain memory (the roofline under the same requests) ÷ the map's own; below, \
                  resident ÷ live value bytes right after that step; a store that is given its memory \
                  ahead holds all of it, however little is filled.",
        script: script!("maps"),
        value: "value",
        build: |_, rows| stores::side_by_side("maps", &stores::ALL, rows),
    },
    Figure {
        name: "embedded",
        title: "Ordered and embedded stores in memory",
        question: "What do ordered and embedded stores do in memory, with and without scans?",
        source: "YCSB core workloads B and E",
        suites: &["embedded"],
        caption: "Operations per second of wall time of two threads; a scan is one operation. RocksDB \
                  without its log and LevelDB and LMDB in a file system in memory, nothing \
                  synchronised. Bars far above the others are cut and their value is printed.",
        script: script!("embedded"),
        value: "value",
        build: |_, rows| stores::side_by_side("embedded", &stores::SPEED, rows),
    },
    Figure {
        name: "heaps-in-stores",
        title: "Allocators under key-value traffic",
        question: "What does the allocator below a store cost and save when values change their size?",
        source: "Nibble (PVLDB 2017) section 5",
        suites: &["heaps-in-stores"],
        caption: "Above, operations per second of wall time of two threads that delete and insert, \
                  in the middle the time against plain memory (the roofline under the same requests) \
                  ÷ the store's own, below resident ÷ live value bytes right after that step. The \
                  stores differ in the allocator alone: an index over objects on a heap, and \
                  Masstree, whose nodes and rows are on it.",
        script: script!("heaps-in-stores"),
        value: "value",
        build: |_, rows| stores::side_by_side("heaps-in-stores", &stores::ALL, rows),
    },
    Figure {
        name: "utilisation",
        title: "What memory utilisation costs",
        question: "What does memory utilisation cost in throughput and in the tail of PUTs?",
        source: "Nibble (PVLDB 2017) Fig. 14, dissertation Fig. 29",
        suites: &["utilisation"],
        caption: "Above, operations per second of wall time over the fill (live object bytes ÷ \
                  object memory, set before the clock); below, the 99.9th percentile of the \
                  latency of updates, one operation in 64 timed, in a closed loop. The object \
                  memory was rewritten once before the clock, so compaction is at work. A cross \
                  on the axis: the store refused at that fill in at least one process. Stores \
                  without a bound of their own take the memory they need at every fill. Grey: the \
                  roofline, the same requests against plain memory.",
        script: script!("utilisation"),
        value: "value",
        build: |_, rows| scaling::utilisation(rows),
    },
    Figure {
        name: "components",
        title: "Epoch, placement and heads",
        question: "What do the epoch, the placement and the number of heads contribute?",
        source: "Nibble (PVLDB 2017) Fig. 8a-c",
        suites: &["components"],
        caption: "Operations per second of wall time, each panel with its own axis from 0. Epoch: \
                  how a thread announces that it reads, over threads. Placement: where objects \
                  go, on two virtual nodes: the paper's machine had several sockets; two virtual \
                  nodes on one socket show what the code costs and nothing of distant memory. \
                  Heads: heads per node, chosen by core or at random, under updates alone.",
        script: script!("components"),
        value: "value",
        build: |_, rows| components::components(rows),
    },
    Figure {
        name: "segment-block",
        title: "Sizes of segments and blocks",
        question: "Which segment and block sizes suit a store that is 90 % full?",
        source: "dissertation Fig. 21-23",
        suites: &["segment-block"],
        caption: "Throughput in Mops/s of wall time in each field, darker is more, a panel for each \
                  size of values; the frame marks the highest median of a panel. Below each median the 95 % interval over processes (of fewer \
                  than three processes their range).",
        script: script!("segment-block"),
        value: "value",
        build: |_, rows| compaction::segment_block(rows),
    },
    Figure {
        name: "compaction-workers",
        title: "Compaction workers",
        question: "How many compaction workers does a store need, and does it need them at all?",
        source: "dissertation Fig. 24",
        suites: &["compaction-workers"],
        caption: "Above, operations per second of wall time over the number of background \
                  compaction workers; below, CPU time of the whole process, workers included, \
                  for an operation. Dashed level with its interval as a band: no workers, threads \
                  that write compact themselves. A panel for each fill. Where threads and workers \
                  together outnumber the cores, they share them.",
        script: script!("compaction-workers"),
        value: "value",
        build: |_, rows| compaction::workers(rows),
    },
    Figure {
        name: "copy-routine",
        title: "The routine that compaction copies with",
        question: "Does the routine that compaction copies with matter, alone and end to end?",
        source: "dissertation Fig. 25-26",
        suites: &["copy-routine"],
        caption: "Operations per second of wall time of all threads together by value size and copy \
                  routine, in a log so full that compaction copies much; below, bytes copied by \
                  the routine alone, on one thread.",
        script: script!("copy-routine"),
        value: "value",
        build: |_, rows| compaction::copy_routine(rows),
    },
    Figure {
        name: "put-latency",
        title: "Latency of inserts and updates",
        question: "How long do inserts and updates take, appended and in place?",
        source: "dissertation Fig. 32-33",
        suites: &["put-latency"],
        caption: "Percentiles of the latency of PUTs, a panel for each kind and value size; every \
                  operation is timed, in a closed loop (timing costs some 50 ns an operation and \
                  is in the numbers). Logarithmic axis. Grey: the roofline, the same requests \
                  against plain memory.",
        script: script!("put-latency"),
        value: "value",
        build: |_, rows| latency::put_latency(rows),
    },
    Figure {
        name: "open-loop",
        title: "Latency of requests that keep to a schedule",
        question: "What latency do requests see that are sent whether earlier ones are answered \
                   or not?",
        source: "no figure of the papers: coordinated omission, which closed loops hide",
        suites: &["open-loop"],
        caption: "Latency over the scheduled rate of all threads together, both axes logarithmic. \
                  Thick: from the scheduled start, waits in the queue included. Thin, dotted: from \
                  the real start (service time), as a closed loop would report it. Every request \
                  is timed. Open circles: in at least one process the store answered less than \
                  95 % of the rate, so its latency grows with the length of the run.",
        script: script!("open-loop"),
        value: "value",
        build: |_, rows| latency::open_loop(rows),
    },
    Figure {
        name: "ycsb-core",
        title: "YCSB's core workloads",
        question: "What throughput do stores reach under YCSB's core workloads?",
        source: "YCSB core workloads A to F",
        suites: &["ycsb-core"],
        caption: "Above, operations per second of wall time of all threads together; a scan is one \
                  operation. Below, where rows have it, efficiency: the time an operation takes \
                  against plain memory (the roofline store under the same requests) ÷ the store's \
                  own. Scans are asked of ordered stores only. Bars far above the others are cut \
                  and their value is printed.",
        script: script!("ycsb-core"),
        value: "value",
        build: |_, rows| stores::ycsb_core(rows),
    },
    Figure {
        name: "first-touch",
        title: "The first touch of memory",
        question: "What does the first touch of memory cost, which every other measurement keeps \
                   out of its clock?",
        source: "no figure of the papers",
        suites: &["first-touch"],
        caption: "Above, inserts per second of wall time into memory that was made resident before \
                  the clock, and into memory that is touched first within it; below, system time \
                  ÷ CPU time of the whole process in that step. Stores that bind no memory cannot \
                  make it resident ahead: what they insert is first touched within the clock on \
                  both sides.",
        script: script!("first-touch"),
        value: "value",
        build: |_, rows| stores::first_touch(rows),
    },
    Figure {
        name: "mapping-cost",
        title: "Mapping memory that is there already",
        question: "What does it cost to map memory that is there already, by the region's size?",
        source: "dissertation Fig. 6, Fig. 37",
        suites: &["mapping-cost"],
        caption: "Medians of the time of one mmap that fills the page tables of a region whose memory \
                  was allocated before the clock, and of the munmap that empties them; below, that \
                  time ÷ the pages of the region. All axes logarithmic. Threads of one process each \
                  have a region of their own of the size on the axis.",
        script: script!("mapping-cost"),
        value: "value",
        build: |_, rows| mapping::mapping_cost(rows),
    },
    Figure {
        name: "timeline",
        title: "Throughput and latency over time",
        question: "Are throughput and latency steady while a store is on the clock?",
        source: "no figure of the papers",
        suites: &["open-loop"],
        caption: "Above, operations per second; below, the 99th percentile of the latency, of each \
                  second on the clock. One process (the first repetition) of each of the at most \
                  six cells that were longest on the clock, 5 s at least; a panel for each \
                  workload. In open loops latency counts from the scheduled start.",
        script: script!("timeline"),
        value: "value",
        build: timeline::timeline,
    },
    Figure {
        name: "grid",
        title: "Grids of your own",
        question: "What comes of the settings that were varied?",
        source: "your own suites",
        suites: &[],
        caption: "Key-value cells that no built-in suite asks for, arranged by what varies among \
                  them: fields where two settings are numbers, lines where one is, else bars. \
                  Throughput is operations per second of wall time of all threads together; lines \
                  have the 99th percentile of the latency below. Dashed levels: cells without the \
                  setting on the axis.",
        script: script!("grid"),
        value: "value",
        build: |_, rows| grid::grid(rows),
    },
];
