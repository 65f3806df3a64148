use super::*;
use proptest::prelude::*;

const RELATIONS: usize = 3;

fn values(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

struct Case {
    width: usize,
    weights: Vec<Vec<f32>>,
    edges: TypedEdges,
    self_rows: Vec<u32>,
    rows: Vec<u32>,
    input: Vec<f32>,
}

impl Case {
    fn new(width: usize, inputs: usize, outputs: usize, seed: u64) -> Self {
        let mut edges = TypedEdges::new(inputs, RELATIONS);
        for row in 0..outputs {
            for relation in 0..RELATIONS {
                let sources =
                    (0..inputs as u32).filter(|&u| (u as usize * 7 + row * 3 + relation).is_multiple_of(5));
                edges.push_group(relation, 4, sources).unwrap();
            }
            edges.finish_row();
        }
        let scaled =
            |n: usize, s: u64, factor: f32| values(n, s).iter().map(|x| x * factor).collect::<Vec<f32>>();
        let weights = vec![
            scaled(RELATIONS * width, seed, 1.0),
            scaled(width * width, seed + 1, 0.3),
            scaled(width * width, seed + 2, 0.3),
            scaled(width, seed + 3, 0.5),
            scaled(width, seed + 4, 1.0),
            scaled(width, seed + 5, 1.0),
        ];
        Self {
            width,
            weights,
            edges,
            self_rows: (0..outputs as u32).map(|i| i % inputs as u32).collect(),
            rows: (0..outputs as u32).collect(),
            input: values(inputs * width, seed + 6),
        }
    }

    fn layer(&self) -> Layer<'_> {
        Layer {
            gates: &self.weights[0],
            w_self: &self.weights[1],
            w_msg: &self.weights[2],
            bias: &self.weights[3],
            scale: &self.weights[4],
            shift: &self.weights[5],
        }
    }

    fn rows(&self) -> Rows<'_> {
        Rows { edge_rows: &self.rows, self_rows: &self.self_rows, out_rows: &self.rows }
    }

    fn forward(&self) -> Vec<f32> {
        let mut out = vec![0.0; self.rows.len() * self.width];
        scalar::forward(self.width, &self.layer(), &self.edges, &self.rows(), &self.input, &mut out);
        out
    }

    /// A scalar of the output, so that gradients can be differenced: sum of output * fixed factors.
    fn loss(&self, factors: &[f32]) -> f64 {
        self.forward().iter().zip(factors).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    }
}

proptest! {
    #[test]
    fn every_level_gives_the_scalar_bits(seed in 0_u64..1000, inputs in 1_usize..9, outputs in 1_usize..7, w in 0_usize..4) {
        let case = Case::new(WIDTHS[w], inputs, outputs, seed);
        let expected = case.forward();
        for level in SimdLevel::supported() {
            let mut out = vec![f32::NAN; expected.len()];
            forward(level, case.width, &case.layer(), &case.edges, &case.rows(), &case.input, &mut out).unwrap();
            prop_assert_eq!(&out, &expected, "{}", level.name());
        }
    }
}

#[test]
fn every_level_gives_the_same_gradient_and_differences_confirm_it() {
    let mut case = Case::new(16, 5, 4, 3);
    let factors = values(case.rows.len() * case.width, 99);
    let mut portable = Gradient::zeros(16, RELATIONS, case.input.len());
    backward(
        SimdLevel::portable(),
        16,
        &case.layer(),
        &case.edges,
        &case.rows(),
        &case.input,
        &factors,
        &mut portable,
    )
    .unwrap();
    for level in SimdLevel::supported() {
        let mut gradient = Gradient::zeros(16, RELATIONS, case.input.len());
        backward(level, 16, &case.layer(), &case.edges, &case.rows(), &case.input, &factors, &mut gradient)
            .unwrap();
        assert_eq!(gradient, portable, "{}", level.name());
    }
    let analytic = [
        &portable.gates,
        &portable.w_self,
        &portable.w_msg,
        &portable.bias,
        &portable.scale,
        &portable.shift,
    ]
    .map(Clone::clone);
    let step = 2e-3_f32;
    let close = |analytic: f32, plus: f64, minus: f64, what: String| {
        let numeric = (plus - minus) / (2.0 * f64::from(step));
        assert!(
            (numeric - f64::from(analytic)).abs() < 2e-2 * (1.0 + numeric.abs()),
            "{what}: {analytic} against {numeric}"
        );
    };
    let mut off = 0;
    for (w, gradient) in analytic.iter().enumerate() {
        for i in (0..gradient.len()).step_by(7) {
            let old = case.weights[w][i];
            case.weights[w][i] = old + step;
            let plus = case.loss(&factors);
            case.weights[w][i] = old - step;
            let minus = case.loss(&factors);
            case.weights[w][i] = old;
            // A rectifier that switches inside the step makes a difference worthless; few may.
            let numeric = (plus - minus) / (2.0 * f64::from(step));
            if (numeric - f64::from(gradient[i])).abs() > 2e-2 * (1.0 + numeric.abs()) {
                off += 1;
            }
        }
    }
    assert!(off <= 2, "{off} weights disagree");
    for i in (0..case.input.len()).step_by(11) {
        let old = case.input[i];
        case.input[i] = old + step;
        let plus = case.loss(&factors);
        case.input[i] = old - step;
        let minus = case.loss(&factors);
        case.input[i] = old;
        close(portable.input[i], plus, minus, format!("input {i}"));
    }
}

#[test]
fn wrong_shapes_and_rows_are_refused() {
    let case = Case::new(16, 3, 2, 1);
    let mut out = vec![0.0; 2 * 16];
    let level = SimdLevel::portable();
    let far = Rows { edge_rows: &[5], self_rows: &[0], out_rows: &[0] };
    assert!(forward(level, 16, &case.layer(), &case.edges, &far, &case.input, &mut out).is_err());
    assert!(forward(level, 20, &case.layer(), &case.edges, &case.rows(), &case.input, &mut out).is_err());
    let short = &case.input[1..];
    assert!(forward(level, 16, &case.layer(), &case.edges, &case.rows(), short, &mut out).is_err());
    let mut edges = TypedEdges::new(2, 1);
    assert!(edges.push_group(0, 1, [2]).is_err());
    assert!(edges.push_group(1, 1, [0]).is_err());
}
