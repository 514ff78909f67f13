// Physics: D3Q19 lattice Boltzmann, a stencil of eighth order, gravity in f64, Euler's equations with WENO5 and an HLLC flux, rigid bodies, a molecule's forces, RK45.
extern "C" __global__ void __launch_bounds__(128) lattice_d3q19(float *to, const float *from, const unsigned char *solid, float omega, int nx, int ny, int nz) {
  constexpr int ex[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0}, ey[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1}, ez[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1}, back[19] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17};
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x >= nx) return;
  int size = nx * ny * nz, here = (z * ny + y) * nx + x;
  float f[19], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int i = 0; i < 19; i++) {
    int px = (x - ex[i] + nx) % nx, py = (y - ey[i] + ny) % ny, pz = (z - ez[i] + nz) % nz, there = (pz * ny + py) * nx + px;
    f[i] = solid[there] ? from[back[i] * size + here] : from[i * size + there];
    rho += f[i], ux += ex[i] * f[i], uy += ey[i] * f[i], uz += ez[i] * f[i];
  }
  ux /= rho, uy /= rho, uz /= rho;
  float uu = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int i = 0; i < 19; i++) {
    float w = i == 0 ? 1 / 3.0f : i < 7 ? 1 / 18.0f : 1 / 36.0f, eu = ex[i] * ux + ey[i] * uy + ez[i] * uz;
    to[i * size + here] = f[i] + omega * (w * rho * (1 + 3 * eu + 4.5f * eu * eu - uu) - f[i]);
  }
}

extern "C" __global__ void __launch_bounds__(256) wave8_f64(double *next, const double *now, const double *before, const double *speed, double dt2, int nx, int ny, int nz) {
  __shared__ double s[24][24];
  constexpr double c[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, x = blockIdx.x * 16 + tx + 4, y = blockIdx.y * 16 + ty + 4, plane = nx * ny, at = y * nx + x;
  double v[9];
#pragma unroll
  for (int i = 0; i < 8; i++) v[i + 1] = now[at + i * plane];
  for (int z = 4; z < nz - 4; z++) {
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = v[i + 1];
    v[8] = now[at + (z + 4) * plane];
    __syncthreads();
    s[ty + 4][tx + 4] = v[4];
    if (ty < 4) s[ty][tx + 4] = now[at + z * plane - 4 * nx], s[ty + 20][tx + 4] = now[at + z * plane + 16 * nx];
    if (tx < 4) s[ty + 4][tx] = now[at + z * plane - 4], s[ty + 4][tx + 20] = now[at + z * plane + 16];
    __syncthreads();
    double sum = 3 * c[0] * v[4];
#pragma unroll
    for (int i = 1; i < 5; i++) sum += c[i] * (v[4 - i] + v[4 + i] + s[ty + 4 - i][tx + 4] + s[ty + 4 + i][tx + 4] + s[ty + 4][tx + 4 - i] + s[ty + 4][tx + 4 + i]);
    int p = at + z * plane;
    next[p] = 2 * v[4] - before[p] + dt2 * speed[p] * speed[p] * sum;
  }
}

extern "C" __global__ void gravity_f64(double4 *acceleration, const double4 *body, double soft, int n) {
  __shared__ double4 s[128];
  double4 a[2] = {}, p[2];
  int t = blockIdx.x * 256 + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 2; i++) p[i] = body[t + i * 128];
  for (int j = 0; j < n; j += 128) {
    s[threadIdx.x] = body[j + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 128; k++)
#pragma unroll
      for (int i = 0; i < 2; i++) {
        double dx = s[k].x - p[i].x, dy = s[k].y - p[i].y, dz = s[k].z - p[i].z, r = rsqrt(dx * dx + dy * dy + dz * dz + soft), f = s[k].w * r * r * r;
        a[i].x += f * dx, a[i].y += f * dy, a[i].z += f * dz, a[i].w -= s[k].w * r;
      }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; i++) acceleration[t + i * 128] = a[i];
}

