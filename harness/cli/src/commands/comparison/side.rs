//! A side that is measured now: which program runs it, and what it makes of the suite's cells.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use builds::{About, Flavour, Repository};

use super::operand::Operand;
use crate::commands::Failure;
use crate::commands::about;
use record::{Cell, Conditions, System, Work, identity::EnvironmentClass};
use worker::registry;

#[derive(Clone, Debug)]
pub(super) struct LiveSide {
    /// Name on the command line.
    pub(super) name: String,
    /// The program whose workers run its cells.
    pub(super) program: PathBuf,
    pub(super) about: About,
    adapt: Adapt,
    is_build: bool,
}

/// How a side changes a cell of the suite.
#[derive(Clone, Debug)]
enum Adapt {
    AsIs,
    Replace(System),
    Add(BTreeMap<String, String>),
}

/// A cell of the suite, or a workload without a store, that every side measures.
#[derive(Clone, Debug)]
pub(super) struct Base {
    /// Name of the cell on both sides.
    pub(super) name: String,
    pub(super) cell: Cell,
}

impl LiveSide {
    /// The side that `operand`, named `name`, is. A revision is built below `results/builds`, unless it is
    /// there.
    pub(super) fn open(name: &str, operand: &Operand, results: &Path) -> Result<Self, Failure> {
        let here = || {
            std::env::current_exe()
                .map_err(|error| Failure::internal(format!("finding this program: {error}")))
        };
        let (program, adapt) = match operand {
            Operand::System(system) => (here()?, Adapt::Replace(system.clone())),
            Operand::Settings(settings) => (here()?, Adapt::Add(settings.clone())),
            Operand::Build(path) => (path.clone(), Adapt::AsIs),
            Operand::Revision(revision) => {
                (build(revision, results, Flavour::Native)?, Adapt::AsIs)
            }
            Operand::Run(_) | Operand::File(_) => unreachable!("it was measured at its own time"),
        };
        let is_build = matches!(operand, Operand::Build(_));
        Ok(Self { is_build, ..Self::of_program(name, &program, adapt)? })
    }

    /// A side that runs this program.
    pub(super) fn this_program(name: &str) -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::internal(format!("finding this program: {error}")))?;
        Self::of_program(name, &program, Adapt::AsIs)
    }

    fn of_program(name: &str, program: &Path, adapt: Adapt) -> Result<Self, Failure> {
        let about =
            builds::ask(program).map_err(|error| Failure::usage(format!("{name}: {error}")))?;
        let own = about::this_program();
        if about.protocol != own.protocol {
            return Err(Failure::usage(format!(
                "{name}: its workers speak protocol {}, this program speaks {}: compare runs of both \
                 instead, each measured by its own program",
                about.protocol, own.protocol
            )));
        }
        Ok(Self {
            name: name.to_owned(),
            program: program.to_owned(),
            about,
            adapt,
            is_build: false,
        })
    }

    /// Adapts a cell to this side.
    pub(super) fn cell(&self, base: &Cell) -> Result<Cell, Failure> {
        let mut cell = base.clone();
        match &self.adapt {
            Adapt::AsIs => {}
            Adapt::Replace(system) => cell.system = system.clone(),
            Adapt::Add(settings) => {
                let System::Store { options, .. } = &mut cell.system else {
                    return Err(Failure::usage(format!(
                        "{}: settings belong to stores, and what {} measures is none: {}",
                        self.name,
                        base.id,
                        base.system.kind()
                    )));
                };
                options.extend(settings.clone());
            }
        }
        if let System::Store { options, .. } = &mut cell.system {
            // A setting of the harness, not of the store.
            cell.sampling = match options.remove("sampling").as_deref() {
                None | Some("on") => true,
                Some("off") => false,
                Some(other) => {
                    return Err(Failure::usage(format!("sampling = {other}: must be on or off")));
                }
            };
        }
        Ok(cell)
    }

    /// Whether the command line named a program.
    pub(super) fn is_build(&self) -> bool {
        self.is_build
    }

    /// Whether its cells need no store of their own: it brings one.
    pub(super) fn replaces(&self) -> Option<&System> {
        match &self.adapt {
            Adapt::Replace(system) => Some(system),
            Adapt::AsIs | Adapt::Add(_) => None,
        }
    }

    /// Describes the side in results.
    pub(super) fn told(&self) -> compare::Side {
        let mut facts = EnvironmentClass::of_facts(&self.about.facts).facts;
        if let Some(revision) = self.about.facts.get("revision") {
            facts.insert("revision".to_owned(), revision.clone());
        }
        compare::Side { name: self.name.clone(), facts }
    }
}

