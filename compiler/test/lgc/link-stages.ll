; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: assay print-ir --link %S/Inputs/link-fragment.ll %s | FileCheck %s
; RUN: assay print-ir --plain --link %S/Inputs/link-fragment.ll %s | FileCheck %s --check-prefix=PLAIN
; RUN: assay print-ir --link %s %S/Inputs/link-fragment.ll | FileCheck %s --check-prefix=FIRST
; RUN: not assay print-ir --link %s %s 2>&1 | FileCheck %s --check-prefix=TWO

; TWO: link-stages.ll and {{.*}}: two vertex shaders

declare i32 @lgc.read.input(i32, i32, i32, i32) #0
declare void @lgc.write.output(i32, i32, i32, i32, i32) #1
declare void @lgc.write.stage.built.in(i32, i32, i32) #1

; What is read moves to where the fragment stage packs it; what it does not read goes, with what
; computed it, and so do writes of poison and of constants that are passed on.
; CHECK-LABEL: define void @main(
; CHECK-NOT: mul
; CHECK-NOT: i32 poison
; CHECK: call void @lgc.write.output(i32 1, i32 0, i32 0, i32 1, i32 %a)
; CHECK: call void @lgc.write.output(i32 0, i32 0, i32 0, i32 0, i32 %a)
; CHECK: call void @lgc.write.output(i32 0, i32 1, i32 0, i32 0, i32 %a)
; CHECK: call void @lgc.write.output(i32 2, i32 0, i32 0, i32 0, i32 %a)
; CHECK: call void @lgc.write.output(i32 0, i32 2, i32 0, i32 0, i32 2139095040)
; CHECK: call void @lgc.write.output(i32 0, i32 3, i32 0, i32 0, i32 %a)
; CHECK: call void @lgc.write.stage.built.in(i32 3, i32 0, i32 %a)
; CHECK-NOT: call void @lgc.write
; CHECK: ret void
; CHECK: !lgc.hash({{.*}}reader: "link-outputs", datum: "reader 0"

; Inputs of one interpolation share a location, in the order of reads. A constant that is finite is
; one after interpolation too, and what is not written is 0.
; CHECK-LABEL: define void @main(
; CHECK: %{{[0-9]+}} = call i32 @lgc.read.input(i32 1, i32 0, i32 1, i32 1)
; CHECK: %{{[0-9]+}} = call i32 @lgc.read.input(i32 0, i32 0, i32 0, i32 0)
; CHECK: %{{[0-9]+}} = call i32 @lgc.interpolate.input(i32 0, i32 1, i32 0, float 5.000000e-01, float 2.500000e-01)
; CHECK: %{{[0-9]+}} = call i32 @lgc.read.vertex.input(i32 2, i32 0, i32 0, i32 2)
; CHECK: %{{[0-9]+}} = call i32 @lgc.read.input(i32 0, i32 2, i32 0, i32 0)
; CHECK: %{{[0-9]+}} = call i32 @lgc.read.input(i32 0, i32 3, i32 0, i32 0)
; CHECK: call void @lgc.write.output(i32 1, i32 0, i32 0, i32 1, i32 1065353216)
; CHECK: call void @lgc.write.output(i32 1, i32 2, i32 0, i32 1, i32 0)
; CHECK: !lgc.hash({{.*}}reader: "link-inputs", datum: "written 0"

; PLAIN: !{!"hash", i64 {{.*}}, !"link-outputs", !"reader 1", !"\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00"}
; PLAIN: !{!"hash", i64 {{.*}}, !"link-inputs", !"written 4", !"\01\00\00\00\00\00\00\00\00\00\80?\00\00\00\00"}

; In whichever order they are given.
; FIRST: call i32 @lgc.interpolate.input(
; FIRST: call void @lgc.write.stage.built.in(
define void @main() !lgc.stage !0 !llpc.hash !1 {
  %a = call i32 @lgc.read.input(i32 0, i32 0, i32 1, i32 1)
  %unread = mul i32 %a, %a
  call void @lgc.write.output(i32 3, i32 1, i32 0, i32 1, i32 %a)
  call void @lgc.write.output(i32 9, i32 2, i32 0, i32 0, i32 %a)
  call void @lgc.write.output(i32 2, i32 0, i32 0, i32 0, i32 %a)
  call void @lgc.write.output(i32 4, i32 0, i32 0, i32 0, i32 %a)
  call void @lgc.write.output(i32 5, i32 0, i32 0, i32 0, i32 1065353216)
  call void @lgc.write.output(i32 6, i32 0, i32 0, i32 0, i32 2139095040)
  call void @lgc.write.output(i32 7, i32 3, i32 0, i32 0, i32 poison)
  call void @lgc.write.output(i32 8, i32 0, i32 0, i32 0, i32 %unread)
  call void @lgc.write.stage.built.in(i32 3, i32 0, i32 %a)
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { nocallback nofree nounwind willreturn }
!0 = !{i32 1, i32 0}
!1 = !{!"hash", i64 1, i64 2, null, !"driver", !"input", !"vertex"}
