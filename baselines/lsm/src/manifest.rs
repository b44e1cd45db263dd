//! The manifest: the log of edits that leads to the version of today. `CURRENT` names the manifest
//! that counts. Each opening writes a new one, whose first edit is the whole version.

use crate::error::Error;
use crate::files::{File, Files};
use crate::frame::{self, Frames};
use crate::mutant::{Mutant, mutated};
use crate::names::{CURRENT, CURRENT_NEXT, Kind};
use crate::table::Meta;
use crate::version::{Edit, LEVELS};

/// The manifest that edits are appended to.
#[derive(Debug)]
pub(crate) struct Manifest {
    name: String,
    file: Box<dyn File>,
    file_bytes: u64,
}

/// What a manifest leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recorded {
    pub(crate) log_number: u64,
    pub(crate) next_number: u64,
    pub(crate) newest: u64,
    pub(crate) levels: [Vec<Meta>; LEVELS],
}

impl Recorded {
    fn apply(&mut self, edit: Edit) {
        self.log_number = edit.log_number.unwrap_or(self.log_number);
        self.next_number = self.next_number.max(edit.next_number);
        self.newest = self.newest.max(edit.newest);
        for level in &mut self.levels {
            level.retain(|meta| !edit.removed.contains(&meta.number));
        }
        for (level, meta) in edit.added {
            self.levels[level].push(meta);
        }
    }

    /// The edit that makes all of it.
    fn whole(&self) -> Edit {
        let of_level = |(level, metas): (usize, &Vec<Meta>)| {
            metas.iter().map(|meta| (level, meta.clone())).collect::<Vec<_>>()
        };
        Edit {
            log_number: Some(self.log_number),
            next_number: self.next_number,
            newest: self.newest,
            removed: Vec::new(),
            added: self.levels.iter().enumerate().flat_map(of_level).collect(),
        }
    }
}

/// What `CURRENT` leads to; `None` in a folder that has none.
///
/// # Errors
/// [`Error::Storage`] if a file cannot be read, [`Error::Corrupt`] if it is damaged.
pub(crate) fn read(files: &dyn Files) -> Result<Option<Recorded>, Error> {
    let names = files.list().map_err(|error| Error::storage("list", "the folder", &error))?;
    if !names.iter().any(|name| name == CURRENT) {
        return Ok(None);
    }
    let name = String::from_utf8(read_all(files, CURRENT)?).unwrap_or_default();
    if Kind::parse(&name).is_none_or(|(kind, _)| kind != Kind::Manifest) {
        return Err(Error::corrupt(CURRENT, format!("`{name}` is no manifest's name")));
    }
    let bytes = read_all(files, &name)?;
    let mut frames = Frames::new(&bytes);
    let mut recorded = Recorded::default();
    let mut edits = 0;
    for payload in &mut frames {
        let edit = Edit::read(payload);
        recorded.apply(edit.ok_or_else(|| Error::corrupt(&name, format!("edit {edits}")))?);
        edits += 1;
    }
    // What follows the last whole edit is one that was being written: nobody has relied on it. But
    // the first was durable before `CURRENT` named the file.
    if edits == 0 {
        return Err(Error::corrupt(&name, "it has no whole edit"));
    }
    Ok(Some(recorded))
}

/// All bytes of a file.
pub(crate) fn read_all(files: &dyn Files, name: &str) -> Result<Vec<u8>, Error> {
    let refused = |error| Error::storage("read", name, &error);
    let file = files.open(name).map_err(refused)?;
    let mut bytes = vec![0; file.bytes().map_err(refused)? as usize];
    file.read_at(&mut bytes, 0).map_err(refused)?;
    Ok(bytes)
}

impl Manifest {
    /// Writes a manifest of what is recorded, and makes it the one that counts.
    ///
    /// # Errors
    /// [`Error::Storage`]; then the one before still counts.
    pub(crate) fn begin(
        files: &dyn Files,
        number: u64,
        recorded: &Recorded,
    ) -> Result<Self, Error> {
        let name = Kind::Manifest.name(number);
        let refused = |doing, error| Error::storage(doing, &name, &error);
        let file = files.create(&name).map_err(|error| refused("create", error))?;
        let mut manifest = Self { name: name.clone(), file, file_bytes: 0 };
        manifest.append(&recorded.whole())?;
        let next = files.create(CURRENT_NEXT).map_err(|error| refused("name", error))?;
        next.write_at(name.as_bytes(), 0).map_err(|error| refused("name", error))?;
        if !mutated(Mutant::CurrentUnsynced) {
            next.sync().map_err(|error| refused("name", error))?;
        }
        // The tables that it lists, its own name, and then the name that counts.
        files.sync_folder().map_err(|error| refused("sync the folder of", error))?;
        files.rename(CURRENT_NEXT, CURRENT).map_err(|error| refused("name", error))?;
        files.sync_folder().map_err(|error| refused("sync the folder of", error))?;
        Ok(manifest)
    }

    /// Appends an edit and makes it durable. Files that it adds have durable names before.
    ///
    /// # Errors
    /// [`Error::Storage`]; a later edit takes the place of this one.
    pub(crate) fn append(&mut self, edit: &Edit) -> Result<(), Error> {
        let mut bytes = Vec::new();
        frame::append(&mut bytes, |to| edit.write(to));
        let written = self.file.write_at(&bytes, self.file_bytes);
        written.map_err(|error| Error::storage("write", &self.name, &error))?;
        if !mutated(Mutant::EditUnsynced) {
            let synced = self.file.sync();
            synced.map_err(|error| Error::storage("sync", &self.name, &error))?;
        }
        self.file_bytes += bytes.len() as u64;
        Ok(())
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Makes `CURRENT` name a manifest, for tests of what recovery answers.
#[cfg(test)]
pub(crate) fn name_current(files: &dyn Files, text: &str) {
    let current = files.create(CURRENT).expect("a file");
    current.write_at(text.as_bytes(), 0).expect("room");
}
