//! Predictions for machines of many cores and sockets, where the machine at hand has few: from
//! primitive costs, given as input, and one thread's measured time. Predictions are never
//! measurements, and are drawn apart from them.

#![deny(unsafe_code)]
