//! Opens the stores that do not register themselves, and wraps those that do not implement the contract.

pub(crate) mod embedded;
pub(crate) mod faulty;
pub(crate) mod heapstore;
pub(crate) mod hindered;
pub(crate) mod maps;
pub(crate) mod masstree;
pub(crate) mod mica;
pub(crate) mod nibble;
pub(crate) mod null;
pub(crate) mod ramcloud;
pub(crate) mod redis;
pub(crate) mod roofline;

#[cfg(test)]
mod made_up {
    //! A small store to open in tests.

    use engine::Setup;

    pub(super) fn setup(options: &[(&str, &str)]) -> Setup {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        Setup {
            object_memory_bytes: Some(16 << 20),
            live_bytes: 1 << 20,
            records_max: 1 << 14,
            value_bytes_max: 100,
            resident: false,
            tells_updates: true,
            options: options.iter().map(owned).collect(),
            heap: None,
        }
    }
}
