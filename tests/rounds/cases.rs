//! Inputs that went wrong elsewhere.

use crate::support::judge;
use rollcheck_eval::adjudication::outcome::Outcome;
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::verdict::derive::Finding;

#[test]
fn h05_a_torn_monitor_stream_is_read_past_its_wounds() {
    let folder = rollcheck_fixtures::path("cases/H05-monitor-torn/round");
    let judged = judge(&folder, "utensil", RuleSet::Documented);
    let v = &judged.verdict;
    assert_eq!((v.outcome, v.witness.attach_t_s), (Outcome::DeadlineAfterGrasp, Some(9.25)));
    assert_eq!((v.monitor_records, v.witness.detach_t_s), (Some(3), None));
    let skipped: Vec<u64> = judged
        .findings
        .iter()
        .filter_map(|f| if let Finding::Unread(unread) = f { Some(unread.lines.lines) } else { None })
        .collect();
    assert_eq!(skipped, [2]);
}
