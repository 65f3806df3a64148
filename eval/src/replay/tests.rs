//! The two recorded September stops, and what happens when something is missing.

use super::*;
use crate::adjudication::adjudicate::{Bound, adjudicate_with};
use crate::adjudication::gap_choice::BudgetSource;
use crate::adjudication::ladder::Rung;
use crate::adjudication::outcome::GroundTruthVerdict::{FalsePositive, Unadjudicated, WithinQuantization};
use crate::adjudication::probe::PairSet;
use crate::adjudication::rules::RuleSet;
use crate::adjudication::testing::stop;
use crate::adjudication::{Question, adjudicate};
use crate::rounds::deploy_log;
use crate::testing::shared;
use rollcheck_engine::geometry::dop::Dop26;
use rollcheck_engine::geometry::files::{Description, read_mesh, read_robot};
use rollcheck_engine::geometry::kinematics::panda;
use rollcheck_engine::geometry::pose::pose_from_xyz_rpy;
use rollcheck_engine::geometry::robot::{LinkVolume, RobotModel, Shape, TightGeometry};
use rollcheck_engine::geometry::{ConvexHull, TriangleMesh};
use serde_json::json;
use std::path::Path;

fn arm() -> Description {
    Description { name: "panda".to_owned(), tree: panda(), meshes: vec![], others: vec![], mimics: vec![] }
}

/// The published Panda, from its manifest and meshes where they lie.
fn published(folder: &Path) -> ReplayModel {
    let robot = read_robot(&folder.join("panda_tight_geometry.yaml")).unwrap();
    let mesh = |link| read_mesh(&robot.mesh_path(link, None).unwrap()).map_err(|e| e.to_string());
    let meshes = robot.model.links.iter().map(|link| (link.link_name.clone(), mesh(link))).collect();
    ReplayModel::new(&robot.model, arm(), &meshes)
}

fn log(round: &Path, file: &str) -> DeployLog {
    let bytes = rollcheck_engine::store::atomic::read(&round.join(file)).unwrap();
    deploy_log::parse(&bytes, file).unwrap()
}

fn mm(pair: &LinkPair) -> f64 {
    let found = pair.hulls.as_ref().unwrap();
    assert!(found.certified());
    1000.0 * found.distance_m
}

fn near(found_mm: f64, expected_mm: f64) {
    assert!((found_mm - expected_mm).abs() <= 0.02, "{found_mm} mm, expected {expected_mm} mm");
}

#[test]
fn the_stop_of_2026_09_04_replays_to_its_boxes_and_its_hulls() {
    let test = "the_stop_of_2026_09_04_replays_to_its_boxes_and_its_hulls";
    let Some(folder) = shared(test, "rounds/2026-09-04-post200-2") else { return };
    let Some(robot) = shared(test, "panda") else { return };
    let log = log(&folder, "sink_cup/run_deploy_excerpt.log");
    let replay = replay(&log, &published(&robot));
    assert_eq!(replay.states.len(), 1);
    assert_eq!(
        replay.missing,
        [(StateSource::Predicted, StateFault::NotRecorded { field: states::PREDICTED_FIELD })]
    );
    let named = replay.named().unwrap();
    assert!(named.is("panda_link5", "panda_link7") && !named.adjacent);
    near(mm(named), 5.35);
    near(1000.0 * named.boxes_m.as_ref().unwrap(), -27.58);
    let text = account::sentences(&replay).join("\n");
    assert!(text.contains("the reported -31.9657 mm belongs to a predicted state not on record"), "{text}");
    let stand_in = replay.stand_in().unwrap();
    assert_eq!(stand_in.state, ReplayedState::AfterTheStop);
    assert_eq!(stand_in.overhang_m, [Some(0.000_259), Some(0.000_089)]);
    assert_eq!(stand_in.box_gap_m, Some(0.176_44));
}

