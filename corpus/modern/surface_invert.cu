// Read and write a surface
extern "C" __global__ void k(cudaSurfaceObject_t s, cudaSurfaceObject_t d, int w){
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  uchar4 v; surf2Dread(&v, s, x * 4, y);
  v.x = 255 - v.x; v.y = 255 - v.y;
  if (x < w) surf2Dwrite(v, d, x * 4, y, cudaBoundaryModeTrap);
}