/// Builds the program of a revision.
pub(super) fn build(revision: &str, results: &Path, flavour: Flavour) -> Result<PathBuf, Failure> {
    let repository = Repository::here().map_err(|error| Failure::usage(error.to_string()))?;
    let commit = repository.commit(revision).map_err(|error| Failure::usage(error.to_string()))?;
    let folder = results.join("builds");
    builds::build(&repository, &commit, &folder, flavour, &mut |line| eprintln!("{line}"))
        .map_err(|error| Failure::internal(error.to_string()))
}

/// What the two sides do not share though they should: classes of builds, conditions of stores.
pub(super) fn unlike(
    baseline: &LiveSide,
    candidate: &LiveSide,
    bases: &[Base],
) -> Result<Vec<String>, Failure> {
    let class = |side: &LiveSide| EnvironmentClass::of_facts(&side.about.facts).facts;
    let (old, new) = (class(baseline), class(candidate));
    let mut unlike = Vec::new();
    for (fact, value) in &old {
        let other = new.get(fact).map_or("unknown", String::as_str);
        if value != other {
            unlike.push(format!("{fact}: `{value}` and `{other}`"));
        }
    }
    for base in bases {
        let expected = |side: &LiveSide| -> Result<Option<Conditions>, Failure> {
            let traits = registry::traits_of(&side.cell(&base.cell)?.system);
            Ok(traits.map(|traits| worker::expected_conditions(traits, 1, 1)))
        };
        if let (Some(old), Some(new)) = (expected(baseline)?, expected(candidate)?) {
            let (of_old, of_new) = (old.beside(&new), new.beside(&old));
            unlike.extend(of_old.iter().zip(&of_new).map(|(a, b)| format!("{a} against {b}")));
        }
    }
    unlike.sort();
    unlike.dedup();
    Ok(unlike)
}

/// Refuses settings that the sides' stores do not have or cannot be given, and requests that they do not
/// answer.
pub(super) fn check_settings(sides: &[&LiveSide], bases: &[Base]) -> Result<(), Failure> {
    for base in bases {
        for side in sides.iter().filter(|side| !matches!(side.adapt, Adapt::AsIs)) {
            crate::commands::workload_options::check(&side.cell(&base.cell)?)?;
        }
    }
    Ok(())
}

/// Refuses cells that need more memory than there is.
pub(super) fn check_memory(sides: &[LiveSide], bases: &[Base]) -> Result<(), Failure> {
    let available = worker::kernel::available_memory_bytes();
    for base in bases {
        for side in sides {
            let wanted = side.cell(&base.cell)?.expected_bytes();
            if wanted > available / 10 * 9 {
                return Err(Failure::machine(format!(
                    "a cell may need {} MiB and {} MiB are available: lower --object-memory, \
                     --operations or --scale",
                    wanted >> 20,
                    available >> 20
                )));
            }
        }
    }
    Ok(())
}

/// The cells of a suite that both sides can measure, once each: those of rooflines price memory, and
/// where a side brings its own store only what is asked counts.
pub(super) fn bases(cells: &[Cell], replaced: Option<&System>) -> Vec<Base> {
    let mut bases: Vec<Base> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.repetition == 0) {
        if registry::is_roofline(&cell.system) {
            continue;
        }
        let mut cell = cell.clone();
        if let Work::Fragmentation(work) = &mut cell.work {
            // Standing idle is observed elsewhere; here it would be most of the time.
            work.idle_ms = 0;
        }
        let name = cell.name();
        let name = match replaced {
            None => name.to_owned(),
            Some(system) => {
                let known = bases.iter().any(|base| base.cell.work == cell.work);
                if cell.system.kind() != system.kind() || known {
                    continue;
                }
                let label = format!("/{}", cell.system.label());
                name.strip_suffix(&label).unwrap_or(name).to_owned()
            }
        };
        bases.push(Base { name, cell });
    }
    bases
}