#[test]
fn the_eight_certified_pairs_of_2026_09_07_come_out_of_its_measured_state() {
    let test = "the_eight_certified_pairs_of_2026_09_07_come_out_of_its_measured_state";
    let Some(folder) = shared(test, "rounds/2026-09-07-adr0101-live-1") else { return };
    let Some(robot) = shared(test, "panda") else { return };
    let log = log(&folder, "utensil/run_deploy.log");
    let replay = replay(&log, &published(&robot));
    assert!(replay.missing.is_empty(), "{:?}", replay.missing);
    assert_eq!(replay.stop.as_ref().unwrap().1, StopSource::Evidence);
    assert_eq!(replay.comparison(), Some(Comparison::PayloadWorld));
    assert_eq!(replay.named(), None);
    assert_eq!(replay.stand_in(), None);
    let published_mm = [
        ("panda_link3", "panda_link4", -36.336),
        ("panda_link5", "panda_link6", -23.037),
        ("panda_link4", "panda_link5", -4.553),
        ("panda_link6", "panda_link7", 0.631),
        ("panda_link2", "panda_link3", 0.975),
        ("panda_link5", "panda_link7", 22.181),
        ("panda_link2", "panda_link4", 68.682),
        ("panda_link3", "panda_link5", 72.060),
    ];
    let measured = replay.state(StateSource::Measured).unwrap();
    for (a, b, expected_mm) in published_mm {
        let pair = measured.pairs.iter().find(|pair| pair.is(a, b)).unwrap();
        near(mm(pair), expected_mm);
        near(1000.0 * pair.probe_m.unwrap(), expected_mm);
    }
    // The probe's ninth, link 1 against 2, it does not vouch for.
    assert_eq!(measured.pairs.iter().filter(|pair| pair.probe_m.is_some()).count(), 8);
    let predicted = replay.state(StateSource::Predicted).unwrap();
    assert_eq!(predicted.state.joints[3], ("panda_joint1".to_owned(), 0.177_701_495_526_807_36));
    let far = published_mm.iter().any(|&(a, b, expected_mm)| {
        let pair = predicted.pairs.iter().find(|pair| pair.is(a, b)).unwrap();
        (mm(pair) - expected_mm).abs() > 1.0
    });
    assert!(far, "the two states are told apart by their pairs");
    assert_eq!(measured.pairs.len(), 21);
}

/// A cube of 0.1 m about the link's origin, as 12 triangles.
fn cube() -> TriangleMesh {
    let hull = ConvexHull::of_box([0.05; 3]).unwrap();
    TriangleMesh::from_indexed(hull.vertices(), hull.facets()).unwrap()
}

/// The built-in arm with the same cube on links 4, 5, 6 and 7; all but link 4 ship it as their hull.
fn cubes() -> ReplayModel {
    let volume = |n: usize| LinkVolume {
        link_name: format!("panda_link{n}"),
        mesh: None,
        shape: Shape::Box { half_extents_m: [0.06; 3] },
        link_from_box: pose_from_xyz_rpy([0.0; 6]),
        origin_xyz_rpy: [0.0; 6],
        tight: (n > 4).then(|| TightGeometry {
            dop: Dop26::around(cube().vertices()).unwrap(),
            hull_vertices_m: cube().vertices().to_vec(),
            hull_overhang_m: (n > 5).then_some(0.0001),
        }),
    };
    let robot = RobotModel { name: "cubes".to_owned(), links: (4..8).map(volume).collect() };
    let meshes = robot.links.iter().map(|l| (l.link_name.clone(), Ok(cube()))).collect();
    ReplayModel::new(&robot, arm(), &meshes)
}

/// A log with a stop and a snapshot that has these joints.
fn logged(stop: StopLine, snapshot: Value, evidence: Option<Value>) -> DeployLog {
    let object = |value: Value| if let Value::Object(map) = value { map } else { panic!("an object") };
    DeployLog {
        stop: Some(stop),
        snapshot: Some(object(snapshot)),
        evidence: evidence.map(object),
        ..DeployLog::default()
    }
}

fn all_zero() -> Value {
    let names: Vec<String> = (1..8).map(|n| format!("panda_joint{n}")).collect();
    json!({"name": names, "position": vec![0.0; 7]})
}

fn own(a: &str, b: &str) -> StopLine {
    stop("self", a, b, -0.01)
}

/// At all joints zero, links 5 and 6 share an origin and link 7 stands 88 mm off in x, turned by 180 degrees about x: two
/// cubes of 100 mm overlap by 12 mm, their 120 mm boxes by 32 mm.
#[test]
fn cubes_on_the_zero_pose_are_where_arithmetic_puts_them() {
    let log = logged(own("panda_link7", "panda_link5"), json!({"robot_joint_state": all_zero()}), None);
    let found = replay(&log, &cubes());
    let named = found.named().unwrap();
    let hulls = named.hulls.as_ref().unwrap();
    assert!((hulls.distance_m + 0.012).abs() < 1e-9 && hulls.certified());
    assert!((named.boxes_m.as_ref().unwrap() + 0.032).abs() < 1e-12);
    let adjacent = |a, b| found.states[0].pairs.iter().find(|p| p.is(a, b)).unwrap().adjacent;
    assert!(adjacent("panda_link6", "panda_link7") && !adjacent("panda_link5", "panda_link7"));
    // Corner slop of a 120 mm box about a 100 mm cube: sqrt(3) * 10 mm.
    assert_eq!(found.box_gap_m, Some(0.034_642));
    let stand_in = found.stand_in().unwrap();
    assert_eq!((stand_in.both_hulled, stand_in.overhang_m), (true, [Some(0.0001), None]));
    assert!(
        account::sentences(&found)[2].contains("overlap by 12.000 mm"),
        "{:?}",
        account::sentences(&found)
    );
}

