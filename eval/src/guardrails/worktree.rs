//! Guards 1 and 2: a recorded commit describes code that somebody can check out, and is the one asked for.
//!
//! Reference page, section 15.1. An untracked file makes a worktree dirty. A beginning of the commit is enough to ask for
//! it; letters are compared as given. Refused too: a repository that gives no answer.

use super::facts::Asked;
use super::refusal::Refusal;

/// Refuses a worktree in which anything changed.
pub fn check_clean(changes: &Asked<Vec<String>>) -> Result<(), Refusal> {
    match changes {
        Asked::Unknown(reason) => {
            Err(Refusal::GitUnknown { what: "whether the worktree is clean", reason: reason.clone() })
        }
        Asked::Answer(lines) if lines.is_empty() => Ok(()),
        Asked::Answer(lines) => Err(Refusal::Dirty { changes: lines.clone() }),
    }
}

/// The full commit, which begins with `expected` where that is given.
pub fn check_sha<'a>(head: &'a Asked<String>, expected: Option<&str>) -> Result<&'a str, Refusal> {
    match head {
        Asked::Unknown(reason) => {
            Err(Refusal::GitUnknown { what: "the commit of the checkout", reason: reason.clone() })
        }
        Asked::Answer(head) => match expected {
            Some(expected) if !head.starts_with(expected) => {
                Err(Refusal::WrongCheckout { head: head.clone(), expected: expected.to_owned() })
            }
            _ => Ok(head),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "2edcf67c3b087958d475813fe19234c12e90698c";

    #[test]
    fn g03_another_commit_is_refused_with_both_named() {
        let zeros = "0".repeat(40);
        let text = check_sha(&Asked::Answer(HEAD.to_owned()), Some(&zeros)).unwrap_err().to_string();
        assert!(text.contains("wrong checkout") && text.contains(HEAD) && text.contains(&zeros), "{text}");
    }

    #[test]
    fn g04_a_beginning_of_the_commit_is_accepted_and_the_whole_is_given() {
        let head = Asked::Answer(HEAD.to_owned());
        assert_eq!(check_sha(&head, Some(&HEAD[..12])), Ok(HEAD));
        assert_eq!(check_sha(&head, Some(HEAD)), Ok(HEAD));
        assert_eq!(check_sha(&head, None), Ok(HEAD));
        assert!(check_sha(&head, Some(&format!("{HEAD}0"))).is_err());
    }

    #[test]
    fn any_line_of_the_status_makes_a_worktree_dirty() {
        assert_eq!(check_clean(&Asked::Answer(Vec::new())), Ok(()));
        let text = check_clean(&Asked::Answer(vec!["?? notes.txt".to_owned()])).unwrap_err().to_string();
        assert!(
            text.starts_with("worktree is dirty: 1 line of") && text.contains("`?? notes.txt`"),
            "{text}"
        );
    }

    #[test]
    fn a_repository_that_does_not_answer_is_refused() {
        let reason = "not a git repository".to_owned();
        let text = check_clean(&Asked::Unknown(reason.clone())).unwrap_err().to_string();
        assert_eq!(text, "whether the worktree is clean is unknown: not a git repository");
        let text = check_sha(&Asked::Unknown(reason), None).unwrap_err().to_string();
        assert_eq!(text, "the commit of the checkout is unknown: not a git repository");
    }
}
