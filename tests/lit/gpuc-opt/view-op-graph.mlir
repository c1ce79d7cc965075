// Operations and values as a graph, as upstream prints it: boxes for what has regions, edges to boxes without a label.
// RUN: gpuc-opt --view-op-graph -o /dev/null %s 2>&1 | FileCheck %s
// RUN: gpuc-opt --view-op-graph='max-label-len=4 print-result-types=false print-data-flow-edges=false' -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=SHORT
func.func @f(%a: index, %c: i1) -> index {
  %0 = scf.if %c -> index {
    %1 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%a, %a)
    scf.yield %1 : index
  } else {
    scf.yield %a : index
  }
  return %0 : index
}
// CHECK: {{^}}digraph G {
// CHECK-NEXT: {{^}}  compound = true;
// CHECK-NEXT: {{^}}  subgraph cluster_1 {
// CHECK-NEXT: {{^}}    v2 [label = " ", shape = plain];
// CHECK-NEXT: {{^}}    label = "builtin.module : ()\n";
// CHECK-NEXT: {{^}}    subgraph cluster_3 {
// CHECK: {{^}}        label = "func.func : ()\n\nfunction_type: (index, i1) -> index\nsym_name: \"f\"";
// CHECK: {{^}}          [[A:v[0-9]+]] [label = "arg0", shape = ellipse];
// CHECK-NEXT: {{^}}          [[C:v[0-9]+]] [label = "arg1", shape = ellipse];
// CHECK-NEXT: {{^}}          subgraph [[BOX:cluster_[0-9]+]] {
// CHECK-NEXT: {{^}}            [[IF:v[0-9]+]] [label = " ", shape = plain];
// CHECK-NEXT: {{^}}            label = "scf.if : (index)\n";
// CHECK: [[APPLY:v[0-9]+]] [fillcolor = "0.000000 1.0 1.0", label = "affine.apply : (index)\n\nmap: affine_map<(d0, d1) ...", shape = ellipse, style = filled];
// CHECK-NEXT: [[YIELD:v[0-9]+]] [fillcolor = "0.166667 1.0 1.0", label = "scf.yield : ()\n"
// CHECK: [[RETURN:v[0-9]+]] [fillcolor = "0.500000 1.0 1.0", label = "func.return : ()\n"
// CHECK: {{^}}  [[A]] -> [[APPLY]] [label = "0", style = solid];
// CHECK-NEXT: {{^}}  [[A]] -> [[APPLY]] [label = "1", style = solid];
// CHECK-NEXT: {{^}}  [[APPLY]] -> [[YIELD]] [label = "", style = solid];
// CHECK: {{^}}  [[C]] -> [[IF]] [lhead = [[BOX]], style = solid];
// CHECK-NEXT: {{^}}  [[IF]] -> [[RETURN]] [ltail = [[BOX]], style = solid];
// CHECK-NEXT: {{^}}}

// SHORT: label = "affine.apply\n\nmap: affi..."
// SHORT-NOT: ->
