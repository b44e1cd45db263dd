//! Records a program's allocations when it is loaded before the program's own libraries.
