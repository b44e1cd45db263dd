//! Figures of predictions, apart from all that is measured.

use super::Figure;
use crate::figures::model;

pub(super) const FIGURES: [Figure; 3] = [
    Figure {
        name: "model-fig8",
        title: "Predicted, not measured: epoch, placement and heads on 240 cores",
        question: "What would epoch, placement and heads contribute on the paper's machine, by a model?",
        source: "Nibble (PVLDB 2017) Fig. 8a-c",
        suites: &["components"],
        caption: "A model's prediction, not a measurement: a closed queueing network with the costs \
                  of the paper's machine (harness/suites/model.toml), fitted to one thread here. Both \
                  axes logarithmic; n = 0 in the table. Points are measured on this machine, and are \
                  there to check the lines at the few threads it has. What the model takes for \
                  granted is listed below; shapes are to be compared with the paper's, not numbers.",
        script: script!("model-fig8"),
        value: "value",
        build: |_, rows| model::breakdown(rows),
    },
    Figure {
        name: "model-fig11",
        title: "Predicted, not measured: Postmark on 240 cores",
        question: "How would the time to replay Postmark grow on the paper's machine, by a model?",
        source: "Nibble (PVLDB 2017) Fig. 11",
        suites: &["postmark-scaling"],
        caption: "A model's prediction, not a measurement: a closed queueing network with the costs \
                  of the paper's machine (harness/suites/model.toml), fitted to one thread here. Time in \
                  which every thread replays the trace of this run on keys of its own, both axes \
                  logarithmic; n = 0 in the table. Points are measured on this machine, and are there \
                  to check the lines. What the model takes for granted is listed below.",
        script: script!("model-fig11"),
        value: "value",
        build: |_, rows| model::completion(rows),
    },
    Figure {
        name: "model-fig13",
        title: "Predicted, not measured: the paper's rivals on 240 cores",
        question: "How would the paper's rivals scale on the paper's machine, by a model?",
        source: "Nibble (PVLDB 2017) Fig. 13",
        suites: &["rivals"],
        caption: "A model's prediction, not a measurement: a closed queueing network with the costs \
                  of the paper's machine (harness/suites/model.toml), fitted to one thread here. Both \
                  axes logarithmic; n = 0 in the table. Points are measured on this machine, and are \
                  there to check the lines. What the model takes for granted is listed below.",
        script: script!("model-fig13"),
        value: "value",
        build: |_, rows| model::throughput(rows),
    },
];