struct State { double r, u, v, p; };
__device__ double weno(double a, double b, double c, double d, double e) {
  double s0 = 13.0 / 12 * (a - 2 * b + c) * (a - 2 * b + c) + 0.25 * (a - 4 * b + 3 * c) * (a - 4 * b + 3 * c);
  double s1 = 13.0 / 12 * (b - 2 * c + d) * (b - 2 * c + d) + 0.25 * (b - d) * (b - d);
  double s2 = 13.0 / 12 * (c - 2 * d + e) * (c - 2 * d + e) + 0.25 * (3 * c - 4 * d + e) * (3 * c - 4 * d + e);
  double w0 = 0.1 / ((1e-6 + s0) * (1e-6 + s0)), w1 = 0.6 / ((1e-6 + s1) * (1e-6 + s1)), w2 = 0.3 / ((1e-6 + s2) * (1e-6 + s2));
  return (w0 * (2 * a - 7 * b + 11 * c) + w1 * (-b + 5 * c + 2 * d) + w2 * (2 * c + 5 * d - e)) / (6 * (w0 + w1 + w2));
}
__device__ State edge(State a, State b, State c, State d, State e) {
  return {weno(a.r, b.r, c.r, d.r, e.r), weno(a.u, b.u, c.u, d.u, e.u), weno(a.v, b.v, c.v, d.v, e.v), weno(a.p, b.p, c.p, d.p, e.p)};
}
extern "C" __global__ void euler_weno5(double *fr, double *fu, double *fv, double *fe, const State *cell, double gamma, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t + 5 >= n) return;
  State q[6];
#pragma unroll
  for (int i = 0; i < 6; i++) q[i] = cell[t + i];
  State l = edge(q[0], q[1], q[2], q[3], q[4]), r = edge(q[5], q[4], q[3], q[2], q[1]);
  double cl = sqrt(gamma * l.p / l.r), cr = sqrt(gamma * r.p / r.r), el = l.p / (gamma - 1) + 0.5 * l.r * (l.u * l.u + l.v * l.v), er = r.p / (gamma - 1) + 0.5 * r.r * (r.u * r.u + r.v * r.v);
  double sl = fmin(l.u - cl, r.u - cr), sr = fmax(l.u + cl, r.u + cr), sm = (r.p - l.p + l.r * l.u * (sl - l.u) - r.r * r.u * (sr - r.u)) / (l.r * (sl - l.u) - r.r * (sr - r.u));
  bool left = sm >= 0;
  State s = left ? l : r;
  double e = left ? el : er, w = left ? sl : sr, a = s.r * s.u, b = a * s.u + s.p, c = a * s.v, d = (e + s.p) * s.u;
  if (left ? sl < 0 : sr > 0) {
    double k = s.r * (w - s.u) / (w - sm);
    a += w * (k - s.r), b += w * (k * sm - s.r * s.u), c += w * (k * s.v - s.r * s.v), d += w * (k * (e / s.r + (sm - s.u) * (sm + s.p / (s.r * (w - s.u)))) - e);
  }
  fr[t] = a, fu[t] = b, fv[t] = c, fe[t] = d;
}

