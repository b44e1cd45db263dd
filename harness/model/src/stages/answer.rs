//! One question, one answer: every system by one function.

use serde::Serialize;

use super::cascade::{self, Receives};
use super::error::ParameterError;
use super::leveldb;
use super::optimise::optimal_sizes;
use super::parameters::{Parameters, Sizes, System, Workload};
use super::popularity::Popularity;
use super::silt;
use super::step::{Step, total};

/// The modelled write amplification, in all and by step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    pub parameters: Parameters,
    /// Items written to storage for each inserted item: the sum over `steps`.
    pub write_amplification: f64,
    /// From the log to the last level.
    pub steps: Vec<Step>,
    /// Upper bound of the relative error of expected distinct keys that grouping keys by popularity adds.
    pub grouping_error: f64,
}

/// Write amplification of `parameters.system` under its workload, long after loading: every key exists,
/// and all levels are full. Milliseconds, or about a second where sizes are to be optimal.
///
/// # Errors
/// A parameter is out of range; the error names it and says what it must be.
pub fn write_amplification(parameters: &Parameters) -> Result<Answer, ParameterError> {
    let workload = parameters.workload;
    let popularity = Popularity::new(&of_one_store(parameters)?)?;
    let steps = match &parameters.system {
        System::LevelDb(store) => {
            let items = match store.sizes {
                Sizes::Optimal { .. } => optimal_sizes(&workload, store)?.level_items,
                _ => store.level_items(popularity.keys())?,
            };
            leveldb::steps(&popularity, store, &items)
        }
        System::Cola(store) => {
            store.check()?;
            cascade::steps(&popularity, store, Receives::Merged)
        }
        System::Samt(store) => {
            store.check()?;
            cascade::steps(&popularity, store, Receives::Beside)
        }
        System::Silt(store) => silt::steps(&popularity, store),
    };
    Ok(Answer {
        parameters: parameters.clone(),
        write_amplification: total(&steps),
        steps,
        grouping_error: popularity.grouping_error(),
    })
}

/// The workload that one store sees: all of it, but for stores among which the keys are divided. There
/// the thesis gives each a distribution of the same skew over its own keys.
fn of_one_store(parameters: &Parameters) -> Result<Workload, ParameterError> {
    let workload = parameters.workload;
    match &parameters.system {
        System::Silt(store) => {
            store.check(&workload)?;
            Ok(Workload { keys: workload.keys / u64::from(store.instances), ..workload })
        }
        _ => Ok(workload),
    }
}
