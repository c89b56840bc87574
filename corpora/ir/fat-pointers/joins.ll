; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Phis and selects: of one resource, of several, in loops, nested, of null.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"

; One resource: an offset that is selected.
define i32 @select-one-resource(ptr addrspace(7) %p, i1 %c, i32 %index, i32 %i) {
  %a = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %b = getelementptr i32, ptr addrspace(7) %p, i32 %i
  %q = select i1 %c, ptr addrspace(7) %a, ptr addrspace(7) %b
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}

define i32 @select-two-resources(ptr addrspace(7) %p, ptr addrspace(7) %q, i1 %c) {
  %r = select i1 %c, ptr addrspace(7) %p, ptr addrspace(7) %q
  %v = load i32, ptr addrspace(7) %r, align 4
  ret i32 %v
}

define i32 @select-uniform-resources(ptr addrspace(7) inreg %p, ptr addrspace(7) inreg %q, i1 inreg %c, i32 %index) {
  %r = select i1 %c, ptr addrspace(7) %p, ptr addrspace(7) %q
  %s = getelementptr i32, ptr addrspace(7) %r, i32 %index
  %v = load i32, ptr addrspace(7) %s, align 4
  ret i32 %v
}

define ptr addrspace(7) @select-returned(ptr addrspace(7) %p, ptr addrspace(7) %q, i1 %c) {
  %r = select i1 %c, ptr addrspace(7) %p, ptr addrspace(7) %q
  ret ptr addrspace(7) %r
}

define ptr addrspace(7) @select-null(ptr addrspace(7) %p, i1 %c) {
  %r = select i1 %c, ptr addrspace(7) %p, ptr addrspace(7) null
  ret ptr addrspace(7) %r
}

define i32 @phi-one-resource(ptr addrspace(7) %p, i1 %c, i32 %index) {
entry:
  br i1 %c, label %yes, label %no
yes:
  %a = getelementptr i32, ptr addrspace(7) %p, i32 %index
  br label %end
no:
  %b = getelementptr i8, ptr addrspace(7) %p, i32 20
  br label %end
end:
  %q = phi ptr addrspace(7) [ %a, %yes ], [ %b, %no ]
  %v = load i32, ptr addrspace(7) %q, align 4
  ret i32 %v
}

define i32 @phi-two-resources(ptr addrspace(7) %p, ptr addrspace(7) %q, i1 %c, i32 %index) {
entry:
  br i1 %c, label %yes, label %no
yes:
  %a = getelementptr i32, ptr addrspace(7) %p, i32 %index
  br label %end
no:
  %b = getelementptr i8, ptr addrspace(7) %q, i32 8
  br label %end
end:
  %r = phi ptr addrspace(7) [ %a, %yes ], [ %b, %no ]
  %v = load i32, ptr addrspace(7) %r, align 4
  ret i32 %v
}

define i32 @phi-three-ways(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %n) {
entry:
  %c = and i32 %n, 3
  switch i32 %c, label %rest [ i32 0, label %first
                               i32 1, label %second ]
first:
  br label %end
second:
  %b = getelementptr i8, ptr addrspace(7) %p, i32 16
  br label %end
rest:
  %d = getelementptr i8, ptr addrspace(7) %q, i32 4
  br label %end
end:
  %r = phi ptr addrspace(7) [ %p, %first ], [ %b, %second ], [ %d, %rest ]
  %v = load i32, ptr addrspace(7) %r, align 4
  ret i32 %v
}

