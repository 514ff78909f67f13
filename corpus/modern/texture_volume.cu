// Volume, layers, levels, gradients, gathering
extern "C" __global__ void k(float4* out, cudaTextureObject_t a, cudaTextureObject_t b, cudaTextureObject_t c, float z){
  float x = threadIdx.x * 0.125f;
  float4 r = tex3D<float4>(a, x, x, z);
  float4 l = tex2DLayered<float4>(b, x, z, threadIdx.x & 3);
  float4 m = tex2DLod<float4>(c, x, z, 1.5f);
  float4 g = tex2DGrad<float4>(c, x, z, make_float2(0.1f, 0), make_float2(0, 0.1f));
  float4 q = tex2Dgather<float4>(c, x, z, 1);
  out[threadIdx.x] = make_float4(r.x + l.y + m.z + g.w + q.x, r.y, l.z, m.x);
}
