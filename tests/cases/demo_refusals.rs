//! Every refusal of demonstrations, by its whole message: a person must find the value from it alone.

use rollcheck_engine::demos::{DemoError, DemoSet, Episode, episode::Origin, npz};
use rollcheck_engine::store::{Arrays, Data};

/// Two episodes of three and two frames, two joints, one task.
fn sound() -> Arrays {
    let mut arrays = Arrays::new("demos.npz");
    arrays.push("q", &[5, 2], Data::F32(vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]));
    arrays.push("gripper", &[5], Data::U8(vec![0, 0, 1, 0, 1]));
    arrays.push("demo_start", &[3], Data::I32(vec![0, 3, 5]));
    arrays.push("demo_task", &[2], Data::I16(vec![4, 4]));
    arrays.push("rate_hz", &[], Data::F32(vec![20.0]));
    arrays
}

fn f64s(arrays: &mut Arrays, name: &str, shape: &[usize], values: &[f64]) {
    arrays.push(name, shape, Data::F64(values.to_vec()));
}

fn starts(arrays: &mut Arrays, values: &[i32]) {
    arrays.push("demo_start", &[values.len()], Data::I32(values.to_vec()));
}

/// The arrays without one of them.
fn without(arrays: &Arrays, name: &str) -> Arrays {
    let mut rest = Arrays::new(arrays.file());
    for (n, array) in arrays.iter().filter(|&(n, _)| n != name) {
        rest.push(n, &array.shape, array.data.clone());
    }
    rest
}

struct Case {
    what: &'static str,
    change: fn(&mut Arrays),
    message: &'static str,
}

