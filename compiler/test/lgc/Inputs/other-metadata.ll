; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
define void @other() !llpc.hash !0 {
  ret void
}

!0 = !{!"hash", i64 5, i64 6, null, !"driver", !"input", !""}
