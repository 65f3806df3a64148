use super::plain::{PlainHead, tensors};
use super::{Head, HeadConfig, HeadError, HeadWeights, HeadWorker, files};
use crate::testing;
use crate::train::windows::{Kind, WindowBuffer, checks};
use candle_core::Device;
use proptest::prelude::*;
use rollcheck_engine::belief::{Likelihood, Logits, Query};
use rollcheck_engine::demos::{DemoSet, npz};
use rollcheck_engine::store::{Data, StoreError, arrays::Arrays};
use std::path::Path;
use std::sync::Arc;

/// Asserts that both paths give one another's logits, and the same nodes none.
fn assert_paths_agree(
    worker: &mut HeadWorker,
    plain: &PlainHead,
    demos: &DemoSet,
    queries: &[(usize, usize, Option<i32>, Option<usize>)],
) {
    let head = Arc::clone(worker.head());
    let weights = tensors(head.weights(), &Device::Cpu).unwrap();
    let mut out = Logits::default();
    for &(owner, frame, lane, without_owner) in queries {
        let window = WindowBuffer::of(demos, owner, frame, Kind::Moving);
        let query = Query { window: window.view(), lane, without_owner };
        worker.logits(&query, &mut out);
        let all = plain.forward(&head, &weights, &query).unwrap().to_vec1::<f32>().unwrap();
        let expected: Vec<f32> = match lane {
            None => all,
            Some(task) => head.graph().lane(task).unwrap().nodes.iter().map(|&v| all[v as usize]).collect(),
        };
        assert_eq!(out.values.len(), expected.len());
        for (i, (&found, &expected)) in out.values.iter().zip(&expected).enumerate() {
            let same = found == expected || (found - expected).abs() <= 1e-5 * (1.0 + expected.abs());
            assert!(same, "{lane:?} {without_owner:?}, position {i}: {found}, plain {expected}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_worker_equals_the_plain_head_on_random_graphs(
        seed in 0_u64..1 << 20, dof in 1_usize..9, tasks in 1_i32..4, per_task in 1_usize..4,
    ) {
        let demos = testing::demos(seed, dof, tasks, per_task);
        let graph = testing::graph(&demos);
        let weights = testing::weights(testing::config(dof), seed);
        let head = Arc::new(Head::new(Arc::clone(&graph), weights).unwrap());
        let plain = PlainHead::new(&head, &Device::Cpu).unwrap();
        let mut worker = HeadWorker::new(head);
        let mut queries = Vec::new();
        for (owner, episode) in demos.episodes().iter().enumerate() {
            let (frame, task) = (episode.frames() - 1, episode.task_id());
            for lane in [None, Some(task), Some((task + 1) % tasks)] {
                queries.extend([(owner, frame, lane, None), (owner, frame, lane, Some(owner))]);
            }
        }
        assert_paths_agree(&mut worker, &plain, &demos, &queries);
    }
}

#[test]
fn the_worker_equals_the_plain_head_on_recorded_demonstrations() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/demos/demos_long.npz");
    let demos = npz::read(Path::new(path)).unwrap();
    let graph = testing::graph(&demos);
    let config = HeadConfig::new(demos.dof());
    let head = Arc::new(Head::new(graph, testing::weights(config, 1)).unwrap());
    let plain = PlainHead::new(&head, &Device::Cpu).unwrap();
    let queries: Vec<_> = [0, 40, 111]
        .into_iter()
        .flat_map(|owner| {
            let episode = &demos.episodes()[owner];
            let task = episode.task_id();
            let frame = checks(episode.frames()).nth(owner % 20).unwrap();
            [(owner, frame, Some(task), Some(owner)), (owner, frame, None, None)]
        })
        .collect();
    assert_paths_agree(&mut HeadWorker::new(head), &plain, &demos, &queries);
}

#[test]
fn both_files_give_the_weights_back_and_a_foreign_graph_is_refused_by_both_hashes() {
    let folder = tempfile::tempdir().unwrap();
    let [graph, foreign] = [3, 4].map(|seed| testing::graph(&testing::demos(seed, 2, 1, 2)));
    let weights = testing::weights(testing::config(2), 9);
    files::write(folder.path(), &weights, graph.hash(), "{\"epochs\": 3}").unwrap();
    for file in [files::HEAD_FILE, files::SAFETENSORS_FILE] {
        let path = folder.path().join(file);
        let (read, summary) = files::read(&path, graph.hash()).unwrap();
        assert_eq!((&read, summary.as_str()), (&weights, "{\"epochs\": 3}"), "{file}");
        let refusal = files::read(&path, foreign.hash()).unwrap_err().to_string();
        assert!(refusal.contains(graph.hash().as_str()), "{refusal}");
        assert!(refusal.contains(foreign.hash().as_str()), "{refusal}");
    }
}

/// The arrays of a head file with one of them changed.
fn changed(arrays: &Arrays, name: &str, change: impl Fn(&mut Vec<usize>, &mut Data)) -> Arrays {
    let mut out = Arrays::new(arrays.file());
    for (found, array) in arrays.iter() {
        let (mut shape, mut data) = (array.shape.clone(), array.data.clone());
        if found == name {
            change(&mut shape, &mut data);
        }
        out.push(found, &shape, data);
    }
    out
}

#[test]
fn damaged_tensors_and_unsupported_sizes_are_refused_by_name() {
    let graph = testing::graph(&testing::demos(5, 2, 1, 2));
    let weights = HeadWeights::initial(testing::config(2), 1);
    let arrays = files::to_arrays(&weights, graph.hash(), "");
    let refused = |arrays: &Arrays| files::from_arrays(arrays, graph.hash()).unwrap_err();
    let set = |value: f32| {
        move |_: &mut Vec<usize>, data: &mut Data| {
            let Data::F32(values) = data else { panic!("weights are f32") };
            values[3] = value;
        }
    };
    let flipped = refused(&changed(&arrays, "layer1", set(17.0)));
    assert!(matches!(flipped, HeadError::Store(StoreError::HashMismatch { what: "head", .. })), "{flipped}");
    let nan = refused(&changed(&arrays, "logit_out", set(f32::NAN)));
    assert_eq!(nan.to_string(), "head: weight `logit_out`, index 3: NaN is not finite");
    let short = refused(&changed(&arrays, "query_b1", |shape, data| {
        shape[0] -= 1;
        let Data::F32(values) = data else { panic!("weights are f32") };
        values.pop();
    }));
    assert!(short.to_string().contains("`query_b1` has shape [7]"), "{short}");
    let wide = refused(&changed(&arrays, "width", |_, data| *data = Data::I64(vec![24])));
    assert!(matches!(wide, HeadError::Config { field: "width", .. }), "{wide}");
    // Windows have eight frames; a head of another length would read their features from wrong columns.
    for frames in [7, 9] {
        let other = refused(&changed(&arrays, "history", |_, data| *data = Data::I64(vec![frames])));
        assert_eq!(other.to_string(), format!("head: `history` is {frames}, expected 8 to 8"));
    }
    let negative = refused(&changed(&arrays, "layers", |_, data| *data = Data::I64(vec![-1])));
    assert!(matches!(negative, HeadError::Store(StoreError::Value { .. })), "{negative}");
}

#[test]
fn a_head_of_other_joints_than_the_graphs_is_refused() {
    let graph = testing::graph(&testing::demos(5, 2, 1, 2));
    let refusal = Head::new(graph, HeadWeights::initial(testing::config(3), 1)).unwrap_err();
    assert_eq!(refusal.to_string(), "head: `dof` is 3, expected 2, the graph's");
}
