extern "C" __global__ void opcode(int *stack, const int *program, int n) {
  int x = stack[threadIdx.x];
  int y = x + 1;
  for (int i = 0; i < n; i++) {
    switch (program[i]) {
    case 0:
      x += y;
      break;
    case 1:
      x -= y * 3;
      break;
    case 2:
      y ^= x;
      break;
    case 3:
      x = (int)((unsigned)x >> (y & 31));
      break;
    case 4:
      stack[threadIdx.x + 32] = x;
      break;
    default:
      y = x;
    }
  }
  stack[threadIdx.x] = x + y;
}
