//! Numbers of threads in suites: some fixed, and what the machine has.

use serde::Deserialize;

/// An entry of a list of numbers of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "a number of threads, or \"to-cores\"")]
pub enum Threads {
    /// So many.
    Count(usize),
    /// A word that stands for more than one.
    Word(Word),
}

/// What an entry stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// The largest number listed doubled again and again below the cores of the machine, the numbers
    /// of the papers' machines, and the cores themselves; nothing on a machine that has no
    /// more than what is listed.
    ToCores,
}

/// Threads of the papers' figures: of Postmark, of the dissertation's chapter VI, and of everything else.
const PAPER: [usize; 3] = [135, 224, 240];

/// The numbers that `list` stands for on a machine of so many cores: those listed, then what
/// `"to-cores"` adds, ascending.
#[must_use]
pub fn on_cores(list: &[Threads], cores: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = list
        .iter()
        .filter_map(|entry| match entry {
            Threads::Count(count) => Some(*count),
            Threads::Word(Word::ToCores) => None,
        })
        .collect();
    if list.contains(&Threads::Word(Word::ToCores)) {
        let listed = counts.iter().copied().max().unwrap_or(0);
        let doubled = std::iter::successors(Some(listed.max(1) * 2), |count| Some(count * 2));
        counts.extend(doubled.take_while(|&count| count < cores));
        counts.extend(
            PAPER.into_iter().chain([cores]).filter(|&count| count > listed && count <= cores),
        );
        counts.sort_unstable();
        counts.dedup();
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Suite {
        threads: Vec<Threads>,
    }

    fn counts(text: &str, cores: usize) -> Vec<usize> {
        let suite: Suite = toml::from_str(&format!("threads = {text}")).unwrap();
        on_cores(&suite.threads, cores)
    }

    #[test]
    fn a_list_grows_to_the_cores_of_the_machine_and_no_further() {
        for (cores, expected) in [
            (1, vec![1, 2]),
            (2, vec![1, 2]),
            (3, vec![1, 2, 3]),
            (4, vec![1, 2, 4]),
            (6, vec![1, 2, 4, 6]),
            (240, vec![1, 2, 4, 8, 16, 32, 64, 128, 135, 224, 240]),
            (256, vec![1, 2, 4, 8, 16, 32, 64, 128, 135, 224, 240, 256]),
        ] {
            assert_eq!(counts(r#"[1, 2, "to-cores"]"#, cores), expected, "{cores} cores");
        }
        assert_eq!(counts("[1, 2]", 240), [1, 2]);
        assert_eq!(counts(r#"["to-cores"]"#, 4), [2, 4]);
    }

    #[test]
    fn another_word_is_refused() {
        let error = toml::from_str::<Suite>("threads = [1, \"all\"]").map(|suite| suite.threads);
        let told = error.unwrap_err().to_string();
        assert!(told.contains("a number of threads, or \"to-cores\""), "{told}");
    }
}
