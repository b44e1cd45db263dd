//! `claims`: what the published claims ask, and what a run says of them.

use expect::{Expectation, render};
use serde::Serialize;

use super::{asked, asked_of, built_in, summaries};
use crate::cli::ClaimsArguments;
use crate::commands::{Failure, output};
use record::archive;
use record::unknown_name;

/// Lists the claims, or checks them on a run. Nothing is measured and nothing is written.
pub(in crate::commands) fn run(arguments: &ClaimsArguments) -> Result<(), Failure> {
    match &arguments.run {
        Some(folder) => {
            let (run, rows) = archive::load(folder).map_err(Failure::usage)?;
            let claims = chosen(asked_of(&run), &arguments.claims)?;
            let answers = asked(&claims, &summaries(folder, &rows)?, &run.machine);
            tell(&answers, render::text(&answers), arguments.json);
        }
        None => {
            let listed = render::listed(&chosen(built_in(), &arguments.claims)?);
            tell(&listed, render::list(&listed), arguments.json);
        }
    }
    Ok(())
}

fn tell(data: &impl Serialize, text: String, json: bool) {
    if json { output::print_json(data) } else { output::print(&text) }
}

/// The claims with those ids, in the order of the file; all where none is named.
fn chosen(claims: Vec<Expectation>, ids: &[String]) -> Result<Vec<Expectation>, Failure> {
    for id in ids {
        if claims.iter().all(|claim| claim.id != *id) {
            let known = claims.iter().map(|claim| claim.id.as_str());
            return Err(Failure::usage(unknown_name("claim", id, known)));
        }
    }
    Ok(claims.into_iter().filter(|claim| ids.is_empty() || ids.contains(&claim.id)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_chosen_by_id_and_unknown_ones_name_near_ones() {
        let ids = ["fig14-nibble-falls", "fig1-two-to-three"].map(str::to_owned);
        let named = chosen(built_in(), &ids).unwrap();
        let named: Vec<&str> = named.iter().map(|claim| claim.id.as_str()).collect();
        assert_eq!(named, ["fig1-two-to-three", "fig14-nibble-falls"], "in the order of the file");
        assert_eq!(chosen(built_in(), &[]).unwrap().len(), built_in().len());
        let failure = chosen(built_in(), &["fig14-nible-falls".to_owned()]).unwrap_err();
        let said = failure.message.unwrap();
        assert!(
            said.contains("unknown claim `fig14-nible-falls`: did you mean fig14-nibble"),
            "{said}"
        );
    }

    #[test]
    fn every_claim_is_listed_with_a_number_in_its_bound() {
        let listed = render::listed(&built_in());
        for question in listed.iter().flat_map(|claim| &claim.questions) {
            assert!(
                question.bound.contains(|letter: char| letter.is_ascii_digit()),
                "{question:?}"
            );
        }
        let text = render::list(&listed);
        for claim in &listed {
            assert!(text.contains(&format!("\n  says     {}\n", claim.says)), "{}", claim.id);
        }
        let json = serde_json::to_value(&listed).unwrap();
        assert_eq!(json[0]["id"], "fig1-two-to-three");
        assert!(json[0]["questions"][0]["where"]["pattern"].is_array());
    }
}
