//! Figures of traces: what programs asked for, whatever store answered.

use super::Figure;
use crate::figures::traces;

pub(super) const FIGURES: [Figure; 5] = [
    Figure {
        name: "fig10a",
        title: "How often objects are accessed",
        question: "How much of a trace goes to objects that are used a few times only?",
        source: "Nibble (PVLDB 2017) Fig. 10a",
        suites: &["postmark-scaling"],
        caption: "Share of all operations that are on objects accessed at most so many times in \
                  the whole trace; dotted, share of the objects. An object is a key, an access any \
                  operation on it. Grey, with a trace of Postmark: the paper's, of whose \
                  operations 80 % are on objects accessed 18 times or less.",
        script: script!("fig10a"),
        value: "value",
        build: |folder, _| traces::accesses(folder),
    },
    Figure {
        name: "fig10b",
        title: "What operations do over the length of a trace",
        question: "What share of the operations creates, changes and removes objects, and when?",
        source: "Nibble (PVLDB 2017) Fig. 10b",
        suites: &["postmark-scaling"],
        caption: "Shares of operations in equal steps of the trace, by what they meet: a GET hits \
                  where the trace stored the key before and did not delete it since, a PUT of such \
                  a key overwrites, any other inserts. In the table, the phases: creation ends \
                  before the first DELETE that finds its key, deletion begins after the last \
                  insert, the steady phase is between.",
        script: script!("fig10b"),
        value: "high",
        build: |folder, _| traces::kinds(folder),
    },
    Figure {
        name: "trace-live",
        title: "Live bytes over the length of a trace",
        question: "How much must a store or an allocator hold, and when?",
        source: "Nibble (PVLDB 2017) Table 4, working set of the trace",
        suites: &["postmark-scaling", "malloc-traces", "real-traces"],
        caption: "Bytes of the values that are stored, or of the objects that are allocated, as \
                  asked for and without anything that a store adds, at equal steps of the trace. \
                  Each panel has its own axis; its title says how many operations or events the \
                  trace has.",
        script: script!("trace-live"),
        value: "value",
        build: |folder, _| traces::live(folder),
    },
    Figure {
        name: "trace-sizes",
        title: "Sizes in a trace",
        question: "What sizes do programs ask for?",
        source: "no figure of the papers",
        suites: &["postmark-scaling", "malloc-traces", "real-traces"],
        caption: "Share of all sizes that are at most so large: of the values of PUTs, each PUT \
                  counted; of those of GETs where a trace has no PUT; of allocations and \
                  reallocations. Sizes of eight classes to a power of two; a size of 0 stands at \
                  1.",
        script: script!("trace-sizes"),
        value: "value",
        build: |folder, _| traces::sizes(folder),
    },
    Figure {
        name: "trace-reuse",
        title: "How soon objects are used again",
        question: "How many objects must be at hand for how much of a trace?",
        source: "no figure of the papers",
        suites: &["postmark-scaling", "malloc-traces", "real-traces"],
        caption: "Share of all operations whose key is among so many objects used last, which is \
                  the hit ratio of a cache of that many objects that evicts the one least recently \
                  used. Every operation is a use. What the line does not reach are operations that \
                  are the first on their key. Where the table says so, distances are those of a \
                  sample of the keys.",
        script: script!("trace-reuse"),
        value: "value",
        build: |folder, _| traces::reuse(folder),
    },
];
