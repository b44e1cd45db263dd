//! Files and folders as plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::change::Change;

pub(crate) type Inode = u64;
pub(crate) const ROOT: Inode = 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    File(Vec<u8>),
    Folder(BTreeMap<OsString, Inode>),
}

impl Node {
    fn empty(is_folder: bool) -> Self {
        if is_folder { Self::Folder(BTreeMap::new()) } else { Self::File(Vec::new()) }
    }
}

/// All files and folders at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    nodes: BTreeMap<Inode, Node>,
}

impl Default for Tree {
    /// An empty folder.
    fn default() -> Self {
        Self { nodes: BTreeMap::from([(ROOT, Node::empty(true))]) }
    }
}

impl Tree {
    pub(crate) fn node(&self, inode: Inode) -> Option<&Node> {
        self.nodes.get(&inode)
    }

    pub(crate) fn names(&self, folder: Inode) -> Option<&BTreeMap<OsString, Inode>> {
        match self.nodes.get(&folder) {
            Some(Node::Folder(names)) => Some(names),
            _ => None,
        }
    }

    pub(crate) fn child(&self, folder: Inode, name: &OsStr) -> Option<Inode> {
        self.names(folder)?.get(name).copied()
    }

    pub(crate) fn contents(&self, file: Inode) -> Option<&[u8]> {
        match self.nodes.get(&file) {
            Some(Node::File(bytes)) => Some(bytes),
            _ => None,
        }
    }

    pub(crate) fn last_inode(&self) -> Inode {
        self.nodes.last_key_value().map_or(ROOT, |(&inode, _)| inode)
    }

    /// Carries out a change. What it is about may have been lost: then nothing happens.
    pub(crate) fn apply(&mut self, change: &Change) {
        match change {
            Change::Make { at, inode, is_folder } => {
                // Contents may have become durable before the name did.
                self.nodes.entry(*inode).or_insert_with(|| Node::empty(*is_folder));
                self.name(at, *inode);
            }
            Change::Remove { at } => _ = self.unname(at),
            Change::Rename { from, to } => {
                if let Some(inode) = self.unname(from) {
                    self.name(to, inode);
                }
            }
            Change::Resize { inode, bytes } => self.file(*inode).resize(*bytes as usize, 0),
            Change::Write { inode, offset, data, least_bytes } => {
                let (file, first) = (self.file(*inode), *offset as usize);
                let end = first + data.len();
                file.resize(file.len().max(*least_bytes as usize), 0);
                file[first..end].copy_from_slice(data);
            }
        }
    }

    fn name(&mut self, (folder, name): &(Inode, OsString), inode: Inode) {
        if let Some(Node::Folder(names)) = self.nodes.get_mut(folder) {
            names.insert(name.clone(), inode);
        }
    }

    fn unname(&mut self, (folder, name): &(Inode, OsString)) -> Option<Inode> {
        match self.nodes.get_mut(folder) {
            Some(Node::Folder(names)) => names.remove(name),
            _ => None,
        }
    }

    fn file(&mut self, inode: Inode) -> &mut Vec<u8> {
        match self.nodes.entry(inode).or_insert_with(|| Node::empty(false)) {
            Node::File(bytes) => bytes,
            Node::Folder(_) => panic!("inode {inode} is a folder, and has no contents"),
        }
    }

    /// Drops what no folder names.
    pub(crate) fn sweep(&mut self) {
        let named: BTreeSet<Inode> = self.paths().into_iter().map(|(_, inode)| inode).collect();
        self.nodes.retain(|inode, _| *inode == ROOT || named.contains(inode));
    }

    /// All that has a name, a folder before what is in it.
    pub(crate) fn paths(&self) -> Vec<(PathBuf, Inode)> {
        let mut found = Vec::new();
        let mut folders = vec![(PathBuf::new(), ROOT)];
        while let Some((path, folder)) = folders.pop() {
            for (name, &inode) in self.names(folder).into_iter().flatten() {
                let path = path.join(name);
                found.push((path.clone(), inode));
                folders.push((path, inode));
            }
        }
        found
    }

    /// Writes everything into an empty folder of another file system.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_to(&self, folder: &Path) -> io::Result<()> {
        for (path, inode) in self.paths() {
            match self.contents(inode) {
                Some(bytes) => write_sparse(&folder.join(path), bytes)?,
                None => fs::create_dir(folder.join(path))?,
            }
        }
        Ok(())
    }
}

/// Writes a file with holes where whole blocks are zero: some stores make files far larger than what is in them.
fn write_sparse(path: &Path, bytes: &[u8]) -> io::Result<()> {
    const BLOCK_BYTES: usize = 4096;
    let file = File::create_new(path)?;
    file.set_len(bytes.len() as u64)?;
    for (index, block) in bytes.chunks(BLOCK_BYTES).enumerate() {
        if block.iter().any(|&byte| byte != 0) {
            file.write_all_at(block, (index * BLOCK_BYTES) as u64)?;
        }
    }
    Ok(())
}
