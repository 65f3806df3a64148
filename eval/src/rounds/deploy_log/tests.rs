use super::*;
use proptest::prelude::*;

fn of(text: &str) -> DeployLog {
    parse(text.as_bytes(), "run_deploy.log").unwrap()
}

const WORLD_STOP: &str = "[safety_kernel_node-1] [ERROR] [1787386605.255521639] [openral_safety_kernel]: \
    safety.collision kind=world a=panda_link5 b=voxel_170781 step=0 min_distance_m=-0.0209178 \
    sweep_min_distance_m=-0.0209178 mode=5 rskill_id=OpenRAL/rskill-xr1-panda_mobile-robocasa365-nf4 \
    place_allowance_active=0 place_target=";
const SELF_STOP: &str = "[safety_kernel_node-1] [ERROR] [1788606931.490670425] [openral_safety_kernel]: \
    safety.collision kind=self a=attached:sim:obj_main b=panda_link1 step=0 min_distance_m=-0.00155364 \
    sweep_min_distance_m=-0.00155364 mode=5 place_allowance_active=0 place_target=";

#[test]
fn t01_the_stop_line_is_transcribed() {
    let stop = of(&format!("x\n{WORLD_STOP}\n")).stop.unwrap();
    assert_eq!(
        stop,
        StopLine {
            line: 2,
            kind: "world".into(),
            party_a: "panda_link5".into(),
            party_b: "voxel_170781".into(),
            horizon_step: 0,
            min_distance_m: -0.020_917_8,
            sweep_min_distance_m: Some(-0.020_917_8),
            place_allowance_active: false,
            place_target: String::new(),
            depth_is_box_bound: false,
        }
    );
}

#[test]
fn t02_a_log_without_a_stop_has_none() {
    assert_eq!(of("[runtime_node-2] up\n").stop, None);
}

#[test]
fn t05_t06_an_event_is_the_first_object_that_fills_its_line() {
    let text = "[n-3] 2026-08-22 10:16:50 [info ] sim.task_success_final ever_succeeded=False steps=1285\n\
                [n-3] sim.task_success_final {\"steps\": 1, \"success\": false} trailing\n\
                [n-3] sim.task_success_final {\"steps\": 1285, \"success\": false}\n\
                [n-3] sim.task_success_final {\"steps\": 9}\n";
    let log = of(text);
    assert_eq!(log.task_success.unwrap()["steps"], 1285);
    assert_eq!(log.undecodable, Skipped { lines: 1, first: 2 });
}

#[test]
fn t12_a_payload_against_a_link_is_a_self_stop() {
    let stop = of(SELF_STOP).stop.unwrap();
    assert_eq!((stop.kind.as_str(), stop.party_b.as_str()), ("self", "panda_link1"));
    assert_eq!(stop.min_distance_m, -0.001_553_64);
}

#[test]
fn only_a_usable_stop_line_counts_and_only_the_first() {
    let text = format!(
        "safety.collision kind=world a=x\nsafety.collision min_distance_m=1\n{SELF_STOP}\n{WORLD_STOP}\n"
    );
    assert_eq!(of(&text).stop.unwrap().line, 3);
    let oldest = of("safety.collision kind=world a=l b=v step=3 min_distance_m=8.9e-05 mode=5 rskill_id=r")
        .stop
        .unwrap();
    assert_eq!((oldest.sweep_min_distance_m, oldest.min_distance_m, oldest.horizon_step), (None, 8.9e-5, 3));
    let repeated =
        of("safety.collision a=l a=m min_distance_m=1 step=0 depth_is_box_bound=1 place_target=p=q")
            .stop
            .unwrap();
    assert_eq!((repeated.party_a.as_str(), repeated.place_target.as_str()), ("m", "p=q"));
    assert!(repeated.depth_is_box_bound);
    assert_eq!(of("safety.collision a=l min_distance_m=1").stop.unwrap().horizon_step, -1);
}

