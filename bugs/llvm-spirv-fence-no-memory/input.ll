

define void @main() #0 {
entry:
  fence syncscope("workgroup") acq_rel
  ret void
}

attributes #0 = { "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" }