struct Vec { float x, y, z; };
struct Quat { float w, x, y, z; };
struct Body { Vec place, speed, spin; Quat turn; Vec inertia; float mass; };
__device__ Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ Vec operator*(Vec a, float s) { return {a.x * s, a.y * s, a.z * s}; }
__device__ float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
__device__ __noinline__ Vec rotate(Quat q, Vec v) { Vec u = {q.x, q.y, q.z}, t = cross(u, v) * 2; return v + t * q.w + cross(u, t); }
__device__ __noinline__ Vec inverse_inertia(Body b, Vec v) {
  Quat back = {b.turn.w, -b.turn.x, -b.turn.y, -b.turn.z};
  Vec local = rotate(back, v);
  return rotate(b.turn, {local.x / b.inertia.x, local.y / b.inertia.y, local.z / b.inertia.z});
}
extern "C" __global__ void rigid_bodies(Body *bodies, const int2 *pairs, const Vec *points, const Vec *normals, int contacts, float dt, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  Body a = bodies[t];
  for (int i = 0; i < contacts; i++) {
    int2 p = pairs[t * contacts + i];
    if (p.x < 0) break;
    Body b = bodies[p.y];
    Vec n = normals[p.x], ra = points[p.x] - a.place, rb = points[p.x] - b.place;
    float closing = dot(a.speed + cross(a.spin, ra) - b.speed - cross(b.spin, rb), n);
    if (closing > 0) continue;
    float k = 1 / a.mass + 1 / b.mass + dot(cross(inverse_inertia(a, cross(ra, n)), ra) + cross(inverse_inertia(b, cross(rb, n)), rb), n);
    Vec impulse = n * (-1.3f * closing / k);
    a.speed = a.speed + impulse * (1 / a.mass), a.spin = a.spin + inverse_inertia(a, cross(ra, impulse));
  }
  a.place = a.place + a.speed * dt;
  Quat q = a.turn;
  Vec h = a.spin * (0.5f * dt);
  q = {q.w - h.x * q.x - h.y * q.y - h.z * q.z, q.x + h.x * q.w + h.y * q.z - h.z * q.y, q.y + h.y * q.w + h.z * q.x - h.x * q.z, q.z + h.z * q.w + h.x * q.y - h.y * q.x};
  float s = rsqrtf(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  a.turn = {q.w * s, q.x * s, q.y * s, q.z * s};
  bodies[t] = a;
}

extern "C" __global__ void dihedrals(float *force, const float4 *atom, const int4 *quad, const float4 *parameter, float *energy, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int4 q = quad[t];
  float4 a = atom[q.x], b = atom[q.y], c = atom[q.z], d = atom[q.w], k = parameter[t];
  Vec b1 = {b.x - a.x, b.y - a.y, b.z - a.z}, b2 = {c.x - b.x, c.y - b.y, c.z - b.z}, b3 = {d.x - c.x, d.y - c.y, d.z - c.z};
  Vec m = cross(b1, b2), o = cross(b2, b3);
  float mm = dot(m, m), oo = dot(o, o), len = sqrtf(dot(b2, b2)), phi = atan2f(len * dot(b1, o), dot(m, o));
  atomicAdd(energy, k.x * (1 + cosf(k.y * phi - k.z)));
  float g = k.x * k.y * sinf(k.y * phi - k.z);
  Vec fa = m * (-g * len / mm), fd = o * (g * len / oo);
  float s1 = dot(b1, b2) / (len * len), s2 = dot(b3, b2) / (len * len);
  Vec fb = fa * (-1 - s1) + fd * s2, fc = (fa + fb + fd) * -1.0f;
  int to[4] = {q.x, q.y, q.z, q.w};
  Vec f[4] = {fa, fb, fc, fd};
#pragma unroll
  for (int i = 0; i < 4; i++) atomicAdd(force + to[i] * 3, f[i].x), atomicAdd(force + to[i] * 3 + 1, f[i].y), atomicAdd(force + to[i] * 3 + 2, f[i].z);
}

__device__ void three_bodies(double (&d)[12], const double (&y)[12], const double *mass) {
#pragma unroll
  for (int i = 0; i < 3; i++) {
    d[i * 2] = y[6 + i * 2], d[i * 2 + 1] = y[7 + i * 2], d[6 + i * 2] = d[7 + i * 2] = 0;
#pragma unroll
    for (int j = 0; j < 3; j++)
      if (i != j) {
        double x = y[j * 2] - y[i * 2], z = y[j * 2 + 1] - y[i * 2 + 1], r = x * x + z * z, f = mass[j] / (r * sqrt(r));
        d[6 + i * 2] += f * x, d[7 + i * 2] += f * z;
      }
  }
}
extern "C" __global__ void orbits_rk45(double *state, const double *mass, double h, double tolerance, int steps) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double y[12], k[6][12], z[12];
#pragma unroll
  for (int i = 0; i < 12; i++) y[i] = state[t * 12 + i];
  constexpr double b[6][5] = {{}, {0.25}, {3.0 / 32, 9.0 / 32}, {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197}, {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104}, {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}};
  for (int s = 0; s < steps; s++) {
#pragma unroll
    for (int i = 0; i < 6; i++) {
#pragma unroll
      for (int j = 0; j < 12; j++) {
        double sum = 0;
#pragma unroll
        for (int l = 0; l < i; l++) sum += b[i][l] * k[l][j];
        z[j] = y[j] + h * sum;
      }
      three_bodies(k[i], z, mass);
    }
    double error = 0;
#pragma unroll
    for (int j = 0; j < 12; j++) error = fmax(error, fabs(h * (k[0][j] / 360 - 128.0 / 4275 * k[2][j] - 2197.0 / 75240 * k[3][j] + k[4][j] / 50 + 2.0 / 55 * k[5][j])));
    if (error <= tolerance)
#pragma unroll
      for (int j = 0; j < 12; j++) y[j] += h * (25.0 / 216 * k[0][j] + 1408.0 / 2565 * k[2][j] + 2197.0 / 4104 * k[3][j] - 0.2 * k[4][j]);
    h *= fmin(4.0, fmax(0.1, 0.84 * sqrt(sqrt(tolerance / error))));
  }
#pragma unroll
  for (int i = 0; i < 12; i++) state[t * 12 + i] = y[i];
}
