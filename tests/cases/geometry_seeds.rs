//! Seeds of the readers of geometry: each kind of file, small.

use rollcheck_engine::store::{Arrays, Data, safetensors};

const ROBOT: &str = "\
robot_id: two
collision_geometry:
  - link_name: two_base
    mesh: meshes/base.stl
    shape: { shape: box, half_extents_m: [0.25, 0.25, 0.5] }
    origin_xyz_rpy: [0.0, 0.0, 0.1, 0.0, 0.5, -1.5]
    tight_geometry:
      dop_lo_m: [-0.2, -0.2, -0.4, -0.4, -0.4, -0.4, -0.4, -0.3, -0.3, -0.4, -0.4, -0.4, -0.4]
      dop_hi_m: [0.2, 0.2, 0.4, 0.4, 0.4, 0.4, 0.4, 0.3, 0.3, 0.4, 0.4, 0.4, 0.4]
      hull_vertices_m:
        - [0.2, 0.2, -0.4]
        - [-0.2, 0.2, 0]
        - [0.0, -0.2, 0.4]
        - [0.1, -0.1, 2.5e-1]
      hull_overhang_m: 0.0002
  - link_name: two_ball
    shape: { shape: sphere, radius_m: 0.1 }
  - link_name: two_bar
    shape: { shape: capsule, radius_m: 0.05, length_m: 0.3 }
";

const URDF: &str = "\
<?xml version=\"1.0\"?>
<robot name=\"two\">
  <link name=\"base\"><collision><origin xyz=\"0 0 .1\" rpy=\"0 .5 0\"/>
    <geometry><mesh filename=\"package://two/base.stl\" scale=\"1 1 1\"/></geometry></collision></link>
  <link name=\"arm\"><collision><geometry><box size=\"1 2 3\"/></geometry></collision></link>
  <link name=\"tip\"/><link name=\"flange\"/>
  <joint name=\"j1\" type=\"revolute\"><origin xyz=\"0 0 1\" rpy=\"-1.5 0 0\"/><parent link=\"base\"/>
    <child link=\"arm\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\"/></joint>
  <joint name=\"j2\" type=\"prismatic\"><parent link=\"arm\"/><child link=\"tip\"/><axis xyz=\"1 1 0\"/>
    <mimic joint=\"j1\" multiplier=\"-2\" offset=\".1\"/></joint>
  <joint name=\"j3\" type=\"fixed\"><parent link=\"tip\"/><child link=\"flange\"/></joint>
</robot>
";

const MJCF: &str = "\
<mujoco model=\"two\">
  <compiler angle=\"degree\" eulerseq=\"xyZ\" meshdir=\"meshes\"/>
  <default><joint axis=\"0 1 0\"/><default class=\"seen\"><geom contype=\"0\" conaffinity=\"0\"/></default>
    <default class=\"hit\"><geom type=\"mesh\" pos=\"0 0 .1\"/></default></default>
  <asset><mesh name=\"base\" file=\"base.stl\" scale=\".5 .5 .5\"/><mesh file=\"tip.obj\"/></asset>
  <worldbody>
    <geom type=\"plane\" size=\"1 1 1\"/>
    <body name=\"base\" pos=\"0 0 1\" quat=\"1 0 1 0\" childclass=\"hit\">
      <geom mesh=\"base\"/><geom class=\"seen\" type=\"mesh\" mesh=\"tip\"/>
      <body name=\"arm\" euler=\"10 20 30\">
        <joint name=\"j1\" pos=\"0 .1 0\" ref=\"5\"/><joint name=\"j2\" type=\"slide\" axis=\"1 0 0\"/>
        <frame axisangle=\"0 0 1 90\"><geom mesh=\"tip\"/><body name=\"tip\" xyaxes=\"0 1 0 -1 0 0\"/></frame>
      </body>
      <body zaxis=\"0 1 1\"><joint/></body>
    </body>
  </worldbody>
</mujoco>
";

const OBJ: &str = "\
# a wedge
o wedge
v 0 0 0
v 1 0 0 1.0
v 1 1 0
v 0 1 0
v 0 0 0.5
vn 0 0 -1
f 4//1 3//1 2//1 1//1
f 1 2 -1
f 2/1/1 3/1/1 5/1/1
f 3 4 5
f 4 1 \\
  5
";

const TETRAHEDRON: [[[f32; 3]; 3]; 4] = {
    let [o, x, y, z] = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
    [[o, y, x], [o, x, z], [o, z, y], [x, y, z]]
};

/// Name below `fuzz/seeds`, and the bytes.
pub(crate) fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("stl/binary", binary_stl(b"made")),
        ("stl/binary_named_solid", binary_stl(b"solid made")),
        ("stl/text", text_stl()),
        ("obj/wedge", OBJ.into()),
        ("robot_yaml/two", ROBOT.into()),
        ("urdf/two", URDF.into()),
        ("mjcf/two", MJCF.into()),
        ("ply/text", ply("ascii", b"255 0.5 1.5 -2\n0 1e-3 nan 0\n1 .25 .5 1\n3 0 1 2\n")),
        ("ply/little", ply("binary_little_endian", &ply_rows(false))),
        ("ply/big", ply("binary_big_endian", &ply_rows(true))),
        ("pcd/text", pcd("ascii", b"0.5 1.5 -2 7\nnan 1 2 7\n.25 .5 1 9\n")),
        ("pcd/binary", pcd("binary", &pcd_rows())),
        ("pcd/compressed", pcd("binary_compressed", &pcd_compressed())),
        ("voxels_npz/turned", voxels(true)),
        ("voxels_npz/plain", voxels(false)),
    ]
}

