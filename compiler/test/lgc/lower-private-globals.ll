; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -passes=lower-private-globals %s | FileCheck %s
; RUN: sed 's/;BAD //' %s | not %opt -passes=lower-private-globals - 2>&1 | FileCheck %s --check-prefix=BAD

; BAD: error: private variable 'counter' is used outside the entry point

@counter = internal addrspace(5) global i32 7
@table = internal addrspace(5) global [4 x i32] zeroinitializer, align 16
@junk = internal addrspace(5) global i32 poison
@large = internal addrspace(5) global [2000 x i32] zeroinitializer
@bytes = internal addrspace(5) global [4097 x i8] zeroinitializer
@shared = internal addrspace(3) global i32 poison

; CHECK-NOT: addrspace(5) global
; CHECK: @shared = internal addrspace(3) global

; CHECK-LABEL: define void @main()
; CHECK-DAG: %counter = alloca i32, align 4, addrspace(5)
; CHECK-DAG: %table = alloca [4 x i32], align 16, addrspace(5)
; CHECK-DAG: store [4 x i32] zeroinitializer, ptr addrspace(5) %table, align 16
; CHECK-DAG: %junk = alloca i32
; CHECK-NOT: store i32 poison
; CHECK: [[BYTES:clear[0-9]*]]:
; CHECK-NEXT: %[[B:.*]] = phi i32 [ 0, %0 ], [ %[[NB:.*]], %[[BYTES]] ]
; CHECK-NEXT: %[[PB:.*]] = getelementptr i8, ptr addrspace(5) %bytes, i32 %[[B]]
; CHECK-NEXT: store i8 0, ptr addrspace(5) %[[PB]], align 1
; CHECK-NEXT: %[[NB]] = add i32 %[[B]], 1
; CHECK-NEXT: icmp ult i32 %[[NB]], 4097
; CHECK: {{clear[0-9]*}}:
; CHECK-NEXT: %[[I:.*]] = phi i32
; CHECK-NEXT: %[[P:.*]] = getelementptr i32, ptr addrspace(5) %large, i32 %[[I]]
; CHECK-NEXT: store i32 0, ptr addrspace(5) %[[P]], align 4
; CHECK-NEXT: %[[N:.*]] = add i32 %[[I]], 1
; CHECK-NEXT: icmp ult i32 %[[N]], 2000
; CHECK: store i32 7, ptr addrspace(5) %counter
; CHECK: body:
; CHECK: %e = getelementptr i8, ptr addrspace(5) %table, i32 8
; CHECK: load i32, ptr addrspace(5) %e
; CHECK: getelementptr i8, ptr addrspace(5) %table, i32 4
define void @main() !lgc.compute.mode !0 {
  br label %body
body:
  %e = getelementptr i8, ptr addrspace(5) @table, i32 8
  %v = load i32, ptr addrspace(5) %e
  %l = getelementptr i32, ptr addrspace(5) @large, i32 %v
  store i32 %v, ptr addrspace(5) %l
  store i8 0, ptr addrspace(5) @bytes
  store i32 %v, ptr addrspace(5) @counter
  store i32 %v, ptr addrspace(5) @junk
  store i32 %v, ptr addrspace(5) getelementptr (i8, ptr addrspace(5) @table, i32 4)
  ret void
}

;BAD define i32 @other() {
;BAD   %v = load i32, ptr addrspace(5) @counter
;BAD   ret i32 %v
;BAD }

!0 = !{i32 64, i32 1, i32 1}
