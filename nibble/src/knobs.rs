//! The knobs of the evaluation: each is an enum, and each value has a name for settings.

use std::fmt;
use std::str::FromStr;

/// A setting that does not name a value of its knob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownChoice {
    /// The name of the knob.
    pub knob: &'static str,
    /// The value as given.
    pub value: String,
    /// The accepted values.
    pub accepted: &'static [&'static str],
}

impl fmt::Display for UnknownChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} = {}: must be one of {}", self.knob, self.value, self.accepted.join(", "))
    }
}

impl std::error::Error for UnknownChoice {}

macro_rules! knob {
    (
        $(#[$about:meta])* $knob:ident, $name:literal:
        $($(#[$what:meta])* $choice:ident = $text:literal,)+
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $knob {
            $($(#[$what])* $choice,)+
        }

        impl $knob {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$choice),+];
        }

        impl fmt::Display for $knob {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.pad(match self { $(Self::$choice => $text),+ })
            }
        }

        impl FromStr for $knob {
            type Err = UnknownChoice;

            fn from_str(text: &str) -> Result<Self, UnknownChoice> {
                match text {
                    $($text => Ok(Self::$choice),)+
                    _ => Err(UnknownChoice {
                        knob: $name,
                        value: text.to_owned(),
                        accepted: &[$($text),+],
                    }),
                }
            }
        }
    };
}

knob! {
    /// The layout of an index bucket.
    IndexLayout, "index":
    /// The paper's text (N17 section 3.1): 15 entries of segment id and address plus a version, 128
    /// bytes, two cache lines. There is no tag: keys are compared in the log. A full bucket doubles
    /// its partition: 26 to 34 bytes of index per key (figure `index-layouts`).
    Text = "text",
    /// The layout of the 2017 source: like `Text`, with the fifteen keys beside the entries, 256
    /// bytes, four cache lines. A lookup compares keys without touching the log, but the index
    /// takes twice the memory.
    Keyed = "keyed",
    /// One cache line of ten 6-byte entries, each a tag and an offset. A choice of two buckets, and
    /// growth bucket by bucket, keep the load above 0.9: about 7 bytes of index per key.
    Tagged = "tagged",
}

knob! {
    /// What a PUT of an existing key does.
    Update, "update":
    /// Nibble: append the new value; the old one is dead.
    Append = "append",
    /// Nibble-2 (DISS section 6.2): overwrite if the new value fits, append if it does not. Updates
    /// cause no compaction, but readers must validate what they have copied.
    InPlace = "in-place",
}

knob! {
    /// What becomes of the room of dead objects while memory is short.
    HoleUse, "holes":
    /// It stays as it is until compaction has moved what lives around it (the papers').
    Left = "left",
    /// The session whose operation made the object dead puts a new object there, if one fits, in place
    /// of appending it. Nothing has to be compacted for that object.
    Reused = "reused",
}

knob! {
    /// Where epochs come from (N17 section 3.3, Fig. 8a).
    EpochClock, "epoch":
    /// The paper's: each operation announces the time-stamp counter.
    ThreadTicks = "thread-ticks",
    /// A counter that every operation increments; its cache line moves between all cores.
    GlobalCounter = "global-counter",
    /// A counter that operations read and only reclamation increments.
    ThreadCounter = "thread-counter",
}

knob! {
    /// Which head of its node a PUT appends to (N17 Fig. 8c).
    HeadChoice, "head-choice":
    /// The head of the core that the thread runs on.
    Core = "core",
    /// A random head.
    Random = "random",
    /// The head selected by the key's hash.
    Key = "key",
}

knob! {
    /// How the current core is found (N17 section 4.1).
    CoreSource, "core-source":
    /// The paper's instruction, which waits for earlier loads.
    Rdtscp = "rdtscp",
    /// The instruction that does nothing else; falls back to `rseq` if the processor lacks it.
    Rdpid = "rdpid",
    /// The kernel's restartable-sequence area, through the C library: a single load.
    Rseq = "rseq",
}

knob! {
    /// Which memory node a PUT appends to (N17 Fig. 8b).
    Placement, "placement":
    /// Write local, read global: the node that the thread runs on.
    Local = "local",
    /// The node selected by the key's hash.
    Key = "key",
}

knob! {
    /// Who compacts.
    Compaction, "compaction":
    /// The store's own threads, woken when little memory is free (the paper's).
    Background = "background",
    /// The writers, each in proportion to the bytes it appends; the store has no threads.
    Inline = "inline",
}

knob! {
    /// Which segment is compacted next; `u` is its utilisation, `age` the time since it closed.
    Selection, "selection":
    /// The paper's: largest `(1 - u) * age / (1 + u)`.
    CostBenefit = "cost-benefit",
    /// RAMCloud's: largest `(1 - u) * age / u`.
    RamCloud = "ramcloud",
    /// Smallest `u`.
    Greedy = "greedy",
}

knob! {
    /// Where compaction copies live objects.
    Survivors, "survivors":
    /// To their own segments, so that old data is not mixed with new (the paper's).
    Separate = "separate",
    /// To the heads, among what clients write.
    Mixed = "mixed",
}

knob! {
    /// How bytes are copied into the log (DISS section 6.1).
    CopyRoutine, "copy":
    /// The C library's.
    Memcpy = "memcpy",
    /// The string instruction.
    RepMovsb = "rep-movsb",
    /// Stores that bypass the caches, followed by a store fence.
    NonTemporal = "non-temporal",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_read_back_by_its_name() {
        for &layout in IndexLayout::ALL {
            assert_eq!(layout.to_string().parse(), Ok(layout));
        }
        let error = "tags".parse::<IndexLayout>().unwrap_err().to_string();
        assert_eq!(error, "index = tags: must be one of text, keyed, tagged");
    }
}