; The uniform-buffer optimisation: the loop carries an offset alone.
define i32 @loop-one-resource(ptr addrspace(7) %p, i32 %n) {
entry:
  %count = and i32 %n, 7
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %q = phi ptr addrspace(7) [ %p, %entry ], [ %step, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %go = icmp ult i32 %i, %count
  br i1 %go, label %body, label %end
body:
  %v = load i32, ptr addrspace(7) %q, align 4
  %more = add i32 %sum, %v
  %step = getelementptr inbounds i8, ptr addrspace(7) %q, i32 4
  %next = add i32 %i, 1
  br label %head
end:
  ret i32 %sum
}

; Two pointers that change places in each turn.
define i32 @loop-swaps(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %n) {
entry:
  %count = and i32 %n, 7
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = phi ptr addrspace(7) [ %p, %entry ], [ %step, %loop ]
  %b = phi ptr addrspace(7) [ %q, %entry ], [ %a, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %v = load i32, ptr addrspace(7) %a, align 4
  %twice = mul i32 %sum, 3
  %more = add i32 %twice, %v
  %step = getelementptr i8, ptr addrspace(7) %b, i32 4
  %next = add i32 %i, 1
  %go = icmp ult i32 %next, %count
  br i1 %go, label %loop, label %end
end:
  ret i32 %more
}

define void @loop-copies(ptr addrspace(7) %from, ptr addrspace(7) %to, i32 %n) {
entry:
  %count = and i32 %n, 7
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %a = phi ptr addrspace(7) [ %from, %entry ], [ %a.next, %body ]
  %b = phi ptr addrspace(7) [ %to, %entry ], [ %b.next, %body ]
  %go = icmp ult i32 %i, %count
  br i1 %go, label %body, label %end
body:
  %v = load i32, ptr addrspace(7) %a, align 4
  store i32 %v, ptr addrspace(7) %b, align 4
  %a.next = getelementptr inbounds i8, ptr addrspace(7) %a, i32 4
  %b.next = getelementptr inbounds i8, ptr addrspace(7) %b, i32 4
  %next = add i32 %i, 1
  br label %head
end:
  ret void
}

define i32 @loop-nested(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %n) {
entry:
  %count = and i32 %n, 3
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.end ]
  %row = phi ptr addrspace(7) [ %p, %entry ], [ %row.next, %outer.end ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %outer.end ]
  %odd = and i32 %i, 1
  %is.odd = icmp eq i32 %odd, 1
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %at = phi ptr addrspace(7) [ %row, %outer ], [ %at.next, %inner ]
  %sum.row = phi i32 [ %sum, %outer ], [ %sum.next, %inner ]
  %v = load i32, ptr addrspace(7) %at, align 4
  %sum.next = add i32 %sum.row, %v
  %at.next = getelementptr i8, ptr addrspace(7) %at, i32 4
  %j.next = add i32 %j, 1
  %more = icmp ult i32 %j.next, 3
  br i1 %more, label %inner, label %outer.end
outer.end:
  %base = select i1 %is.odd, ptr addrspace(7) %p, ptr addrspace(7) %q
  %row.next = getelementptr [4 x i32], ptr addrspace(7) %base, i32 %i
  %i.next = add i32 %i, 1
  %go = icmp ult i32 %i.next, %count
  br i1 %go, label %outer, label %end
end:
  ret i32 %sum.next
}

; Which buffer is written depends on the lane.
define void @store-chosen-by-lane(ptr addrspace(7) %p, ptr addrspace(7) %q, i1 %c, i32 %index, i32 %v) {
  %r = select i1 %c, ptr addrspace(7) %p, ptr addrspace(7) %q
  %s = getelementptr i32, ptr addrspace(7) %r, i32 %index
  store i32 %v, ptr addrspace(7) %s, align 4
  ret void
}

; A load and a store that want one waterfall loop.
define void @add-chosen-by-lane(ptr addrspace(7) inreg %p, ptr addrspace(7) inreg %q, i1 %c, i32 %index, i32 %v) {
  %r = select i1 %c, ptr addrspace(7) %p, ptr addrspace(7) %q
  %s = getelementptr i32, ptr addrspace(7) %r, i32 %index
  %old = load i32, ptr addrspace(7) %s, align 4
  %new = add i32 %old, %v
  store i32 %new, ptr addrspace(7) %s, align 4
  ret void
}

; The store may change what the second load reads.
define i32 @store-between-loads(ptr addrspace(7) %p, ptr addrspace(7) %q, ptr addrspace(7) %r, i1 %c, i32 %v) {
  %s = select i1 %c, ptr addrspace(7) %p, ptr addrspace(7) %q
  %a = load i32, ptr addrspace(7) %s, align 4
  store i32 %v, ptr addrspace(7) %r, align 4
  %b = load i32, ptr addrspace(7) %s, align 4
  %sum = add i32 %a, %b
  ret i32 %sum
}

define i32 @divergent-resource(ptr addrspace(7) %p, i32 %index) {
  %q = getelementptr i32, ptr addrspace(7) %p, i32 %index
  %a = load i32, ptr addrspace(7) %q, align 4
  %r = getelementptr i8, ptr addrspace(7) %q, i32 4
  store i32 7, ptr addrspace(7) %r, align 4
  %b = load i32, ptr addrspace(7) %p, align 4
  %sum = add i32 %a, %b
  ret i32 %sum
}

; One resource, of which only one way into the join has the definition.
define i32 @phi-of-loaded-and-poison(ptr addrspace(7) %p, i1 %c, i32 %i) {
entry:
  %slot = alloca ptr addrspace(7), align 32, addrspace(5)
  store ptr addrspace(7) %p, ptr addrspace(5) %slot, align 32
  br i1 %c, label %yes, label %end
yes:
  %a = load ptr addrspace(7), ptr addrspace(5) %slot, align 32
  br label %end
end:
  %q = phi ptr addrspace(7) [ %a, %yes ], [ poison, %entry ]
  br i1 %c, label %use, label %done
use:
  %v = load i32, ptr addrspace(7) %q, align 4
  br label %done
done:
  %r = phi i32 [ %v, %use ], [ %i, %end ]
  ret i32 %r
}
