//! Whether the processor of a host runs this program: its architecture, and the instructions that the
//! program was compiled for (`target-cpu=native` is that of the machine that built it).

use std::collections::BTreeSet;

use worker::kernel::KernelFiles;

use super::{Host, SshError};

/// Instructions whose name in Linux differs from the compiler's in more than a dot.
const NAMES: [(&str, &str); 31] = [
    ("sse3", "pni"),
    ("lzcnt", "abm"),
    ("cmpxchg16b", "cx16"),
    ("lahfsahf", "lahf_lm"),
    ("sha", "sha_ni"),
    ("avx512vbmi2", "avx512_vbmi2"),
    ("avx512vnni", "avx512_vnni"),
    ("avx512bitalg", "avx512_bitalg"),
    ("avx512vpopcntdq", "avx512_vpopcntdq"),
    ("avx512bf16", "avx512_bf16"),
    ("avx512fp16", "avx512_fp16"),
    ("avx512vp2intersect", "avx512_vp2intersect"),
    ("avxvnni", "avx_vnni"),
    ("avxifma", "avx_ifma"),
    ("avxneconvert", "avx_ne_convert"),
    ("avxvnniint8", "avx_vnni_int8"),
    ("avxvnniint16", "avx_vnni_int16"),
    ("neon", "asimd"),
    ("crc", "crc32"),
    ("lse", "atomics"),
    ("rdm", "asimdrdm"),
    ("dotprod", "asimddp"),
    ("fp16", "asimdhp"),
    ("fhm", "asimdfhm"),
    ("rcpc", "lrcpc"),
    ("rcpc2", "ilrcpc"),
    ("dpb", "dcpop"),
    ("dpb2", "dcpodp"),
    ("jsconv", "jscvt"),
    ("rand", "rng"),
    ("frintts", "frint"),
];

/// What a host says of its processor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Processor {
    /// Operating system and architecture, as `uname -sm` prints them.
    pub(crate) system: String,
    pub(crate) model: String,
    /// In Linux' names.
    features: BTreeSet<String>,
}

impl Processor {
    /// Prints what [`Processor::read`] reads.
    pub(crate) const COMMAND: &str = "uname -sm; sed '/^$/q' /proc/cpuinfo";

    /// Reads it; `None` if the answer is another. What a login prints may stand before it.
    pub(crate) fn read(answer: &str) -> Option<Self> {
        let mut lines = answer.lines().skip_while(|line| !line.starts_with("Linux "));
        let system = lines.next()?.trim().to_owned();
        let mut processor = Self { system, ..Self::default() };
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            match name.trim() {
                "flags" | "Features" => {
                    processor.features = value.split_whitespace().map(str::to_owned).collect();
                }
                "model name" => value.trim().clone_into(&mut processor.model),
                _ => {}
            }
        }
        Some(processor)
    }
}

/// What this program asks of a processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Needs {
    system: String,
    features: BTreeSet<String>,
}

impl Needs {
    /// Those of this program, which runs on this machine.
    pub(crate) fn of_this_program() -> Self {
        let files = KernelFiles::here();
        let here = files.cpu_field("flags").or_else(|| files.cpu_field("Features"));
        let compiled = env!("NIBBLE_BENCH_TARGET_FEATURES");
        Self::of(std::env::consts::ARCH, compiled, &here.unwrap_or_default())
    }

    /// Of what it was compiled for, Linux shows a part only: what is not shown here, where the program runs,
    /// can be asked of no host.
    fn of(architecture: &str, compiled: &str, here: &str) -> Self {
        let here: BTreeSet<&str> = here.split_whitespace().collect();
        let by_linux = |name: &str| {
            let known = NAMES.iter().find(|(ours, _)| *ours == name);
            known.map_or_else(|| name.replace('.', "_"), |(_, theirs)| (*theirs).to_owned())
        };
        let features =
            compiled.split(',').map(by_linux).filter(|name| here.contains(name.as_str()));
        Self { system: format!("Linux {architecture}"), features: features.collect() }
    }

    /// Asks a host for its processor, and refuses one on which the program does not run.
    pub(crate) fn met_by(&self, host: &Host) -> Result<(), SshError> {
        let processor = host.processor()?;
        let lacking = self.lacking(&processor);
        if lacking.is_empty() {
            return Ok(());
        }
        Err(SshError::Lacks { host: host.name.clone(), model: processor.model, lacking })
    }

    /// What the processor lacks; empty if the program runs there.
    fn lacking(&self, processor: &Processor) -> Vec<String> {
        if processor.system != self.system {
            return vec![self.system.clone()];
        }
        self.features.difference(&processor.features).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "\
Welcome to node1
Linux x86_64
processor\t: 0
model name\t: Made-up processor @ 2.0GHz
flags\t\t: fpu sse2 pni ssse3 sse4_1 abm avx2 bmi2
";

    #[test]
    fn a_processor_is_read_from_what_a_host_prints() {
        let processor = Processor::read(ANSWER).unwrap();
        assert_eq!((processor.system.as_str(), processor.features.len()), ("Linux x86_64", 8));
        assert_eq!(processor.model, "Made-up processor @ 2.0GHz");
        assert_eq!(Processor::read("Darwin arm64\n"), None);
    }

    #[test]
    fn what_a_processor_lacks_is_named_as_linux_does() {
        let here = "fpu sse2 pni sse4_1 abm avx2 bmi2 avx512_vnni sha_ni";
        let needs = |compiled| Needs::of("x86_64", compiled, here);
        let processor = Processor::read(ANSWER).unwrap();
        assert!(needs("sse2,sse3,sse4.1,lzcnt,avx2,bmi2").lacking(&processor).is_empty());
        assert!(
            needs("crt-static,x87,sse2").lacking(&processor).is_empty(),
            "never shown by Linux"
        );
        assert_eq!(needs("sse3,sha,avx512vnni").lacking(&processor), ["avx512_vnni", "sha_ni"]);
        let arm = Needs::of("aarch64", "neon", "asimd");
        assert_eq!(arm.lacking(&processor), ["Linux aarch64"]);
    }

    #[test]
    fn this_program_runs_on_this_machine() {
        let here =
            std::process::Command::new("sh").args(["-c", Processor::COMMAND]).output().unwrap();
        let here = Processor::read(&String::from_utf8_lossy(&here.stdout)).unwrap();
        let needs = Needs::of_this_program();
        assert_eq!(needs.lacking(&here), Vec::<String>::new());
        // Every x86-64 has it, and so has every program for one.
        assert!(std::env::consts::ARCH != "x86_64" || needs.features.contains("sse2"));
    }
}
