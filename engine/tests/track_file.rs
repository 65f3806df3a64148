//! `g_track.npz`: what is written comes back, what does not belong or cannot be is refused by name.

#![allow(clippy::unwrap_used)]

mod replay_fixtures;
mod sentinel_fixtures;

use proptest::collection::vec;
use proptest::prelude::*;
use replay_fixtures::parameters;
use rollcheck_engine::belief::{AdvanceParameters, SiblingRule};
use rollcheck_engine::constants::NBINS_ALIGN;
use rollcheck_engine::store::{Data, GraphHash, HeadHash, npz};
use rollcheck_engine::track::file::{self, TRACK_FILE, from_arrays, to_arrays};
use rollcheck_engine::track::{Banks, TrackParameters};
use rollcheck_engine::when::pooling::PoolLevel;
use rollcheck_engine::when::{BasinCell, BasinTable, NullBank};
use sentinel_fixtures::{Golden, graph};
use std::sync::LazyLock;

static FITTED: LazyLock<TrackParameters> =
    LazyLock::new(|| parameters(&Golden::read("golden_replay.npz"), &graph()));

fn foreign_graph() -> GraphHash {
    GraphHash::of([("another", &[1][..], &Data::U8(vec![1]))])
}

fn foreign_head() -> HeadHash {
    HeadHash::of([("another", &[1][..], &Data::U8(vec![1]))])
}

/// Equal in every bit; the first checks of a replay have no progress and so a NaN.
fn assert_same(found: &TrackParameters, expected: &TrackParameters) {
    let split = |p: &TrackParameters| {
        let bits = |bank: &NullBank| {
            let values: Vec<u64> = bank.value().iter().map(|x| x.to_bits()).collect();
            (values, bank.owner().to_vec(), bank.task_id().to_vec(), bank.bin().to_vec())
        };
        let Banks { basin, progress, evidence } = &p.banks;
        ([basin, progress, evidence].map(bits), TrackParameters { banks: Banks::default(), ..p.clone() })
    };
    assert_eq!(split(found), split(expected));
}

#[test]
fn a_file_comes_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    file::write(folder.path(), &FITTED).unwrap();
    assert_same(&file::read(folder.path(), &FITTED.graph, &FITTED.head).unwrap(), &FITTED);
}

#[test]
fn the_file_says_how_far_each_bank_was_pooled() {
    let arrays = to_arrays(&FITTED);
    for name in ["null_basin", "null_progress", "null_evidence"] {
        let levels = arrays.get(&format!("{name}_level")).unwrap();
        assert_eq!(levels.shape, [2, NBINS_ALIGN], "{name}");
        // Five replays of 30 checks spread over 20 bins: no cell holds 30 samples, each task does.
        assert_eq!(levels.data, Data::I32(vec![PoolLevel::Task.code(); 2 * NBINS_ALIGN]), "{name}");
    }
}

#[test]
fn a_foreign_graph_and_a_foreign_head_are_refused_with_both_hashes() {
    let arrays = to_arrays(&FITTED);
    assert_eq!(
        from_arrays(&arrays, &foreign_graph(), &FITTED.head).unwrap_err().to_string(),
        format!("g_track.npz: made for graph {}, but this is graph {}", FITTED.graph, foreign_graph())
    );
    assert_eq!(
        from_arrays(&arrays, &FITTED.graph, &foreign_head()).unwrap_err().to_string(),
        format!("g_track.npz: made for head {}, but this is head {}", FITTED.head, foreign_head())
    );
}

#[test]
fn a_missing_file_is_refused_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let refused = file::read(folder.path(), &FITTED.graph, &FITTED.head).unwrap_err().to_string();
    assert!(refused.starts_with(&folder.path().join(TRACK_FILE).display().to_string()), "{refused}");
}

/// What is said of a file in which one array was replaced.
fn refused(array: &str, shape: &[usize], data: Data) -> String {
    let mut arrays = to_arrays(&FITTED);
    assert!(arrays.find(array).is_some(), "`{array}` is in the file");
    arrays.push(array, shape, data);
    from_arrays(&arrays, &FITTED.graph, &FITTED.head).unwrap_err().to_string()
}