const CASES: &[Case] = &[
    Case {
        what: "NaN joint position",
        change: |a| f64s(a, "q", &[5, 2], &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, f64::NAN]),
        message: "demos.npz: episode 1, field `q`, frame 1, joint 1: NaN is not finite",
    },
    Case {
        what: "infinite joint position",
        change: |a| {
            f64s(a, "q", &[5, 2], &[0.0, 0.0, 0.0, 0.0, f64::NEG_INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0]);
        },
        message: "demos.npz: episode 0, field `q`, frame 2, joint 0: -inf is not finite",
    },
    Case {
        what: "position that makes an infinite velocity",
        change: |a| f64s(a, "q", &[5, 2], &[0.0, 0.0, 0.0, 1e308, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        message: "demos.npz: episode 0, field `q`, frame 1, joint 1: 1e308 rad at 20 Hz makes a velocity \
                  that is not finite",
    },
    Case {
        what: "one frame",
        change: |a| starts(a, &[0, 4, 5]),
        message: "demos.npz: episode 1, field `q`: 1 frame(s), at least 2 are needed",
    },
    Case {
        what: "no frame",
        change: |a| {
            starts(a, &[0, 0, 5]);
        },
        message: "demos.npz: episode 0, field `q`: 0 frame(s), at least 2 are needed",
    },
    Case {
        what: "rate of zero",
        change: |a| f64s(a, "rate_hz", &[], &[0.0]),
        message: "demos.npz: episode 0, field `rate_hz`: 0 is not a positive rate in Hz",
    },
    Case {
        what: "negative rate of one episode",
        change: |a| f64s(a, "rate_hz", &[2], &[20.0, -10.0]),
        message: "demos.npz: episode 1, field `rate_hz`: -10 is not a positive rate in Hz",
    },
    Case {
        what: "NaN rate",
        change: |a| f64s(a, "rate_hz", &[2], &[20.0, f64::NAN]),
        message: "demos.npz: episode 1, field `rate_hz`: NaN is not a positive rate in Hz",
    },
    Case {
        what: "infinite rate",
        change: |a| f64s(a, "rate_hz", &[], &[f64::INFINITY]),
        message: "demos.npz: episode 0, field `rate_hz`: inf is not a positive rate in Hz",
    },
    Case {
        what: "as many rates as nothing has",
        change: |a| f64s(a, "rate_hz", &[3], &[20.0, 20.0, 20.0]),
        message: "demos.npz: array `rate_hz` has shape [3], expected [2]",
    },
    Case {
        what: "no episodes",
        change: |a| {
            f64s(a, "q", &[0, 2], &[]);
            a.push("gripper", &[0], Data::U8(vec![]));
            starts(a, &[0]);
        },
        message: "demos.npz: no episodes",
    },
    Case { what: "no boundaries", change: |a| starts(a, &[]), message: "demos.npz: no episodes" },
    Case {
        what: "first boundary",
        change: |a| starts(a, &[1, 3, 5]),
        message: "demos.npz: field `demo_start`, index 0: 1, expected 0",
    },
    Case {
        what: "boundary that goes back",
        change: |a| starts(a, &[0, 6, 5]),
        message: "demos.npz: field `demo_start`, index 2: 5, expected at least 6",
    },
    Case {
        what: "negative boundary",
        change: |a| starts(a, &[0, -3, 5]),
        message: "demos.npz: field `demo_start`, index 1: -3, expected at least 0",
    },
    Case {
        what: "last boundary",
        change: |a| starts(a, &[0, 3, 4]),
        message: "demos.npz: field `demo_start`, index 2: 4, expected 5, the frames of `q`",
    },
    Case {
        what: "joints as integers",
        change: |a| a.push("q", &[5, 2], Data::I32(vec![0; 10])),
        message: "demos.npz: array `q` has dtype <i4, expected a float",
    },
    Case {
        what: "boundaries as floats",
        change: |a| f64s(a, "demo_start", &[3], &[0.0, 3.0, 5.0]),
        message: "demos.npz: array `demo_start` has dtype <f8, expected an integer",
    },
    Case {
        what: "task ids as text",
        change: |a| a.push("demo_task", &[2], Data::Text(vec!["4".into(), "4".into()])),
        message: "demos.npz: array `demo_task` has dtype <U, expected an integer",
    },
    Case {
        what: "task id beyond 32 bits",
        change: |a| a.push("demo_task", &[2], Data::I64(vec![4, 1 << 40])),
        message: "demos.npz: array `demo_task`, index 1: 1099511627776, expected a 32-bit integer",
    },
    Case {
        what: "joints without columns",
        change: |a| f64s(a, "q", &[10], &[0.0; 10]),
        message: "demos.npz: array `q` has shape [10], expected [any, any]",
    },
    Case {
        what: "as many tasks as nothing has",
        change: |a| a.push("demo_task", &[3], Data::I16(vec![4; 3])),
        message: "demos.npz: array `demo_task` has shape [3], expected [2]",
    },
    Case {
        what: "no joints",
        change: |a| f64s(a, "q", &[5, 0], &[]),
        message: "demos.npz: episode 0, field `q`: 0 joints, expected 1 to 16",
    },
    Case {
        what: "seventeen joints",
        change: |a| f64s(a, "q", &[5, 17], &[0.0; 85]),
        message: "demos.npz: episode 0, field `q`: 17 joints, expected 1 to 16",
    },
    Case {
        what: "gripper flag that is no flag",
        change: |a| a.push("gripper", &[5], Data::U8(vec![0, 0, 2, 0, 0])),
        message: "demos.npz: episode 0, field `gripper`, frame 2: gripper command 2, expected 0 or 1",
    },
    Case {
        what: "gripper of another length",
        change: |a| a.push("gripper", &[4], Data::U8(vec![0; 4])),
        message: "demos.npz: field `gripper` holds 4 frames, expected 5 as `q` has",
    },
    Case {
        what: "action of another length",
        change: |a| {
            *a = without(a, "gripper");
            f64s(a, "action", &[4, 1], &[0.0; 4]);
        },
        message: "demos.npz: field `action` holds 4 frames, expected 5 as `q` has",
    },
    Case {
        what: "action without a gripper column",
        change: |a| {
            *a = without(a, "gripper");
            f64s(a, "action", &[5, 0], &[]);
        },
        message: "demos.npz: array `action`, index 0: no column, expected at least one column",
    },
    Case {
        what: "NaN gripper command",
        change: |a| {
            *a = without(a, "gripper");
            f64s(a, "action", &[5, 2], &[0.0, 1.0, 0.0, f64::NAN, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
        },
        message: "demos.npz: episode 0, field `action`, frame 1: gripper command NaN, expected a finite number",
    },
    Case {
        what: "neither gripper nor action",
        change: |a| *a = without(a, "gripper"),
        message: "demos.npz: array `action` is missing; the file holds q, demo_start, demo_task, rate_hz",
    },
    Case {
        what: "no joint positions",
        change: |a| *a = without(a, "q"),
        message: "demos.npz: array `q` is missing; the file holds gripper, demo_start, demo_task, rate_hz",
    },
    Case {
        what: "no array of boundaries",
        change: |a| *a = without(a, "demo_start"),
        message: "demos.npz: array `demo_start` is missing; the file holds q, gripper, demo_task, rate_hz",
    },
    Case {
        what: "no tasks",
        change: |a| *a = without(a, "demo_task"),
        message: "demos.npz: array `demo_task` is missing; the file holds q, gripper, demo_start, rate_hz",
    },
    Case {
        what: "no rate",
        change: |a| *a = without(a, "rate_hz"),
        message: "demos.npz: array `rate_hz` is missing; the file holds q, gripper, demo_start, demo_task",
    },
    Case {
        what: "instructions for other tasks",
        change: |a| {
            a.push("task_id", &[2], Data::I16(vec![4, 5]));
            a.push("task_language", &[1], Data::Text(vec!["open the drawer".into()]));
        },
        message: "demos.npz: array `task_language` has shape [1], expected [2]",
    },
];

#[test]
fn the_unchanged_arrays_are_accepted() {
    let set = npz::from_arrays(&sound()).unwrap();
    assert_eq!((set.episodes().len(), set.frames(), set.dof()), (2, 5, 2));
}

#[test]
fn every_refusal_names_file_field_and_index() {
    for case in CASES {
        let mut arrays = sound();
        (case.change)(&mut arrays);
        let refusal = npz::from_arrays(&arrays).map(|_| ()).unwrap_err();
        assert_eq!(refusal.to_string(), case.message, "{}", case.what);
    }
}

/// A file holds one table of joints, so mixed numbers of joints come only from several sources.
#[test]
fn episodes_of_different_robots_are_not_mixed() {
    let origin = |episode| Origin { file: "demos.npz", episode, field: "q" };
    let episode =
        |index, dof| Episode::new(vec![0.0; 2 * dof], dof, vec![false; 2], 0, 20.0, origin(index)).unwrap();
    let refusal = DemoSet::new(vec![episode(0, 7), episode(1, 7), episode(2, 6)], vec![], origin(0));
    assert_eq!(refusal.unwrap_err().to_string(), "demos.npz: episode 2, field `q`: 6 joints, expected 7");
}

#[test]
fn a_ragged_episode_is_refused() {
    let origin = Origin { file: "demos.npz", episode: 0, field: "q" };
    let ragged = Episode::new(vec![0.0; 7], 2, vec![false; 3], 0, 20.0, origin);
    assert!(matches!(ragged, Err(DemoError::Lengths { expected: 3, found: 3, .. })));
}
