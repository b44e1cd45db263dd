//! Tests of the engine as a whole, through what it shows to others.

mod accounting;
mod address_space;
mod amplification;
mod batches;
mod byte_keys;
mod common;
mod edge_cases;
mod full;
mod full_updates;
mod growth;
mod histories;
mod holes;
mod idle;
mod index_load;
mod lifetime;
mod linearizability;
mod model_operations;
mod nodes;
mod races;
mod return_memory;
mod small_store;
mod stress_threads;
mod waiting;
