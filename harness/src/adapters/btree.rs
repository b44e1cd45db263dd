//! Opens the ordered map.

use baseline_btree::LockedTree;
use engine::OpenError;

use super::options::Options;
use crate::registry::StoreSetup;

pub(crate) fn open(setup: &StoreSetup) -> Result<LockedTree, OpenError> {
    Options::new(&setup.options).finish()?;
    Ok(LockedTree::open())
}