#[test]
fn a_stop_whose_number_is_none_is_refused_with_its_line() {
    for (value, message) in [
        (
            "a=l min_distance_m=deep",
            "d, line 2: field `safety.collision min_distance_m`: expected a finite number of metres, found `deep`",
        ),
        (
            "a=l min_distance_m=nan",
            "d, line 2: field `safety.collision min_distance_m`: expected a finite number of metres, found `nan`",
        ),
        (
            "a=l min_distance_m=1 sweep_min_distance_m=",
            "d, line 2: field `safety.collision sweep_min_distance_m`: expected a finite number of metres, found ``",
        ),
        (
            "a=l min_distance_m=1 step=1.5",
            "d, line 2: field `safety.collision step`: expected an integer, found `1.5`",
        ),
    ] {
        let error = parse(format!("\nsafety.collision {value}\n").as_bytes(), "d").unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn colour_codes_do_not_change_what_a_line_says() {
    let stop = of("\x1b[31msafety.collision kind=self a=l b=m min_distance_m=-1 place_target=\x1b[0m\n")
        .stop
        .unwrap();
    assert_eq!(stop.place_target, "");
    let log = of("deploy sim -> x\n[1788722735.5] up\n\
                  [a] [1788722791.5]: \x1b[34m\x1b[1mHave not received a heartbeat from controller_server.\x1b[0m\x1b[0m\n");
    assert_eq!(log.bond_loss, Some(BondLoss { elapsed_s: 56.0, server: "controller_server".into() }));
}

#[test]
fn lines_are_counted_once_each() {
    let text = "safety.support_witness_armed safety.support_witness_armed\nsafety.support_witness_armed\r\
                safety.support_witness_separated live=0x0 was=0x1\nsafety.place_region_not_armed\n\
                place_allowance_active=1 place_allowance_active=1\nx place_allowance_active=1\n";
    let kernel = of(text).kernel;
    assert_eq!((kernel.witness_armed, kernel.witness_separated), (2, 1));
    assert_eq!((kernel.place_allowance_active, kernel.place_region_armed), (2, false));
}

#[test]
fn the_last_transition_before_the_stop_says_whether_a_witness_was_live() {
    let live = |before: &str| {
        of(&format!("{before}\n{WORLD_STOP}\nsafety.support_witness_armed\n")).kernel.witness_live_at_stop
    };
    assert_eq!(live(""), None);
    assert_eq!(live("safety.support_witness_armed"), Some(true));
    assert_eq!(
        live("safety.support_witness_armed\nsafety.support_witness_separated live=0x0 was=0x1"),
        Some(false)
    );
    assert_eq!(live("safety.support_witness_separated live=0x2 was=0x3"), Some(true));
}

#[test]
fn a_bond_is_lost_by_the_first_stamped_line_only() {
    let log = |lines: &str| of(&format!("deploy sim -> x\n{lines}")).bond_loss;
    let heartbeat = "Have not received a heartbeat from smoother_server.";
    assert_eq!(
        log(&format!("{heartbeat}\n[100000000.0]\n[100000001.5] {heartbeat}\n")).unwrap().elapsed_s,
        1.5
    );
    assert_eq!(log(&format!("[100000000.0] {heartbeat}\n")).unwrap().elapsed_s, 0.0);
    assert_eq!(log(&format!("{heartbeat}\n")), None);
    let without_banner = of(&format!("argv: x\n[100000000.0]\n[100000001.5] {heartbeat}\n"));
    assert_eq!(without_banner.bond_loss, None);
}

#[test]
fn a_stamp_has_nine_to_eleven_digits() {
    assert_eq!(stamp_s(b"[x] [12345678.5] [1787386605.25] y"), Some(1_787_386_605.25));
    for without in ["[1787386605]", "[1787386605.]", "[123456789012.5]", "1787386605.25]", "[1787386605.25"] {
        assert_eq!(stamp_s(without.as_bytes()), None, "{without}");
    }
}

#[test]
fn the_reason_of_a_rejected_command_line_is_found() {
    let text = "Usage: openral deploy sim [OPTIONS]\nTry 'openral deploy sim --help' for help.\n\
                ╭─ Error ─────╮\n│ No such option: --no-enable-reasoner (Possible options: │\n╰──╯\n";
    assert_eq!(
        of(text).usage_detail.as_deref(),
        Some("No such option: --no-enable-reasoner (Possible options:")
    );
    assert_eq!(of(" Usage: openral\nError: x").usage_detail, None, "no leading blank");
}

#[test]
fn the_composition_before_the_stop_is_kept() {
    let text = format!(
        "[n] [info ] robocasa_scene_composition effective_layout_id=1 pinned_layout_id=None\n\
         [n] [info ] robocasa_scene_composition effective_layout_id=47 pinned_layout_id=47\n{WORLD_STOP}\n\
         [n] [info ] robocasa_scene_composition effective_layout_id=3 pinned_layout_id=None\n"
    );
    let composition = of(&text).composition.unwrap();
    assert_eq!(composition.resets, 2);
    assert_eq!(composition.fields[0], ("effective_layout_id".to_owned(), "47".to_owned()));
}

#[test]
fn a_composition_keeps_values_with_blanks() {
    let fields =
        |line: &str| of(&format!("[n] robocasa_scene_composition {line}\n")).composition.unwrap().fields;
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let ids = pair("layout_ids", "[47, 3]");
    assert_eq!(fields("layout_ids=[47, 3] style='a b' x"), [ids.clone(), pair("style", "'a b'")]);
    assert_eq!(fields("{\"layout_ids\": [47, 3], \"style\": null}"), [ids, pair("style", "None")]);
}

#[test]
fn a_snapshot_that_does_not_decode_is_lost_not_absent() {
    let log = |line: &str| of(&format!("[n] sim.estop_ground_truth_snapshot {line}\n"));
    assert!(log("{\"a\": ").snapshot_lost && log("{\"a\": ").snapshot.is_none());
    assert!(!log("{\"stop_class\": null}").snapshot_lost);
    let later = of(
        "sim.estop_ground_truth_snapshot {\nsim.estop_ground_truth_snapshot {\"sim_time_s\": 1, \"x\": 2}\n",
    );
    assert!(!later.snapshot_lost);
    assert_eq!(later.snapshot.unwrap().len(), 1, "only what is read is kept");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&bytes, "d");
    }

    #[test]
    fn pieces_of_real_lines_are_read_or_refused(pieces in proptest::collection::vec(prop_oneof![
        Just("safety.collision "), Just("a=x "), Just("min_distance_m="), Just("-0.01 "), Just("\n"), Just("\r"), Just("{"),
        Just("sim.task_success_final "), Just("\"steps\": 1}"), Just("[1787386605.25] "), Just("deploy sim"), Just("\u{2028}"),
        Just("Have not received a heartbeat from "), Just("transition 'a' on '/b' did not advance the FSM within 3s"),
        Just("\x1b["), Just("0m"), Just("place_allowance_active=1 "), Just("step=x ")], 0..40)) {
        let text = pieces.concat();
        let whole = parse(text.as_bytes(), "d");
        // In blocks that end where lines end, nothing changes.
        let mut scanner = LogScanner::new("d");
        let mut outcome = Ok(0);
        for (line, piece) in (1..).zip(text.split_inclusive('\n')) {
            outcome = scanner.feed(Block { bytes: piece.as_bytes(), first_line: line });
            if outcome.is_err() { break; }
        }
        match (whole, outcome) {
            (Ok(whole), Ok(_)) => prop_assert_eq!(whole, scanner.finish(Skipped::default())),
            (Err(a), Err(b)) => prop_assert_eq!(a.to_string(), b.to_string()),
            (a, b) => prop_assert!(false, "{a:?} against {b:?}"),
        }
    }
}

#[test]
fn the_kernels_account_in_a_line_of_its_own_is_kept() {
    let log = parse(
        b"[hal] sim.estop_ground_truth_evidence {\"collision_evidence\": {\"link_a\": \"a\"}, \"stop_seq\": 1}\n\
          [hal] sim.estop_ground_truth_evidence {\"stop_seq\": 2}\n",
        "x.log",
    )
    .unwrap();
    assert_eq!(log.evidence.unwrap()["collision_evidence"]["link_a"], "a");
    assert_eq!((log.stop, log.snapshot), (None, None));
}
