//! PostMark's parameters.

use std::fmt::Write as _;
use std::path::Path;

use super::ParametersError;
use crate::tablefs::FILE_BYTES_MAX;

/// The program counts files and transactions in signed 32-bit numbers, and has room for twice its
/// files.
const COUNT_MAX: u64 = (i32::MAX / 2) as u64;
/// The paper's files per subdirectory and transactions per file.
const FILES_PER_SUBDIRECTORY: u64 = 200;
const TRANSACTIONS_PER_FILE: u64 = 16;
const PAPER_FILES: u64 = 2_000_000;

/// PostMark's parameters. The fields are public; [`validate`](Self::validate) checks them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Files made before the transactions begin. Twice as many may exist later.
    pub files: u64,
    /// Transactions. Each reads or appends, and creates or deletes.
    pub transactions: u64,
    /// Subdirectories to spread the files over; 0 puts all files in one directory.
    pub subdirectories: u64,
    /// The smallest and the largest file, in bytes. Appends never exceed the largest.
    pub size_bytes: (u32, u32),
    /// Bytes per call when a file is read.
    pub read_block_bytes: u32,
    /// Bytes per call when a file is written.
    pub write_block_bytes: u32,
    /// Out of ten transactions, how many read; the others append.
    pub bias_read: u32,
    /// Out of ten transactions, how many create; the others delete.
    pub bias_create: u32,
    /// Seed of the program's and the generator's random numbers; their sequences differ.
    pub seed: u32,
}

impl Parameters {
    /// The Nibble paper's parameters: 2 million files, 32 million transactions, 10 thousand
    /// subdirectories.
    #[must_use]
    pub const fn paper() -> Self {
        Self::of_files(PAPER_FILES)
    }

    /// The paper's parameters with the numbers of files, transactions and subdirectories divided;
    /// at least one file and one subdirectory remain. A divisor of 0 counts as 1.
    #[must_use]
    pub const fn scaled(divisor: u64) -> Self {
        let files = PAPER_FILES / if divisor == 0 { 1 } else { divisor };
        Self::of_files(if files == 0 { 1 } else { files })
    }

    /// This many files, and everything else in the paper's proportions.
    #[must_use]
    pub const fn of_files(files: u64) -> Self {
        let subdirectories = files / FILES_PER_SUBDIRECTORY;
        Self {
            files,
            transactions: files.saturating_mul(TRANSACTIONS_PER_FILE),
            subdirectories: if subdirectories == 0 { 1 } else { subdirectories },
            size_bytes: (500, 4096),
            read_block_bytes: 512,
            write_block_bytes: 512,
            bias_read: 5,
            bias_create: 5,
            seed: 42,
        }
    }

    /// Checks that the program and the generator can run with these parameters.
    ///
    /// # Errors
    /// The first number out of bounds, with its bounds.
    pub fn validate(&self) -> Result<(), ParametersError> {
        let (min_bytes, max_bytes) = self.size_bytes;
        let bounds = [
            ("the number of files", self.files, 1, COUNT_MAX),
            ("the number of transactions", self.transactions, 0, COUNT_MAX),
            ("the number of subdirectories", self.subdirectories, 0, 1_000_000),
            ("the smallest size", min_bytes.into(), 1, FILE_BYTES_MAX),
            ("the largest size", max_bytes.into(), 1, FILE_BYTES_MAX),
            ("the read block", self.read_block_bytes.into(), 1, 1 << 20),
            ("the write block", self.write_block_bytes.into(), 1, 1 << 20),
            ("the bias to read", self.bias_read.into(), 0, 10),
            ("the bias to create", self.bias_create.into(), 0, 10),
            ("the seed", self.seed.into(), 0, i32::MAX as u64),
        ];
        for (name, value, min, max) in bounds {
            if !(min..=max).contains(&value) {
                return Err(ParametersError::OutOfRange { name, value, min, max });
            }
        }
        if min_bytes > max_bytes {
            return Err(ParametersError::SizesReversed { min_bytes, max_bytes });
        }
        Ok(())
    }

    /// A name made of the parameters that vary:
    #[must_use]
    pub fn name(&self) -> String {
        format!("postmark-{}-{}-seed-{}", self.files, self.transactions, self.seed)
    }

    /// The program's standard input for working below `location`.
    #[must_use]
    pub fn script(&self, location: &Path) -> String {
        let (min_bytes, max_bytes) = self.size_bytes;
        let mut script = String::new();
        for (name, value) in [
            ("number", self.files),
            ("transactions", self.transactions),
            ("subdirectories", self.subdirectories),
            ("read", self.read_block_bytes.into()),
            ("write", self.write_block_bytes.into()),
            ("bias read", self.bias_read.into()),
            ("bias create", self.bias_create.into()),
            ("seed", self.seed.into()),
        ] {
            // Writing to a string cannot fail.
            let _ = writeln!(script, "set {name} {value}");
        }
        let _ = writeln!(script, "set size {min_bytes} {max_bytes}");
        let _ = writeln!(script, "set buffering true");
        let _ = writeln!(script, "set report verbose");
        let _ = writeln!(script, "set location {}", location.display());
        script.push_str("run\nquit\n");
        script
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proportions_are_the_papers() {
        let paper = Parameters::paper();
        assert_eq!((paper.files, paper.transactions), (2_000_000, 32_000_000));
        assert_eq!((paper.subdirectories, paper.size_bytes), (10_000, (500, 4096)));
        let tenth = Parameters::scaled(200);
        assert_eq!(tenth, Parameters::of_files(10_000));
        assert_eq!(tenth.subdirectories, 50);
        assert_eq!(tenth.name(), "postmark-10000-160000-seed-42");
        assert_eq!(Parameters::scaled(u64::MAX).files, 1);
        assert_eq!(Parameters::scaled(0), paper);
        assert_eq!(Parameters::of_files(3).subdirectories, 1);
        assert_eq!(paper.validate(), Ok(()));
    }

    #[test]
    fn what_cannot_run_is_named() {
        let good = Parameters::of_files(100);
        let refused = |bad: Parameters| bad.validate().unwrap_err().to_string();
        let message = refused(Parameters { files: 0, ..good.clone() });
        assert_eq!(
            message,
            "PostMark: the number of files is 0: give a number from 1 to 1073741823"
        );
        assert!(refused(Parameters::of_files(u64::MAX)).contains("files"));
        assert!(refused(Parameters { bias_read: 11, ..good.clone() }).contains("11"));
        assert!(refused(Parameters { size_bytes: (0, 9), ..good.clone() }).contains("smallest"));
        let message = refused(Parameters { size_bytes: (9, 8), ..good });
        assert_eq!(message, "PostMark: sizes run from 9 to 8 bytes: give the smaller first");
    }

    #[test]
    fn the_script_tells_everything_and_runs_last() {
        let script = Parameters::of_files(1000).script(Path::new("/some/where"));
        for line in [
            "set number 1000",
            "set transactions 16000",
            "set subdirectories 5",
            "set size 500 4096",
            "set read 512",
            "set write 512",
            "set bias read 5",
            "set bias create 5",
            "set seed 42",
            "set location /some/where",
        ] {
            assert!(script.lines().any(|found| found == line), "{line}");
        }
        assert!(script.ends_with("run\nquit\n"));
    }
}
