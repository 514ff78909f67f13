extern "C" __global__ void localsort(int *data) {
  int v[8];
  for (int i = 0; i < 8; i++)
    v[i] = data[threadIdx.x * 8 + i];
  for (int i = 1; i < 8; i++) {
    int key = v[i];
    int j = i - 1;
    while (j >= 0 && v[j] > key) {
      v[j + 1] = v[j];
      j--;
    }
    v[j + 1] = key;
  }
  for (int i = 0; i < 8; i++)
    data[threadIdx.x * 8 + i] = v[i];
}
