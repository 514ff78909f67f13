// Small dense linear algebra, a matrix for each thread: inverse, LU, Cholesky, QR by Householder, eigenvalues by Jacobi, singular values.
template <class T, int N> __device__ void load(T (&m)[N][N], const T *in, int t) {
#pragma unroll
  for (int i = 0; i < N; i++)
#pragma unroll
    for (int j = 0; j < N; j++) m[i][j] = in[(t * N + i) * N + j];
}
template <class T, int N> __device__ void store(const T (&m)[N][N], T *out, int t) {
#pragma unroll
  for (int i = 0; i < N; i++)
#pragma unroll
    for (int j = 0; j < N; j++) out[(t * N + i) * N + j] = m[i][j];
}

extern "C" __global__ void inverse6_f64(double *out, const double *in) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double m[6][6];
  load(m, in, t);
#pragma unroll
  for (int k = 0; k < 6; k++) {
    double p = 1.0 / m[k][k];
    m[k][k] = 1.0;
#pragma unroll
    for (int j = 0; j < 6; j++) m[k][j] *= p;
#pragma unroll
    for (int i = 0; i < 6; i++)
      if (i != k) {
        double f = m[i][k];
        m[i][k] = 0;
#pragma unroll
        for (int j = 0; j < 6; j++) m[i][j] -= f * m[k][j];
      }
  }
  store(m, out, t);
}

extern "C" __global__ void lu8_pivot_f32(float *out, int *order, const float *in) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, p[8];
  float m[8][8];
  load(m, in, t);
#pragma unroll
  for (int i = 0; i < 8; i++) p[i] = i;
#pragma unroll
  for (int k = 0; k < 8; k++) {
#pragma unroll
    for (int i = k + 1; i < 8; i++)
      if (fabsf(m[i][k]) > fabsf(m[k][k])) {
        int q = p[i]; p[i] = p[k]; p[k] = q;
#pragma unroll
        for (int j = 0; j < 8; j++) { float x = m[i][j]; m[i][j] = m[k][j]; m[k][j] = x; }
      }
#pragma unroll
    for (int i = k + 1; i < 8; i++) {
      m[i][k] /= m[k][k];
#pragma unroll
      for (int j = k + 1; j < 8; j++) m[i][j] -= m[i][k] * m[k][j];
    }
  }
  store(m, out, t);
#pragma unroll
  for (int i = 0; i < 8; i++) order[t * 8 + i] = p[i];
}

extern "C" __global__ void cholesky8_f64(double *x, const double *in, const double *rhs) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double m[8][8], y[8];
  load(m, in, t);
#pragma unroll
  for (int j = 0; j < 8; j++) {
    double s = m[j][j];
#pragma unroll
    for (int k = 0; k < j; k++) s -= m[j][k] * m[j][k];
    m[j][j] = sqrt(s);
#pragma unroll
    for (int i = j + 1; i < 8; i++) {
      s = m[i][j];
#pragma unroll
      for (int k = 0; k < j; k++) s -= m[i][k] * m[j][k];
      m[i][j] = s / m[j][j];
    }
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    y[i] = rhs[t * 8 + i];
#pragma unroll
    for (int k = 0; k < i; k++) y[i] -= m[i][k] * y[k];
    y[i] /= m[i][i];
  }
#pragma unroll
  for (int i = 7; i >= 0; i--) {
#pragma unroll
    for (int k = i + 1; k < 8; k++) y[i] -= m[k][i] * y[k];
    y[i] /= m[i][i];
    x[t * 8 + i] = y[i];
  }
}

extern "C" __global__ void qr6_f32(float *r, const float *in) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float m[6][6];
  load(m, in, t);
#pragma unroll
  for (int k = 0; k < 5; k++) {
    float norm = 0;
#pragma unroll
    for (int i = k; i < 6; i++) norm += m[i][k] * m[i][k];
    norm = copysignf(sqrtf(norm), m[k][k]);
    float v[6], vv = 0;
#pragma unroll
    for (int i = k; i < 6; i++) { v[i] = m[i][k] + (i == k ? norm : 0); vv += v[i] * v[i]; }
    float scale = vv > 0 ? 2 / vv : 0;
#pragma unroll
    for (int j = k; j < 6; j++) {
      float d = 0;
#pragma unroll
      for (int i = k; i < 6; i++) d += v[i] * m[i][j];
      d *= scale;
#pragma unroll
      for (int i = k; i < 6; i++) m[i][j] -= d * v[i];
    }
  }
  store(m, r, t);
}

template <class T, int N> __device__ void jacobi(T (&a)[N][N], T (&v)[N][N], int sweeps) {
#pragma unroll
  for (int i = 0; i < N; i++)
#pragma unroll
    for (int j = 0; j < N; j++) v[i][j] = i == j;
  for (int s = 0; s < sweeps; s++)
#pragma unroll
    for (int p = 0; p < N; p++)
#pragma unroll
      for (int q = p + 1; q < N; q++) {
        T c = 1, sn = 0;
        if (a[p][q] != 0) {
          T theta = (a[q][q] - a[p][p]) / (2 * a[p][q]), u = 1 / (fabs(theta) + sqrt(theta * theta + 1));
          if (theta < 0) u = -u;
          c = 1 / sqrt(u * u + 1), sn = u * c;
        }
#pragma unroll
        for (int k = 0; k < N; k++) { T x = a[k][p], y = a[k][q]; a[k][p] = c * x - sn * y, a[k][q] = sn * x + c * y; }
#pragma unroll
        for (int k = 0; k < N; k++) { T x = a[p][k], y = a[q][k]; a[p][k] = c * x - sn * y, a[q][k] = sn * x + c * y; }
#pragma unroll
        for (int k = 0; k < N; k++) { T x = v[k][p], y = v[k][q]; v[k][p] = c * x - sn * y, v[k][q] = sn * x + c * y; }
      }
}

extern "C" __global__ void eigen4_f64(double *values, double *vectors, const double *in, int sweeps) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double a[4][4], v[4][4];
  load(a, in, t);
  jacobi(a, v, sweeps);
#pragma unroll
  for (int i = 0; i < 4; i++) values[t * 4 + i] = a[i][i];
  store(v, vectors, t);
}

extern "C" __global__ void svd3_f32(float *s, float *u, const float *in) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float m[3][3], a[3][3], v[3][3], w[3][3];
  load(m, in, t);
#pragma unroll
  for (int i = 0; i < 3; i++)
#pragma unroll
    for (int j = 0; j < 3; j++) a[i][j] = m[0][i] * m[0][j] + m[1][i] * m[1][j] + m[2][i] * m[2][j];
  jacobi(a, v, 4);
#pragma unroll
  for (int j = 0; j < 3; j++) {
    float x = sqrtf(fmaxf(a[j][j], 0.0f)), inv = x > 1e-20f ? 1 / x : 0;
    s[t * 3 + j] = x;
#pragma unroll
    for (int i = 0; i < 3; i++) w[i][j] = (m[i][0] * v[0][j] + m[i][1] * v[1][j] + m[i][2] * v[2][j]) * inv;
  }
  store(w, u, t);
}
