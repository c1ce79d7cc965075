// Metadata comes back: of dense resources those that the text names, of other tools all; what is longer than asked for is left out.
// RUN: gpuc-opt --allow-unregistered-dialect %s | FileCheck %s
// RUN: gpuc-opt --allow-unregistered-dialect %s | gpuc-opt --allow-unregistered-dialect | FileCheck %s
// RUN: gpuc-opt --allow-unregistered-dialect --mlir-elide-resource-strings-if-larger=20 %s | FileCheck %s --check-prefix=SHORT
// RUN: gpuc-opt --allow-unregistered-dialect --mlir-print-ir-before=cse --cse -o %t.out %s 2>&1 | FileCheck %s --check-prefix=DUMP
// CHECK: "test.a"() {attr = dense_resource<blob2> : tensor<3xi64>} : () -> ()
// CHECK: attributes {b = dense_resource<blob2> : vector<3xi64>}
// CHECK: "test.b"() {attr = dense_resource<nothere> : tensor<3xi64>} : () -> ()
// CHECK: {-#
// CHECK-NEXT:   dialect_resources: {
// CHECK-NEXT:     builtin: {
// CHECK-NEXT:       blob2: "0x080000000100000000000000020000000000000003000000000000AB"
// CHECK-NEXT:     }
// CHECK-NEXT:   },
// CHECK-NEXT:   external_resources: {
// CHECK-NEXT:     zz: {
// CHECK-NEXT:       blob: "0x0800000001000000000000",
// CHECK-NEXT:       bool: true,
// CHECK-NEXT:       string: "\22string\22"
// CHECK-NEXT:     },
// CHECK-NEXT:     aa: {
// CHECK-NEXT:       n: false
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: #-}
// SHORT-NOT: dialect_resources
// SHORT: {-#
// SHORT-NEXT:   external_resources: {
// SHORT-NEXT:     zz: {
// SHORT-NEXT:       bool: true,
// DUMP: blob2: "0x
// DUMP-NOT: external_resources
"test.a"() {attr = dense_resource<blob2> : tensor<3xi64>} : () -> ()
func.func @g() attributes {b = dense_resource<blob2> : vector<3xi64>} { return }
"test.b"() {attr = dense_resource<nothere> : tensor<3xi64>} : () -> ()
{-#
  dialect_resources: {
    builtin: {
      blob2: "0x080000000100000000000000020000000000000003000000000000aB",
      blob1: "0x0800000001"
    }
  },
  external_resources: {
    zz: { blob: "0x0800000001000000000000", bool: true, string: "\"string\"" },
    aa: { n: false }
  }
#-}
