//! Generates a trace that follows PostMark's published algorithm.

use super::{Parameters, ParametersError};
use crate::tablefs::{FileError, Inode, TableFs};
use crate::trace::Operation;
use crate::{Rng, Seed};

/// Counts of file operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    pub created: u64,
    /// Files read whole.
    pub read: u64,
    pub appended: u64,
    pub deleted: u64,
}

/// Generates the trace of PostMark's published algorithm. It makes directories and files, then runs
/// transactions: each reads or appends to a file and creates or deletes one, chosen by bias. Then
/// it deletes what is left.
///
/// Files, sizes and directories are drawn uniformly, as the program draws them, but from other
/// random numbers: the trace resembles a recorded one without being equal to it. Operations have no
/// times: all are 0.
///
/// ```
/// use workloads::postmark::{Generator, Parameters};
///
/// let trace = Generator::new(&Parameters::of_files(100)).unwrap();
/// assert!(trace.count() > 7_000);
/// ```
#[derive(Debug)]
pub struct Generator {
    parameters: Parameters,
    rng: Rng,
    files: TableFs,
    directories: Vec<Inode>,
    live: Vec<File>,
    /// The name of the next file.
    next_name: u64,
    counts: FileCounts,
    stage: Stage,
}

#[derive(Clone, Copy, Debug)]
struct File {
    name: u64,
    directory: Inode,
    bytes: u32,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Directories still to make.
    Directories(u64),
    /// Files still to make.
    Files(u64),
    /// Transactions left.
    Transactions(u64),
    /// Deletes the remaining files.
    Cleanup,
    /// Directories still to remove.
    RemoveDirectories(u64),
    Done,
}

impl Generator {
    /// Creates a generator at its first operation.
    ///
    /// # Errors
    /// If the parameters cannot be run.
    pub fn new(parameters: &Parameters) -> Result<Self, ParametersError> {
        parameters.validate()?;
        Ok(Self {
            rng: Seed(parameters.seed.into()).stream("postmark").rng(),
            files: TableFs::new(),
            directories: Vec::new(),
            live: Vec::new(),
            next_name: 1,
            counts: FileCounts::default(),
            stage: Stage::Directories(parameters.subdirectories),
            parameters: parameters.clone(),
        })
    }

    /// Counts of file operations so far.
    #[must_use]
    pub const fn counts(&self) -> FileCounts {
        self.counts
    }

    /// Takes the next step of the algorithm, which yields some operations or none.
    fn step(&mut self) -> Result<(), FileError> {
        self.stage = match self.stage {
            Stage::Directories(0) => {
                if self.directories.is_empty() {
                    self.directories.push(Inode::ROOT);
                }
                Stage::Files(self.parameters.files)
            }
            Stage::Directories(left) => {
                let name = directory_name(self.directories.len());
                self.files.lookup(Inode::ROOT, name.as_bytes())?;
                self.directories.push(self.files.mkdir(Inode::ROOT, name.as_bytes())?);
                Stage::Directories(left - 1)
            }
            Stage::Files(0) => Stage::Transactions(self.parameters.transactions),
            Stage::Files(left) => {
                self.create()?;
                Stage::Files(left - 1)
            }
            Stage::Transactions(0) => Stage::Cleanup,
            Stage::Transactions(left) => {
                self.transaction()?;
                Stage::Transactions(left - 1)
            }
            Stage::Cleanup if self.live.is_empty() => {
                Stage::RemoveDirectories(self.parameters.subdirectories)
            }
            Stage::Cleanup => {
                self.delete(self.live.len() - 1)?;
                Stage::Cleanup
            }
            Stage::RemoveDirectories(0) => Stage::Done,
            Stage::RemoveDirectories(left) => {
                let number = (self.parameters.subdirectories - left) as usize;
                self.files.rmdir(Inode::ROOT, directory_name(number).as_bytes())?;
                Stage::RemoveDirectories(left - 1)
            }
            Stage::Done => Stage::Done,
        };
        Ok(())
    }

    fn transaction(&mut self) -> Result<(), FileError> {
        if let Some(chosen) = self.choose() {
            if self.chance(self.parameters.bias_read) {
                self.read(chosen)?;
            } else if self.live[chosen].bytes < self.parameters.size_bytes.1 {
                self.append(chosen)?;
            }
        }
        if self.chance(self.parameters.bias_create) {
            // The program has room for twice the initial number of files.
            if (self.live.len() as u64) < 2 * self.parameters.files {
                self.create()?;
            }
        } else if let Some(chosen) = self.choose() {
            self.delete(chosen)?;
        }
        Ok(())
    }

    fn create(&mut self) -> Result<(), FileError> {
        let (min, max) = self.parameters.size_bytes;
        let directory = self.directories[self.rng.below(self.directories.len() as u64) as usize];
        // The largest size itself is never drawn, unless it is the only one.
        let bytes = min + self.rng.below((max - min).max(1).into()) as u32;
        let file = File { name: self.next_name, directory, bytes };
        self.next_name += 1;
        let name = file.name.to_string();
        self.files.lookup(directory, name.as_bytes())?;
        let (_, handle) = self.files.create(directory, name.as_bytes())?;
        self.files.write(handle, 0, bytes.into())?;
        self.files.release(handle)?;
        self.live.push(file);
        self.counts.created += 1;
        Ok(())
    }

    fn read(&mut self, chosen: usize) -> Result<(), FileError> {
        let file = self.live[chosen];
        let inode = self.look_up(file)?;
        let handle = self.files.open(inode)?;
        self.files.read(handle, 0, file.bytes.into())?;
        self.files.release(handle)?;
        self.counts.read += 1;
        Ok(())
    }

