#include "warp.h"
extern "C" __global__ void calendar(int *out, const int *days, int year_length) {
  int i = global_index();
  int d = days[i];
  int year = d / year_length;
  int rest = d % year_length;
  int month = rest / 30;
  out[3 * i] = year;
  out[3 * i + 1] = month;
  out[3 * i + 2] = rest - 30 * month;
}
