// A path tracer over a hierarchy of boxes.
#include <stdint.h>
struct V { float x, y, z; };
__device__ V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ V operator*(V a, V b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
__device__ V operator*(V a, float s) { return {a.x * s, a.y * s, a.z * s}; }
__device__ float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
__device__ V unit(V a) { return a * rsqrtf(dot(a, a)); }
struct Triangle { V a, e1, e2, colour; float light; };
struct Node { V low, high; int left, count; };
__device__ uint32_t random(uint32_t &s) { s = s * 747796405 + 2891336453; uint32_t x = (s >> ((s >> 28) + 4) ^ s) * 277803737; return x >> 22 ^ x; }
__device__ float uniform(uint32_t &s) { return random(s) * 2.3283064e-10f; }

__device__ int closest(const Node *nodes, const Triangle *tri, V o, V d, float &t) {
  int stack[32], sp = 0, best = -1, at = 0;
  V inv = {1 / d.x, 1 / d.y, 1 / d.z};
  while (true) {
    const Node &n = nodes[at];
    V a = (n.low - o) * inv, b = (n.high - o) * inv;
    float in = fmaxf(fmaxf(fminf(a.x, b.x), fminf(a.y, b.y)), fmaxf(fminf(a.z, b.z), 0.0f)), out = fminf(fminf(fmaxf(a.x, b.x), fmaxf(a.y, b.y)), fminf(fmaxf(a.z, b.z), t));
    if (in <= out) {
      if (n.count == 0) { stack[sp++] = n.left + 1; at = n.left; continue; }
      for (int i = n.left; i < n.left + n.count; i++) {
        V p = cross(d, tri[i].e2), s = o - tri[i].a, q = cross(s, tri[i].e1);
        float f = 1 / dot(tri[i].e1, p), u = f * dot(s, p), v = f * dot(d, q), w = f * dot(tri[i].e2, q);
        if (u >= 0 && v >= 0 && u + v <= 1 && w > 1e-4f && w < t) t = w, best = i;
      }
    }
    if (sp == 0) return best;
    at = stack[--sp];
  }
}
extern "C" __global__ void path_tracer(float4 *image, const Node *nodes, const Triangle *tri, V eye, int width, int height, int bounces, uint32_t frame) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uint32_t seed = (y * width + x) * 9781 + frame * 6271;
  V d = unit({(x + uniform(seed) - width * 0.5f) / height, (y + uniform(seed) - height * 0.5f) / height, 1}), o = eye, through = {1, 1, 1}, sum = {0, 0, 0};
  for (int i = 0; i < bounces; i++) {
    float t = 1e30f;
    int hit = closest(nodes, tri, o, d, t);
    if (hit < 0) { sum = sum + through * V{0.5f, 0.7f, 1.0f} * (0.5f + 0.5f * d.y); break; }
    const Triangle &h = tri[hit];
    sum = sum + through * h.colour * h.light;
    V n = unit(cross(h.e1, h.e2));
    if (dot(n, d) > 0) n = n * -1.0f;
    through = through * h.colour;
    float keep = fmaxf(through.x, fmaxf(through.y, through.z));
    if (i > 2) { if (uniform(seed) > keep) break; through = through * (1 / keep); }
    float phi = 6.2831853f * uniform(seed), r2 = uniform(seed), r = sqrtf(r2), s, c;
    __sincosf(phi, &s, &c);
    V u = unit(fabsf(n.x) > 0.5f ? cross({0, 1, 0}, n) : cross({1, 0, 0}, n)), v = cross(n, u);
    o = o + d * t, d = unit(u * (r * c) + v * (r * s) + n * sqrtf(1 - r2));
  }
  float4 old = image[y * width + x];
  float k = 1.0f / (frame + 1);
  image[y * width + x] = {old.x + (sum.x - old.x) * k, old.y + (sum.y - old.y) * k, old.z + (sum.z - old.z) * k, 1};
}
