// Tables in constant memory, read at uniform and at divergent places: a CRC by half-bytes and piecewise polynomials.
__constant__ unsigned crc_table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
__constant__ float poly[4][4] = {{1.0f, -0.5f, 0.25f, -0.125f}, {0.5f, 2.0f, -3.0f, 0.75f}, {-1.25f, 0.0f, 1.0f, 0.1f}, {3.0f, -0.3f, 0.03f, -0.003f}};
extern "C" __global__ void constant(const unsigned char *data, const float *x, unsigned *crc, float *value, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned c = 0xffffffffu;
  for (int k = 0; k < length; k++) {
    c ^= data[i + k];
    c = crc_table[c & 15] ^ c >> 4;
    c = crc_table[c & 15] ^ c >> 4;
  }
  crc[i] = ~c;
  float t = x[i];
  const float *p = poly[data[i] & 3];
  value[i] = ((p[3] * t + p[2]) * t + p[1]) * t + p[0] + poly[2][1];
}
