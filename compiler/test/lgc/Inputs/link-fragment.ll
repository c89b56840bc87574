; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The fragment stage of link-stages.ll.

declare i32 @lgc.read.input(i32, i32, i32, i32) #0
declare i32 @lgc.interpolate.input(i32, i32, i32, float, float) #0
declare i32 @lgc.read.vertex.input(i32, i32, i32, i32) #0
declare i32 @lgc.read.stage.built.in(i32, i32) #0
declare void @lgc.write.output(i32, i32, i32, i32, i32) #1

define void @main() !lgc.stage !0 !llpc.hash !1 {
  %flat = call i32 @lgc.read.input(i32 3, i32 1, i32 1, i32 1)
  %smooth = call i32 @lgc.read.input(i32 9, i32 2, i32 0, i32 0)
  %offset = call i32 @lgc.interpolate.input(i32 2, i32 0, i32 0, float 0.5, float 0.25)
  %provoking = call i32 @lgc.read.vertex.input(i32 4, i32 0, i32 0, i32 2)
  %constant = call i32 @lgc.read.input(i32 5, i32 0, i32 0, i32 0)
  %infinite = call i32 @lgc.read.input(i32 6, i32 0, i32 0, i32 0)
  %unwritten = call i32 @lgc.read.input(i32 7, i32 3, i32 0, i32 0)
  %distance = call i32 @lgc.read.stage.built.in(i32 3, i32 0)
  call void @lgc.write.output(i32 0, i32 0, i32 0, i32 1, i32 %flat)
  call void @lgc.write.output(i32 0, i32 1, i32 0, i32 1, i32 %smooth)
  call void @lgc.write.output(i32 0, i32 2, i32 0, i32 1, i32 %offset)
  call void @lgc.write.output(i32 0, i32 3, i32 0, i32 1, i32 %provoking)
  call void @lgc.write.output(i32 1, i32 0, i32 0, i32 1, i32 %constant)
  call void @lgc.write.output(i32 1, i32 1, i32 0, i32 1, i32 %infinite)
  call void @lgc.write.output(i32 1, i32 2, i32 0, i32 1, i32 %unwritten)
  call void @lgc.write.output(i32 1, i32 3, i32 0, i32 1, i32 %distance)
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { nocallback nofree nounwind willreturn }
!0 = !{i32 7, i32 0}
!1 = !{!"hash", i64 1, i64 2, null, !"driver", !"input", !"fragment"}
