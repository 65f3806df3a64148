use super::*;
use crate::head::plain::{PlainHead, tensors};
use crate::testing;
use crate::train::checkpoint::CHECKPOINT_FILE;

fn config(seed: u64) -> TrainConfig {
    TrainConfig {
        head: testing::config(2),
        epochs: 3,
        windows_per_epoch: 12,
        batch: 4,
        ..TrainConfig::new(2, seed)
    }
}

#[allow(clippy::unnecessary_wraps, reason = "the trainer asks for an option")]
fn flat_bandwidth(_: i32, _: usize) -> Option<f64> {
    Some(0.1)
}

/// Trains on random demos, stopping after `stop_after` epochs.
fn run(
    config: &TrainConfig,
    threads: usize,
    resume: Option<Checkpoint>,
    stop_after: usize,
) -> Result<Trained, TrainError> {
    let demos = testing::demos(11, 2, 2, 5);
    let graph = testing::graph(&demos);
    let split = Split::new(&graph, 0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        train(&graph, &demos, &split, config, &flat_bandwidth, resume, &mut |report, _| {
            if report.epoch == stop_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    })
}

#[test]
fn a_seed_trains_the_same_weights_on_any_number_of_threads() {
    let one = run(&config(5), 1, None, 9).unwrap();
    let two = run(&config(5), 2, None, 9).unwrap();
    assert!(one.weights == two.weights);
    assert_eq!(one.reports, two.reports);
    assert_eq!(one.reports.len(), 3);
    assert!(one.weights != run(&config(6), 2, None, 9).unwrap().weights);
}

#[test]
fn a_resumed_run_ends_as_an_uninterrupted_one_and_another_runs_state_is_refused() {
    let whole = run(&config(5), 2, None, 9).unwrap();
    let part = run(&config(5), 2, None, 1).unwrap();
    assert_eq!(part.checkpoint.epochs(), 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(CHECKPOINT_FILE);
    let graph = testing::graph(&testing::demos(11, 2, 2, 5));
    part.checkpoint.write(&path, graph.hash()).unwrap();
    let len = part.weights.len();
    let read = Checkpoint::read(&path, graph.hash(), &config(5), len).unwrap();
    assert!(read == part.checkpoint);
    let resumed = run(&config(5), 1, Some(read), 9).unwrap();
    assert!(resumed.checkpoint == whole.checkpoint);
    assert!(resumed.weights == whole.weights);
    let other = Checkpoint::read(&path, graph.hash(), &config(6), len).unwrap_err();
    assert!(
        matches!(other, TrainError::OtherRun { ref field, .. } if field == "seed" || field == "epochs"),
        "{other}"
    );
    let foreign = testing::graph(&testing::demos(12, 2, 2, 5));
    assert!(matches!(
        Checkpoint::read(&path, foreign.hash(), &config(5), len),
        Err(TrainError::Store(rollcheck_engine::store::StoreError::HashMismatch { .. }))
    ));
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let refused = |change: fn(&mut TrainConfig)| {
        let mut config = config(0);
        change(&mut config);
        match run(&config, 1, None, 9).unwrap_err() {
            TrainError::Config { field, .. }
            | TrainError::Head(crate::head::HeadError::Config { field, .. }) => field,
            other => panic!("{other}"),
        }
    };
    assert_eq!(refused(|c| c.epochs = 0), "epochs");
    assert_eq!(refused(|c| c.windows_per_epoch = 0), "windows_per_epoch");
    assert_eq!(refused(|c| c.batch = 0), "batch");
    assert_eq!(refused(|c| c.static_every = 0), "static_every");
    assert_eq!(refused(|c| c.learning_rate = f64::NAN), "learning_rate");
    assert_eq!(refused(|c| c.weight_decay = -1.0), "weight_decay");
    assert_eq!(refused(|c| c.offset_rad = f64::INFINITY), "offset_rad");
    assert_eq!(refused(|c| c.speed_factor = 0.5), "speed_factor");
    assert_eq!(refused(|c| c.clip_norm = 0.0), "clip_norm");
    assert_eq!(refused(|c| c.averaging = 1.0), "averaging");
    assert_eq!(refused(|c| c.head.width = 20), "width");
}

#[test]
fn demonstrations_of_another_graph_and_an_empty_part_are_refused() {
    let demos = testing::demos(11, 2, 2, 5);
    let graph = testing::graph(&demos);
    let attempt = |demos: &DemoSet, split: &Split| {
        let mut go_on = |_: &EpochReport, _: &Checkpoint| ControlFlow::Continue(());
        train(&graph, demos, split, &config(0), &flat_bandwidth, None, &mut go_on).unwrap_err()
    };
    let fewer = attempt(&testing::demos(11, 2, 2, 4), &Split::new(&graph, 0));
    assert!(matches!(fewer, TrainError::OtherDemos(_)), "{fewer}");
    let untrained = attempt(&demos, &Split { train: Vec::new(), ..Split::new(&graph, 0) });
    assert!(matches!(untrained, TrainError::NoWindows { part: "train", .. }), "{untrained}");
    let unscored = attempt(&demos, &Split { fit: Vec::new(), ..Split::new(&graph, 0) });
    assert!(matches!(unscored, TrainError::NoWindows { part: "fit", .. }), "{unscored}");
}

/// The training path under its own ops against candle's own derivative of the plain head.
#[test]
fn gradients_equal_those_through_the_plain_head() {
    let demos = testing::demos(21, 3, 2, 4);
    let graph = testing::graph(&demos);
    let head = Arc::new(Head::new(Arc::clone(&graph), testing::weights(testing::config(3), 2)).unwrap());
    let plain = PlainHead::new(&head, &Device::Cpu).unwrap();
    let still = Variation { speed: 1.0, offset_rad: vec![0.0; 3] };
    let mut scratch = SubgraphScratch::new(head.topology(), graph.len());
    for (owner, kind) in [(0, Kind::Moving), (3, Kind::Moving), (5, Kind::EntryStatic)] {
        let frame = if kind == Kind::Moving { 12 } else { 0 };
        let sample = sample(&graph, &demos, owner, frame, kind, &flat_bandwidth);
        let leaves = vars(head.weights()).unwrap();
        let (found, value) =
            window_gradient(&head, &demos, &leaves, &mut scratch, &sample, &still).unwrap().unwrap();

        let weights: Vec<Tensor> = tensors(head.weights(), &Device::Cpu)
            .unwrap()
            .iter()
            .map(|t| Var::from_tensor(t).unwrap().as_tensor().clone())
            .collect();
        let window = WindowBuffer::of(&demos, owner, frame, kind);
        let query = Query { window: window.view(), lane: Some(sample.task), without_owner: Some(owner) };
        let nodes = scratch.make(&head, &query).nodes;
        let rows = Tensor::from_slice(&nodes, nodes.len(), &Device::Cpu).unwrap();
        let logits = plain.forward(&head, &weights, &query).unwrap().index_select(&rows, 0).unwrap();
        let expected_loss = loss(&graph, &sample, &nodes, &logits).unwrap();
        let store = expected_loss.backward().unwrap();
        let mut expected = Vec::new();
        for tensor in &weights {
            let gradient = store.get(tensor).expect("every weight is used");
            expected.extend(gradient.flatten_all().unwrap().to_vec1::<f32>().unwrap());
        }
        let expected_loss = f64::from(expected_loss.to_scalar::<f32>().unwrap());
        assert!((value - expected_loss).abs() < 1e-4 * (1.0 + expected_loss.abs()));
        let largest = expected.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
        assert!(largest > 0.0);
        for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
            assert!((a - b).abs() <= 1e-3 * (b.abs() + 0.01 * largest), "weight {i}: {a}, plain {b}");
        }
    }
}

#[test]
fn clipping_keeps_the_direction_and_leaves_short_gradients_alone() {
    let mut gradient = [3.0, -4.0];
    clip(&mut gradient, 10.0);
    assert_eq!(gradient, [3.0, -4.0]);
    clip(&mut gradient, 0.5);
    assert_eq!(gradient, [0.3, -0.4]);
}
