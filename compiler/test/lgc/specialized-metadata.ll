; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Specialized metadata in its named form comes through stock LLVM tools, as text and as bitcode.
; RUN: assay print-ir %s | FileCheck %s
; RUN: assay print-ir --plain %s | FileCheck %s --check-prefix=PLAIN
; RUN: assay print-ir --plain %s | llvm-as | llvm-dis | assay print-ir | FileCheck %s
; RUN: assay print-ir --plain %s | llvm-as | assay print-ir | FileCheck %s
; RUN: assay print-ir --plain %s | %opt -passes=instcombine,simplifycfg - | assay print-ir | FileCheck %s
; RUN: assay print-ir --plain %s -o %t.ll
; RUN: llvm-link -S %t.ll %S/Inputs/other-metadata.ll | assay print-ir | FileCheck %s --check-prefixes=CHECK,LINKED
; RUN: sed 's/datum: "target"/dat: "target"/' %s | not assay print-ir 2>&1 | FileCheck %s --check-prefix=FIELD
; RUN: sed 's/, reader: "driver"//' %s | not assay print-ir 2>&1 | FileCheck %s --check-prefix=LACKS
; RUN: sed 's/lgc.wave-size/lgc.wave/' %s | not assay print-ir 2>&1 | FileCheck %s --check-prefix=KIND
; RUN: sed 's/lanes: 32/lanes: "32"/' %s | not assay print-ir 2>&1 | FileCheck %s --check-prefix=VALUE

; CHECK: !llpc.hash [[LAST:![0-9]+]]
define void @main() !llpc.hash !4 {
  ret void
}

!lgc.pipeline.state = !{!0, !1, !2}
!foreign = !{!5, !6}

; CHECK-DAG: = !lgc.target(name: "gfx1100")
; CHECK-DAG: = !lgc.wave-size(lanes: 32)
; CHECK-DAG: = !lgc.node(set: 0, binding: 1, count: 1, offset: 4, stride: 4)
; CHECK-DAG: [[FIRST:![0-9]+]] = !lgc.hash(low: 1, high: -2, previous: null, reader: "driver", datum: "target", bytes: "\00\22,)")
; CHECK-DAG: [[LAST]] = !lgc.hash(low: 3, high: 4, previous: [[FIRST]], reader: "lower-desc", datum: "node", bytes: "")
; What only looks like a node stays a tuple.
; CHECK-DAG: = !{!"wave-size", i64 32}
; CHECK-DAG: = !{!"hash", i64 1}
; PLAIN-DAG: = !{!"hash", i64 1, i64 -2, null, !"driver", !"target", !"\00\22,)"}
; PLAIN-DAG: = !{!"wave-size", i32 32}
; LINKED: = !lgc.hash(low: 5, high: 6, previous: null, reader: "driver", datum: "input", bytes: "")
; FIELD: IR, line {{[0-9]+}}: !lgc.hash has no field 'dat'
; LACKS: IR, line {{[0-9]+}}: !lgc.hash lacks field 'reader'
; KIND: IR, line {{[0-9]+}}: unknown metadata '!lgc.wave'
; VALUE: IR, line {{[0-9]+}}: '"32"' is no value of field 'lanes'
!0 = !lgc.target(name: "gfx1100")
!1 = !lgc.wave-size(lanes: 32)
!2 = !lgc.node(set: 0, binding: 1, count: 1, stride: 4, offset: 4)
!3 = !lgc.hash(low: 1, high: -2, previous: null, reader: "driver", datum: "target", bytes: "\00\22,)")
!4 = !lgc.hash(low: 3, high: 4, previous: !3, reader: "lower-desc", datum: "node", bytes: "")
!5 = !{!"wave-size", i64 32}
!6 = !{!"hash", i64 1}
