// Nested loops whose trip counts depend on data: greatest common divisors of a triangle of pairs.
extern "C" __global__ void nested(const unsigned *in, unsigned *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned total = 0;
  for (int r = 0; r < rounds; r++)
    for (int j = 0; j <= (r + i) % 3; j++) {
      unsigned a = in[i] + r, b = in[i] / 3 + j + 1;
      while (b != 0) {
        unsigned t = a % b;
        a = b;
        b = t;
        total += 1;
      }
      total += a << 8;
    }
  out[i] = total;
}