fn binary_stl(header: &[u8]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, b' ');
    bytes.extend(4_u32.to_le_bytes());
    for facet in TETRAHEDRON {
        bytes.extend([0; 12]);
        bytes.extend(facet.into_iter().flatten().flat_map(f32::to_le_bytes));
        bytes.extend([0; 2]);
    }
    bytes
}

fn text_stl() -> Vec<u8> {
    let mut lines = vec!["solid a".to_owned()];
    for (index, facet) in TETRAHEDRON.iter().enumerate() {
        lines.extend(["facet normal 0 0 1".to_owned(), " outer loop".to_owned()]);
        lines.extend(facet.iter().map(|[x, y, z]| format!("  vertex {x} {y:e} {z}")));
        lines.extend([" endloop".to_owned(), "endfacet".to_owned()]);
        if index == 1 {
            lines.extend(["endsolid a".to_owned(), "solid b".to_owned()]);
        }
    }
    lines.push("endsolid b\n".to_owned());
    lines.join("\n").into_bytes()
}

fn ply(format: &str, body: &[u8]) -> Vec<u8> {
    let header = format!(
        "ply\nformat {format} 1.0\ncomment made\nelement vertex 3\nproperty uchar red\nproperty float x\n\
         property double y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    );
    [header.as_bytes(), body].concat()
}

fn ply_rows(big_endian: bool) -> Vec<u8> {
    let mut rows = Vec::new();
    for [x, y, z] in [[0.5_f32, 1.5, -2.0], [0.25, f32::NAN, 0.0], [0.25, 0.5, 1.0]] {
        rows.push(9);
        let wide = f64::from(y);
        if big_endian {
            rows.extend(x.to_be_bytes().into_iter().chain(wide.to_be_bytes()).chain(z.to_be_bytes()));
        } else {
            rows.extend(x.to_le_bytes().into_iter().chain(wide.to_le_bytes()).chain(z.to_le_bytes()));
        }
    }
    rows
}

fn pcd(data: &str, body: &[u8]) -> Vec<u8> {
    let header = format!(
        "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z ring\nSIZE 4 4 4 2\nTYPE F F F U\nCOUNT 1 1 1 1\nWIDTH 3\nHEIGHT 1\n\
         VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\nDATA {data}\n"
    );
    [header.as_bytes(), body].concat()
}

fn pcd_rows() -> Vec<u8> {
    let rows = [[0.5_f32, 1.5, -2.0], [f32::NAN, 1.0, 2.0], [0.25, 0.5, 1.0]];
    let row = |row: [f32; 3]| row.into_iter().flat_map(f32::to_le_bytes).chain([7, 0]);
    rows.into_iter().flat_map(row).collect()
}

/// Column by column: literals, and the last column as one copied pair.
fn pcd_compressed() -> Vec<u8> {
    let numbers: Vec<u8> =
        [0.5_f32, 0.75, 0.25, 1.5, 1.0, 0.5, -2.0, 2.0, 1.0].into_iter().flat_map(f32::to_le_bytes).collect();
    let mut packed = Vec::new();
    for piece in numbers.chunks(32) {
        packed.push(piece.len() as u8 - 1);
        packed.extend(piece);
    }
    packed.extend([1, 7, 0, 2 << 5, 1]);
    let size = numbers.len() + 6;
    [&(packed.len() as u32).to_le_bytes()[..], &(size as u32).to_le_bytes(), &packed].concat()
}

fn voxels(turned: bool) -> Vec<u8> {
    let mut arrays = Arrays::new("seed");
    arrays.push("occupied", &[2, 3, 4], Data::U8((0..24).map(|i| u8::from(i % 5 == 1)).collect()));
    arrays.push("origin", &[3], Data::F64(vec![-0.5, 0.0, 0.25]));
    if turned {
        arrays.push("resolution", &[1], Data::F32(vec![0.05]));
        arrays.push("quaternion", &[4], Data::F64(vec![0.0, 0.6, 0.0, 0.8]));
    } else {
        arrays.push("resolution", &[], Data::F64(vec![0.025]));
    }
    safetensors::format(&arrays).unwrap()
}

#[test]
fn every_seed_is_a_file_that_is_read() {
    use rollcheck_engine::geometry::files::{description, obj, pcd, ply, robot_yaml, stl, voxels_npz};
    for (name, bytes) in all() {
        let target = name.split('/').next().unwrap();
        let read = match target {
            "stl" => {
                stl::read_stl(&bytes, name).map(|file| file.mesh.triangles().len()).map_err(|e| e.to_string())
            }
            "obj" => {
                obj::read_obj(&bytes, name).map(|file| file.mesh.triangles().len()).map_err(|e| e.to_string())
            }
            "robot_yaml" => robot_yaml::robot_from_slice(&bytes, name)
                .map(|robot| robot.links.len())
                .map_err(|e| e.to_string()),
            "ply" => ply::read_ply(&bytes, name).map(|cloud| cloud.points.len()).map_err(|e| e.to_string()),
            "pcd" => pcd::read_pcd(&bytes, name).map(|cloud| cloud.points.len()).map_err(|e| e.to_string()),
            "voxels_npz" => {
                let arrays = safetensors::parse(&bytes, name).unwrap();
                voxels_npz::grid_from_arrays(&arrays)
                    .map(|grid| grid.occupied_cells().count())
                    .map_err(|e| e.to_string())
            }
            _ => description::description_from_slice(&bytes, name)
                .map(|robot| robot.tree.links().len())
                .map_err(|e| e.to_string()),
        };
        let expected = match target {
            "stl" | "urdf" => 4,
            "obj" => 6,
            "mjcf" | "voxels_npz" => 5,
            "robot_yaml" => 3,
            _ if name == "pcd/compressed" => 3,
            _ => 2,
        };
        assert_eq!(read, Ok(expected), "{name}");
    }
}