    fn append(&mut self, chosen: usize) -> Result<(), FileError> {
        let file = self.live[chosen];
        let room = self.parameters.size_bytes.1 - file.bytes;
        let bytes = 1 + self.rng.below(room.into()) as u32;
        let inode = self.look_up(file)?;
        let handle = self.files.open(inode)?;
        self.files.write(handle, file.bytes.into(), bytes.into())?;
        self.files.release(handle)?;
        self.live[chosen].bytes += bytes;
        self.counts.appended += 1;
        Ok(())
    }

    fn delete(&mut self, chosen: usize) -> Result<(), FileError> {
        let file = self.live.swap_remove(chosen);
        self.look_up(file)?;
        self.files.unlink(file.directory, file.name.to_string().as_bytes())?;
        self.counts.deleted += 1;
        Ok(())
    }

    fn look_up(&mut self, file: File) -> Result<Inode, FileError> {
        let found = self.files.lookup(file.directory, file.name.to_string().as_bytes())?;
        found.map(|attributes| attributes.inode).ok_or(FileError::NotFound)
    }

    fn choose(&mut self) -> Option<usize> {
        let files = self.live.len() as u64;
        (files > 0).then(|| self.rng.below(files) as usize)
    }

    /// True with probability `bias` / 10.
    fn chance(&mut self, bias: u32) -> bool {
        self.rng.below(10) < bias.into()
    }
}

impl Iterator for Generator {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        loop {
            if let Some(operation) = self.files.next_operation() {
                return Some(operation);
            }
            if matches!(self.stage, Stage::Done) {
                return None;
            }
            self.step().expect("only files that exist are asked for, and only new names made");
        }
    }
}

fn directory_name(number: usize) -> String {
    format!("s{number}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::trace::OperationKind::{self, Delete, Get, Put};

    /// Runs a generator to its end and returns the operations and file counts.
    fn run(parameters: &Parameters) -> (Vec<Operation>, FileCounts) {
        let mut generator = Generator::new(parameters).unwrap();
        let operations = generator.by_ref().collect();
        (operations, generator.counts())
    }

    #[test]
    fn totals_follow_from_files_and_transactions() {
        let parameters = Parameters::of_files(1000);
        let (operations, counts) = run(&parameters);
        assert_eq!(counts.created, counts.deleted);
        let (transactions, directories) = (parameters.transactions, parameters.subdirectories);
        let count = |kind: OperationKind| {
            operations.iter().filter(|operation| operation.kind == kind).count() as u64
        };
        let FileCounts { created, read, appended, deleted } = counts;
        assert_eq!(count(Put), 2 * created + appended + directories);
        assert_eq!(count(Delete), deleted + directories);
        assert_eq!(count(Get), created + 2 * read + 2 * appended + deleted + directories);
        let half = |count: u64| count.abs_diff(transactions / 2) < transactions / 40;
        assert!(half(created - 1000) && half(read), "{counts:?}");
        // Some files have already reached the largest size.
        assert!(appended <= transactions - read && appended > transactions * 9 / 20, "{counts:?}");
    }

    #[test]
    fn transactions_are_a_tenth_inserts_a_tenth_deletes_a_fifth_overwrites() {
        let (operations, _) = run(&Parameters::of_files(1000));
        let steady = operations.len() / 10..operations.len() * 9 / 10;
        let mut live = BTreeMap::new();
        let mut seen = [0_u64; 5];
        for (at, operation) in operations.iter().enumerate() {
            let was = match operation.kind {
                Get => {
                    let stored = live.get(&operation.key).copied();
                    assert_eq!(stored.unwrap_or(0), operation.value_bytes);
                    usize::from(stored.is_none())
                }
                Put => match live.insert(operation.key, operation.value_bytes) {
                    None => 2,
                    Some(_) => 3,
                },
                Delete => {
                    assert!(live.remove(&operation.key).is_some());
                    4
                }
            };
            seen[was] += u64::from(steady.contains(&at));
        }
        assert!(live.is_empty(), "PostMark leaves nothing behind");
        let percent = seen.map(|count| 100.0 * count as f64 / steady.len() as f64);
        let expected = [50.0, 10.0, 10.0, 20.0, 10.0];
        for (found, wanted) in percent.into_iter().zip(expected) {
            assert!((found - wanted).abs() < 1.0, "{percent:?}");
        }
        // At the end files are only looked up and deleted.
        let last = &operations[operations.len() - 1000..operations.len() - 10];
        let deletes = last.iter().filter(|operation| operation.kind == Delete).count();
        assert_eq!(deletes * 2, last.len());
    }

    #[test]
    fn a_seed_gives_one_trace_and_bounds_hold() {
        let parameters = Parameters { size_bytes: (3000, 9000), ..Parameters::of_files(50) };
        let (operations, counts) = run(&parameters);
        assert_eq!(run(&parameters), (operations.clone(), counts));
        let other = Parameters { seed: 43, ..parameters.clone() };
        assert_ne!(run(&other).0, operations);
        assert!(operations.iter().all(|operation| operation.value_bytes <= 4096 + 144 + 4));
        let only = |bias_read, bias_create| {
            run(&Parameters { bias_read, bias_create, ..parameters.clone() }).1
        };
        assert_eq!(only(10, 0), FileCounts { created: 50, read: 50, appended: 0, deleted: 50 });
        let creating = only(0, 10);
        assert_eq!((creating.created, creating.read), (100, 0), "there is room for so many");
        let equal = Parameters { size_bytes: (500, 500), ..parameters };
        assert_eq!(run(&equal).1.appended, 0);
    }
}