#[test]
fn malformed_transitions_are_refused_by_name() {
    let f64s = |values: &[f64]| Data::F64(values.to_vec());
    let mut pi = FITTED.advance.pi;
    assert_eq!(refused("pi", &[7], f64s(&pi[..7])), "g_track.npz: array `pi` has shape [7], expected [8]");
    assert_eq!(refused("pi", &[8], f64s(&[0.25; 8])), "g_track.npz: parameter `sum of pi`: 2, expected 1");
    pi[2] = -0.5;
    assert_eq!(
        refused("pi", &[8], f64s(&pi)),
        "g_track.npz: parameter `pi[2]`: -0.5, expected a finite weight of at least 0"
    );
    assert_eq!(
        refused("advance_set", &[8], Data::I32(vec![0, 1, 2, 4, 6, 8, 12, 15])),
        "g_track.npz: array `advance_set`, index 7: 15, expected 16"
    );
    assert_eq!(
        refused("beta", &[], f64s(&[1.5])),
        "g_track.npz: parameter `beta`: 1.5, expected a share from 0 to 1"
    );
    assert_eq!(
        refused("leak", &[], f64s(&[f64::NAN])),
        "g_track.npz: array `leak`, index 0: NaN, expected a share from 0 to 1"
    );
    assert_eq!(
        refused("tau", &[], f64s(&[0.0])),
        "g_track.npz: array `tau`, index 0: 0, expected a positive temperature"
    );
    assert_eq!(
        refused("sibling_rule", &[], Data::Text(vec!["far".to_owned()])),
        "g_track.npz: array `sibling_rule`, index 0: far, expected near or all"
    );
    assert_eq!(
        refused("replays", &[], Data::I64(vec![-1])),
        "g_track.npz: array `replays`, index 0: -1, expected at least 0"
    );
}

#[test]
fn malformed_banks_are_refused_by_name() {
    let n = FITTED.banks.basin.len();
    let with = |column: &[i32], value| {
        let mut column = column.to_vec();
        column[4] = value;
        Data::I32(column)
    };
    assert_eq!(
        refused("null_basin_bin", &[n], with(FITTED.banks.basin.bin(), 20)),
        "g_track.npz: null_basin: `bin`, index 4: 20, expected a phase bin, 0 to 19"
    );
    assert_eq!(
        refused("null_progress_owner", &[n], with(FITTED.banks.progress.owner(), -1)),
        "g_track.npz: null_progress: `owner`, index 4: -1, expected a demo, at least 0"
    );
    assert_eq!(
        refused("null_evidence_task", &[2], Data::I32(vec![0, 7])),
        format!("g_track.npz: array `null_evidence_task` has shape [2], expected [{n}]")
    );
    assert_eq!(
        refused("null_basin", &[n], Data::I64(vec![1; n])),
        "g_track.npz: array `null_basin` has dtype <i8, expected a float"
    );
}

#[test]
fn malformed_tables_are_refused_by_name() {
    let cells = 2 * NBINS_ALIGN;
    let shape = [2, NBINS_ALIGN];
    let spoil = |value: f64| {
        let mut values = vec![0.1; cells];
        values[23] = value;
        Data::F64(values)
    };
    let levels = |value: i32| Data::I32([vec![1; cells - 1], vec![value]].concat());
    assert_eq!(
        refused("basin_level", &shape, levels(3)),
        "g_track.npz: array `basin_level`, index 39: 3, expected 0, 1 or 2"
    );
    assert_eq!(
        refused("basin_count", &shape, levels(-5)),
        "g_track.npz: array `basin_count`, index 39: -5, expected at least 0"
    );
    assert_eq!(
        refused("basin_r", &shape, spoil(-0.5)),
        "g_track.npz: basin table: `basin_r`, index 23: -0.5, expected a distance in rad"
    );
    assert_eq!(
        refused("basin_h", &shape, spoil(f64::NAN)),
        "g_track.npz: basin table: `basin_h`, index 23: NaN, expected a distance in rad"
    );
    assert_eq!(
        refused("basin_r", &[2, 19], Data::F64(vec![0.1; 38])),
        "g_track.npz: array `basin_r` has shape [2, 19], expected [any, 20]"
    );
    assert_eq!(
        refused("task_ids", &[2], Data::I32(vec![7, 0])),
        "g_track.npz: basin table: `basin tasks`, index 1: 0, expected ascending ids"
    );
    assert_eq!(
        refused("task_ids", &[1], Data::I32(vec![0])),
        "g_track.npz: basin table: `basin cells` holds 40 values, expected 20"
    );
}

