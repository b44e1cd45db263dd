//! Masstree: a trie of B+-trees with optimistic readers.
