; Three loads of one byte each, of the three bytes of an element. Format 1 of GFX10 is 8_UNORM.
declare i32 @llvm.amdgcn.struct.tbuffer.load.i32(<4 x i32>, i32, i32, i32, i32 immarg, i32 immarg)

define amdgpu_vs <3 x float> @load(<4 x i32> inreg %vertices, i32 %index) {
  %x = call i32 @llvm.amdgcn.struct.tbuffer.load.i32(<4 x i32> %vertices, i32 %index, i32 0, i32 0, i32 1, i32 0)
  %y = call i32 @llvm.amdgcn.struct.tbuffer.load.i32(<4 x i32> %vertices, i32 %index, i32 1, i32 0, i32 1, i32 0)
  %z = call i32 @llvm.amdgcn.struct.tbuffer.load.i32(<4 x i32> %vertices, i32 %index, i32 2, i32 0, i32 1, i32 0)
  %v0 = insertelement <3 x i32> poison, i32 %x, i32 0
  %v1 = insertelement <3 x i32> %v0, i32 %y, i32 1
  %v2 = insertelement <3 x i32> %v1, i32 %z, i32 2
  %f = bitcast <3 x i32> %v2 to <3 x float>
  ret <3 x float> %f
}
