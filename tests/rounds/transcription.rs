//! 17.1, what concerns whole scenes. T01, T02, T05 to T08, T11 and T12 stand beside their parsers.

use crate::support::{judge, recorded};
use rollcheck_eval::adjudication::party::involves_payload;
use rollcheck_eval::adjudication::rules::RuleSet;

fn stop_of(round: &str, scene: &str) -> Option<rollcheck_eval::rounds::deploy_log::StopLine> {
    judge(&recorded(round)?, scene, RuleSet::Documented).stop
}

#[test]
fn t03_the_stops_of_2026_08_22_are_transcribed() {
    for (scene, party_a, party_b, step, min_m) in [
        ("baguette", "panda_link5", "voxel_170781", 0, -0.020_917_8),
        ("sink_cup", "attached:sim:obj_main", "voxel_87084", -1, -0.013_375_4),
        ("fridge", "panda_link7", "voxel_169769", -1, -0.024_748_9),
        ("utensil", "panda_link1", "voxel_76001", -1, -0.017_276_4),
    ] {
        let Some(folder) = recorded("2026-08-22-master-1") else { return };
        let judged = judge(&folder, scene, RuleSet::Documented);
        let stop = judged.stop.unwrap();
        assert_eq!((stop.party_a.as_str(), stop.party_b.as_str()), (party_a, party_b));
        assert_eq!((stop.horizon_step, stop.min_distance_m), (step, min_m));
        assert_eq!((judged.exemption_active, stop.place_allowance_active), (Some(false), false));
    }
}

#[test]
fn t04_the_stop_of_2026_08_16_had_a_live_exemption() {
    let Some(stop) = stop_of("2026-08-16-master-1", "baguette") else { return };
    assert_eq!((stop.min_distance_m, stop.sweep_min_distance_m), (-0.004_184_56, Some(-0.035_533_8)));
    assert!(involves_payload(&stop));
    let folder = recorded("2026-08-16-master-1").unwrap();
    assert_eq!(judge(&folder, "baguette", RuleSet::Documented).exemption_active, Some(true));
}

#[test]
fn t09_the_witness_timeline_of_2026_08_22_baguette() {
    let Some(folder) = recorded("2026-08-22-master-1") else { return };
    let witness = judge(&folder, "baguette", RuleSet::Documented).verdict.witness;
    assert_eq!((witness.attach_t_s, witness.detach_t_s), (Some(176.32), Some(226.537)));
    assert_eq!(witness.support_id.as_deref(), Some("sim:counter_1_left_group_main"));
    assert_eq!((witness.kernel_witness_armed, witness.kernel_witness_separated), (1, 1));
    assert!(witness.place_region_armed && witness.place_declaration_seen);
    assert_eq!(witness.place_allowance_active_lines, 0);
}

#[test]
fn t10_nothing_was_attached_in_fridge_and_utensil_of_2026_08_22() {
    let Some(folder) = recorded("2026-08-22-master-1") else { return };
    for scene in ["fridge", "utensil"] {
        assert_eq!(judge(&folder, scene, RuleSet::Documented).verdict.witness.attach_t_s, None);
    }
}