#[test]
fn the_predicted_state_is_taken_from_the_snapshot_or_from_a_line_of_its_own() {
    let evidence = |a: &str, positions: Value| json!({"link_a": a, "link_b_or_object": "panda_link7", "joint_positions_rad": positions});
    let bent = json!([0.0, 0.0, 0.0, 0.0, 0.0, 0.7, 0.0]);
    let own_line = |e: Value, seq: i64| Some(json!({"collision_evidence": e, "stop_seq": seq}));
    let snapshot =
        |inside: Value| json!({"robot_joint_state": all_zero(), "collision_evidence": inside, "stop_seq": 1});
    let states = |snapshot: Value, line: Option<Value>| {
        let log = logged(own("panda_link5", "panda_link7"), snapshot, line);
        let found = replay(&log, &cubes());
        (found.states.len(), found.held_against().unwrap().state.source, found.missing)
    };
    let both = (2, StateSource::Predicted, vec![]);
    let good = evidence("panda_link5", bent.clone());
    assert_eq!(states(snapshot(good.clone()), None), both);
    assert_eq!(states(snapshot(Value::Null), own_line(good.clone(), 1)), both);
    let fault = |snapshot: Value, line: Option<Value>| {
        let (count, source, missing) = states(snapshot, line);
        assert_eq!((count, source), (1, StateSource::Measured));
        missing[0].1.to_string()
    };
    let absent = "`collision_evidence.joint_positions_rad` is not on record";
    assert_eq!(fault(snapshot(Value::Null), own_line(good, 2)), absent, "another stop's line");
    assert_eq!(fault(snapshot(evidence("panda_link5", Value::Null)), None), absent);
    let other = fault(snapshot(evidence("panda_link4", bent.clone())), None);
    assert_eq!(other, "`collision_evidence` is of 'panda_link4' and 'panda_link7', which is not this stop");
    let short = fault(snapshot(evidence("panda_link5", json!([0.0, 1.0]))), None);
    assert_eq!(short, "`collision_evidence.joint_positions_rad`: 7 names for 2 positions");
    let text = fault(snapshot(evidence("panda_link5", json!([0.0, "NaN"]))), None);
    assert!(text.contains("joint_positions_rad[1]`: expected a finite number, found text"), "{text}");
}

#[test]
fn names_that_are_missing_or_doubled_place_no_position() {
    let evidence =
        json!({"link_a": "panda_link5", "link_b_or_object": "panda_link7", "joint_positions_rad": [0.0]});
    for (state, predicted, measured) in [
        (Value::Null, "positions without names", "`robot_joint_state` is not on record"),
        (json!({"position": [0.0]}), "positions without names", "`robot_joint_state.name` is not on record"),
        (json!({"name": ["a", "a"]}), "robot_joint_state.name[1]`", "robot_joint_state.name[1]`"),
        (json!(3), "positions without names", "`robot_joint_state`: expected an object, found 3"),
    ] {
        let snapshot = json!({"robot_joint_state": state, "collision_evidence": evidence});
        let found = replay(&logged(own("panda_link5", "panda_link7"), snapshot, None), &cubes());
        let reasons: Vec<String> = found.missing.iter().map(|(_, fault)| fault.to_string()).collect();
        assert!(reasons[0].contains(predicted) && reasons[1].contains(measured), "{reasons:?}");
        assert_eq!((found.named(), found.stand_in()), (None, None));
    }
}

#[test]
fn what_cannot_be_measured_says_which_link_and_why() {
    let reason = |a: &str, model: &ReplayModel, state: Value| {
        let log = logged(own(a, "panda_link7"), json!({"robot_joint_state": state}), None);
        let found = replay(&log, model);
        assert_eq!(found.stand_in(), None);
        found.named().unwrap().hulls.as_ref().unwrap_err().to_string()
    };
    let model = cubes();
    assert_eq!(
        reason("panda_link9", &model, all_zero()),
        "link `panda_link9` is unknown: the robot declares no such link"
    );
    let few = json!({"name": ["panda_joint1", "panda_joint2", "panda_joint3", "panda_joint4"], "position": [0, 0, 0, 0]});
    let missing = "link `panda_link5`: the position of joint `panda_joint5` is not on record";
    assert_eq!(reason("panda_link5", &model, few), missing);
    let mut bare = cubes();
    bare.links[1].hull = Err("no mesh file".to_owned());
    assert_eq!(reason("panda_link5", &bare, all_zero()), "link `panda_link5` has no hull: no mesh file");
    bare.links[1].name = "gripper".to_owned();
    let nowhere = "link `gripper` is not in the kinematics: nothing says where it is";
    assert_eq!(reason("gripper", &bare, all_zero()), nowhere);
    // One unmeasured box, and the largest slop is not known to be the largest.
    bare.links[1].corner_slop_m = None;
    assert_eq!(bare.box_gap_m(), None);
    let log = logged(own("panda_link4", "panda_link7"), json!({"robot_joint_state": all_zero()}), None);
    let found = replay(&log, &bare);
    assert_eq!((found.states[0].pairs.len(), found.states[0].left_out.len()), (3, 1));
}

