//! Cases kept as files, one folder a kind: what comes back as it was, what is refused, what
//! canonicalisation makes. Cases of a file are separated by `// -----`.

use crate::harness::{canonical, comes_back, read, round_trip, upstream_with};

/// The cases of a file, without the separators.
fn cases(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.split("// -----\n").map(str::trim)
}

/// `// refused: message` stands over what the upstream tool refuses too, `// refused here only:
/// message` over what it takes although it means nothing.
fn check_refused(file: &'static str) {
    // The upstream tool is asked once about all of a file: starting it takes longer than its answer.
    let judged = match upstream_with(&["-split-input-file"], file) {
        Some(Ok(_)) => Some(String::new()),
        Some(Err(messages)) => Some(messages),
        None => None,
    };
    // It names a case by the line of the separator in front, the first one by line 1.
    let mut line = 1;
    for case in file.split("// -----\n") {
        let (first, text) = case.split_once('\n').expect("a line for the message");
        let (message, here_only) = match first.strip_prefix("// refused: ") {
            Some(message) => (message, false),
            None => (first.strip_prefix("// refused here only: ").expect("a message"), true),
        };
        let errors = read(text).err().unwrap_or_default();
        assert_eq!(errors.first().map(String::as_str), Some(message), "in\n{text}");
        if let Some(messages) = &judged {
            let refused = messages.contains(&format!("within split at <stdin>:{line} offset"));
            assert_eq!(refused, !here_only, "mlir-opt on\n{text}");
        }
        line += case.matches('\n').count() + usize::from(line > 1);
    }
}

/// Input and output of canonicalisation, `// becomes` between them.
fn check_canonical(file: &'static str) {
    for case in cases(file) {
        let (input, expected) = case.split_once("// becomes\n").expect("'// becomes'");
        assert_eq!(canonical(input), expected.trim(), "from\n{input}");
    }
}

macro_rules! files {
    ($check:ident: $($test:ident $file:literal;)*) => {$(
        #[test]
        fn $test() {
            $check(include_str!($file));
        }
    )*};
}

files! {
    round_trip:
    memref_comes_back "round_trip/memref.mlir";
    affine_comes_back "round_trip/affine.mlir";
    vector_comes_back "round_trip/vector.mlir";
    vector_parts_come_back "round_trip/vector_parts.mlir";
    loops_and_transfers_come_back "round_trip/loops_and_transfers.mlir";
    gpu_comes_back "round_trip/gpu.mlir";
    gpu_matrices_come_back "round_trip/gpu_matrix.mlir";
    gpu_sparse_comes_back "round_trip/gpu_sparse.mlir";
    vector_masked_comes_back "round_trip/vector_masked.mlir";
}

files! {
    comes_back:
    llvm_comes_back "round_trip/llvm.mlir";
    ptr_comes_back "round_trip/ptr.mlir";
}

files! {
    check_refused:
    memref_is_refused "refused/memref.mlir";
    affine_is_refused "refused/affine.mlir";
    vector_is_refused "refused/vector.mlir";
    vector_parts_are_refused "refused/vector_parts.mlir";
    gpu_is_refused "refused/gpu.mlir";
    offload_is_refused "refused/offload.mlir";
    ptr_is_refused "refused/ptr.mlir";
}

files! {
    check_canonical:
    memref_folds "canonical/memref.mlir";
    affine_folds "canonical/affine.mlir";
    vector_folds "canonical/vector.mlir";
}

/// Names of grouped results and spaces before a region are ours alone; the text means the same.
#[test]
fn allocation_scopes_and_metadata_are_read_back() {
    let text = "module {
  func.func @f(%arg0: f32, %arg1: memref<?xf32>) -> f32 {
    %0:4 = memref.extract_strided_metadata %arg1 : memref<?xf32> -> memref<f32>, index, index, index
    %1 = memref.alloca_scope -> (f32) {
      memref.alloca_scope.return %arg0 : f32
    }
    memref.alloca_scope {
      %alloca = memref.alloca() : memref<4xf32>
    }
    return %1 : f32
  }
}";
    let (ir, module) = read(text).expect("valid");
    assert_eq!(ir.to_text(module).trim(), text);
    if let Some(result) = crate::harness::upstream(text) {
        result.expect("mlir-opt reads it");
    }
}