#[test]
fn figures_made_by_another_rule_are_refused_by_name() {
    assert_eq!(
        refused("basin_radius_quantile", &[], Data::F64(vec![0.9])),
        "g_track.npz: array `basin_radius_quantile`, index 0: 0.9, expected 0.95"
    );
    assert_eq!(
        refused("min_bank", &[], Data::I64(vec![10])),
        "g_track.npz: array `min_bank`, index 0: 10, expected 30"
    );
}

fn any_bank() -> impl Strategy<Value = NullBank> {
    let value = prop_oneof![4 => -9.0..9.0_f64, 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)];
    vec((value, 0_i32..40, -3_i32..10, 0..NBINS_ALIGN as i32), 0..80).prop_map(|samples| {
        let column = |of: fn(&(f64, i32, i32, i32)) -> i32| samples.iter().map(of).collect();
        let value = samples.iter().map(|s| s.0).collect();
        NullBank::new(value, column(|s| s.1), column(|s| s.2), column(|s| s.3)).unwrap()
    })
}

fn any_table() -> impl Strategy<Value = BasinTable> {
    let cell = (0.0..2.0_f64, 0.0..2.0_f64, 0_i32..3, 0_usize..900).prop_map(
        |(radius_rad, bandwidth_rad, level, count)| BasinCell {
            radius_rad,
            bandwidth_rad,
            level: PoolLevel::from_code(level).unwrap(),
            count,
        },
    );
    (prop::collection::btree_set(-3_i32..10, 0..4), any::<bool>())
        .prop_flat_map(move |(tasks, measured)| {
            let cells = if measured { tasks.len() * NBINS_ALIGN } else { 0 };
            (Just(tasks), vec(cell.clone(), cells))
        })
        .prop_map(|(tasks, cells)| BasinTable::from_cells(tasks.into_iter().collect(), cells).unwrap())
}

fn any_advance() -> impl Strategy<Value = AdvanceParameters> {
    let weights = prop::array::uniform8(0.0..1.0_f64).prop_filter("weights", |w| w.iter().sum::<f64>() > 0.1);
    (weights, 0.0..=1.0_f64, any::<bool>()).prop_map(|(weights, beta, near)| {
        let total: f64 = weights.iter().sum();
        let siblings = if near { SiblingRule::Near } else { SiblingRule::All };
        AdvanceParameters { pi: weights.map(|w| w / total), beta, siblings }
    })
}

proptest! {
    #[test]
    fn any_parameters_come_back_through_the_bytes_of_a_file(
        advance in any_advance(),
        (leak, tau) in (0.0..=1.0_f64, 0.1..9.0_f64),
        (basin, progress, evidence) in (any_bank(), any_bank(), any_bank()),
        table in any_table(),
        (replays, checks) in (0_usize..10_000, 0_usize..1_000_000),
        summary in "[ -~\u{e4}\u{3c0}]{0,80}",
    ) {
        let parameters = TrackParameters {
            advance,
            leak,
            tau,
            banks: Banks { basin, progress, evidence },
            basin: table,
            replays,
            checks,
            summary,
            graph: foreign_graph(),
            head: foreign_head(),
        };
        let bytes = npz::format(&to_arrays(&parameters)).unwrap();
        let arrays = npz::parse(&bytes, TRACK_FILE).unwrap();
        assert_same(&from_arrays(&arrays, &parameters.graph, &parameters.head).unwrap(), &parameters);
    }
}