#[test]
fn a_stop_that_is_no_pair_of_links_measures_no_pair() {
    let log = logged(
        stop("world", "panda_link5", "voxel_3", -0.01),
        json!({"robot_joint_state": all_zero()}),
        None,
    );
    let found = replay(&log, &cubes());
    assert_eq!((found.named(), found.states[0].pairs.len()), (None, 6));
    assert!(account::sentences(&found).iter().any(|s| s.contains("is no pair of links")));
}

/// The replay fills in for a pair that nobody measured, and only then; it never convicts on doubt.
#[test]
fn a_stand_in_changes_only_what_nobody_measured() {
    let coverage = json!({"truncated": false, "probed_pairs": 3, "distmax_m": 0.1, "uncertified_pairs": 0,
                          "noncollidable_side_geoms_excluded": 0});
    let snapshot = |pairs: Value, budget: Value| {
        let value = json!({"nearest_probe_coverage": coverage, "nearest_link_link_pairs": pairs, "adjudication_budget": budget});
        if let Value::Object(map) = value { map } else { panic!("an object") }
    };
    let stand_in = |distance_m: f64, state| StandIn {
        distance_m,
        state,
        state_field: states::PREDICTED_FIELD,
        both_hulled: false,
        box_gap_m: Some(0.1),
        overhang_m: [Some(0.0002), Some(0.0001)],
    };
    let judge = |pairs: Value, budget: Value, boxed: bool, stand_in: &StandIn| {
        let object = snapshot(pairs, budget);
        let stop = StopLine { depth_is_box_bound: boxed, ..own("panda_link5", "panda_link7") };
        let question = Question {
            stop: &stop,
            snapshot: Some(&object),
            snapshot_lost: false,
            grid_resolution_m: None,
            monitor_records: None,
            rules: RuleSet::Documented,
        };
        let documented = adjudicate(&question).unwrap();
        assert_eq!(documented.replayed, None);
        (documented, adjudicate_with(&question, Some(stand_in)).unwrap())
    };
    let of_check = |m| stand_in(m, ReplayedState::OfTheCheck);
    let (documented, with) = judge(Value::Null, Value::Null, true, &of_check(0.02));
    assert_eq!((documented.verdict, documented.rung), (Unadjudicated, Rung::Unprobed));
    assert_eq!(
        (with.verdict, with.budget.source, with.budget.admissible_gap_m),
        (WithinQuantization, BudgetSource::RobotFile, Some(0.1))
    );
    assert_eq!((with.pair_set, with.bound), (PairSet::Replayed, Bound::Replayed(0.02)));
    // 20 + 10 mm against 0.3 mm of overhang: false, but only if the number is of this state and fidelity.
    let (_, with) = judge(Value::Null, Value::Null, false, &of_check(0.02));
    assert_eq!((with.verdict, with.budget.admissible_gap_m), (FalsePositive, Some(0.0003)));
    let after = stand_in(0.02, ReplayedState::AfterTheStop);
    let hulled = StandIn { both_hulled: true, ..of_check(0.02) };
    for (doubted, words) in
        [(&after, "not on record"), (&hulled, "of boxes or of hulls"), (&of_check(-0.001), "overlaps")]
    {
        let (_, with) = judge(Value::Null, Value::Null, false, doubted);
        assert_eq!(
            (with.verdict, with.rung, with.reason_ids()),
            (Unadjudicated, Rung::BeyondReplay, vec!["E1"])
        );
        assert!(with.reason_text.contains(words), "{}", with.reason_text);
    }
    // A published budget stands, and a pair that the probe measured is not replaced.
    let published = json!({"link_link": {"admissible_gap_box_m": 0.02}});
    let (_, with) = judge(Value::Null, published.clone(), true, &of_check(0.005));
    assert_eq!((with.budget.source, with.budget.admissible_gap_m), (BudgetSource::Published, Some(0.02)));
    let measured = json!([{"body_a": "robot0_link7", "body_b": "robot0_link5", "distance_m": 0.001}]);
    let (documented, with) = judge(measured, published, true, &of_check(0.5));
    assert_eq!(documented, with);
    // No term in the manifest, no budget.
    let blind = StandIn { overhang_m: [Some(0.0002), None], ..of_check(0.02) };
    let (_, with) = judge(Value::Null, Value::Null, false, &blind);
    assert_eq!(
        (with.verdict, with.rung, with.budget.source),
        (Unadjudicated, Rung::NoPairBudget, BudgetSource::Unknown)
    );
}
