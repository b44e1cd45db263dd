//! Programs built from git revisions, and the instructions that a program executes: what a
//! comparison of two builds needs before it can begin.
