//! The tests of all heaps, most of them in processes of their own: a heap lives as long as its
//! process, and reads its environment when that starts.

mod build;
mod common;
mod conformance;
mod matrix;
mod null;
mod variants;
