//! What `sentinel audit` prints. No share of false alarms stands without its count and interval.

use crate::commands::head::summary::{PHASE_HEADER, phase_row};
use crate::pipeline::audit::{Audit, PhaseSet};
use crate::pipeline::latency::CheckTimes;
use crate::pipeline::training::SplitSizes;
use crate::printer::{Render, table};
use crate::report::format::{number, percent_interval};
use rollcheck_models::audit::{PhaseTable, Share};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A finished audit.
#[derive(Clone, Debug)]
pub struct AuditResult {
    /// `graph_hash`.
    pub graph_hash: String,
    /// `head_hash`.
    pub head_hash: String,
    /// Seed of the split and of the disturbances.
    pub seed: u64,
    /// Sizes of the split.
    pub split: SplitSizes,
    /// File of the audit split.
    pub demos: String,
    /// File of the shifted set.
    pub shifted: Option<String>,
    /// The figures.
    pub audit: Audit,
    /// Time of a check.
    pub check_ms: CheckTimes,
}

impl Render for AuditResult {
    fn json(&self) -> Value {
        json!({
            "graph": {"hash": self.graph_hash},
            "head": {"hash": self.head_hash},
            "seed": self.seed,
            "split": self.split,
            "demos": self.demos,
            "shifted": self.shifted,
            "audit": self.audit,
            "check_ms": self.check_ms,
        })
    }

    fn text(&self) -> String {
        let mut text = format!(
            "audit split of seed {}: {} demos of {}, each without its own strand\n\n",
            self.seed, self.audit.audit.all.episodes, self.demos
        );
        text += &phase_table(&self.audit.audit);
        if let (Some(set), Some(file)) = (&self.audit.shifted, &self.shifted) {
            let _ = writeln!(text, "\nshifted, no claim: {} episodes of {file}\n", set.all.episodes);
            text += &phase_table(set);
        }
        text.push('\n');
        text += &rates_table(&self.audit);
        text += &rates_footer(&self.audit);
        let _ = writeln!(
            text,
            "\none check on one thread: {} ms median, {} ms 99th percentile, of {}",
            number(self.check_ms.p50, 2),
            number(self.check_ms.p99, 2),
            self.check_ms.checks
        );
        text
    }
}

/// Every estimate on one set, and on its rarer order where the file tells.
pub fn phase_table(set: &PhaseSet) -> String {
    let rows = |table: &PhaseTable, suffix: &str| {
        [
            ("filtered", &table.filtered),
            ("memoryless", &table.memoryless),
            ("clock", &table.clock),
            ("nearest neighbours", &table.knn),
        ]
        .map(|(name, t)| phase_row(&format!("{name}{suffix}"), t))
    };
    let mut all = rows(&set.all, "").to_vec();
    if let Some(rarer) = &set.rarer_order {
        all.extend(rows(rarer, ", rarer order").into_iter().take(2));
    }
    table(&PHASE_HEADER, all)
}

/// False alarms and detection of every setting.
pub fn rates_table(audit: &Audit) -> String {
    let counted = |share: &Share| {
        let rate = percent_interval(share.share, Some(share.interval));
        format!("{} of {}: {rate}", share.count, share.of)
    };
    let mut rows = Vec::new();
    let mut push = |what: String, cells: Vec<String>| rows.push([vec![what], cells].concat());
    let each = |f: &dyn Fn(&crate::pipeline::audit::SettingAudit) -> String| {
        audit.settings.iter().map(f).collect::<Vec<_>>()
    };
    push("rule".to_owned(), each(&|s| s.rule.clone()));
    push("false alarms, audit".to_owned(), each(&|s| counted(&s.false_alarms.episodes)));
    if audit.settings.iter().any(|s| s.shifted_false_alarms.is_some()) {
        let shifted = |s: &crate::pipeline::audit::SettingAudit| {
            s.shifted_false_alarms.as_ref().map_or_else(|| "-".to_owned(), |f| counted(&f.episodes))
        };
        push("false alarms, shifted (no claim)".to_owned(), each(&shifted));
    }
    for (k, first) in audit.settings.first().map_or(&[][..], |s| &s.detection).iter().enumerate() {
        push(
            format!("detected: {} (generated)", first.disturbance),
            each(&|s| counted(&s.detection[k].detected)),
        );
        let delay = |s: &crate::pipeline::audit::SettingAudit| {
            s.detection[k].median_delay_checks.map_or_else(|| "-".to_owned(), |d| format!("{d} checks"))
        };
        push("  median delay".to_owned(), each(&delay));
    }
    let header: Vec<&str> = std::iter::once("").chain(audit.settings.iter().map(|s| s.name)).collect();
    table(&header, rows)
}

/// What the rules claim against what the intervals allow to say.
pub fn rates_footer(audit: &Audit) -> String {
    let supported: Vec<&str> = audit
        .settings
        .iter()
        .filter(|s| s.false_alarms.episodes.interval.1 <= audit.alpha)
        .map(|s| s.name)
        .collect();
    let verdict = if supported.is_empty() {
        "no measured interval lies under it".to_owned()
    } else {
        format!("the measured interval lies under it for: {}", supported.join(", "))
    };
    format!(
        "\nIntervals are exact (Clopper-Pearson), 95 %. The rules are built for {} % false alarms an episode; {verdict}.\n",
        100.0 * audit.alpha
    )
}
