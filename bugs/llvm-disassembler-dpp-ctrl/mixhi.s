v_fma_mixhi_f16_e64_dpp v0, v1, v2, v3 quad_perm:[3,1,0,2] row_mask:0xf bank_mask:0xf
