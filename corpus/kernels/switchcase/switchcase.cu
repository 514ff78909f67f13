// A dense switch, then a sparse one, in a small interpreter loop over bytes.
extern "C" __global__ void switchcase(const unsigned char *code, const int *init, int *out, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, a = init[i], b = i;
  for (int pc = 0; pc < length; pc++) {
    switch (code[i + pc] & 15) {
      case 0: a += b; break;
      case 1: a -= 3; break;
      case 2: a *= 5; break;
      case 3: b = a ^ pc; break;
      case 4: a = b; break;
      case 5: a <<= 1;  // falls through
      case 6: b += 7; break;
      case 7: a >>= 2; break;
      case 8: b = ~b; break;
      case 9: a |= 0x10101; break;
      case 10: a &= b; break;
      case 11: { int t = a; a = b; b = t; } break;
      default: b++;
    }
    switch (a) {
      case 1: b += 1; break;
      case 10: b += 2; break;
      case 100: b += 3; break;
      case -7: b += 4; break;
      case 100000: b += 5;
    }
  }
  out[i] = a * 31 + b;
}
