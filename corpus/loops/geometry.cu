// Points, polygons, rays, grids.

extern "C" __global__ void point_in_polygon(const float2 *corner, int corners, const float2 *point, int *inside, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float2 p = point[t];
    bool in = false;
    for (int i = 0, j = corners - 1; i < corners; j = i++) {
        float2 a = corner[i], b = corner[j];
        if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) in = !in;
    }
    inside[t] = in;
}

extern "C" __global__ void polygon_area(const double2 *corner, const int *start, double *area, int polygons) {
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < polygons; p += gridDim.x * blockDim.x) {
        double s = 0.0;
        double2 last = corner[start[p + 1] - 1];
        for (int i = start[p]; i < start[p + 1]; i++) {
            double2 c = corner[i];
            s += last.x * c.y - c.x * last.y;
            last = c;
        }
        area[p] = 0.5 * s;
    }
}

extern "C" __global__ void ray_march_sphere(const float3 *direction, float *distance, int most, float epsilon) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float3 d = direction[t];
    float far = 0.0f;
    int i = 0;
    for (; i < most; i++) {
        float x = d.x * far, y = d.y * far, z = d.z * far - 3.0f;
        float near = sqrtf(x * x + y * y + z * z) - 1.0f;
        if (near < epsilon) break;
        far += near;
        if (far > 100.0f) {
            far = -1.0f;
            break;
        }
    }
    distance[t] = i == most ? -2.0f : far;
}

extern "C" __global__ void bezier_points(const float2 *control, float2 *out, int degree, int points) {
    for (int i = threadIdx.x; i < points; i += blockDim.x) {
        float u = (float)i / (float)(points - 1);
        float2 p[8];
        for (int k = 0; k <= degree; k++) p[k] = control[k];
        for (int r = degree; r > 0; r--)
            for (int k = 0; k < r; k++) {
                p[k].x += u * (p[k + 1].x - p[k].x);
                p[k].y += u * (p[k + 1].y - p[k].y);
            }
        out[i] = p[0];
    }
}

extern "C" __global__ void voxel_walk(const unsigned *solid, int3 size, int3 from, int3 step, float3 cross, float3 delta, int *hit) {
    int x = from.x, y = from.y + threadIdx.x, z = from.z;
    float tx = cross.x, ty = cross.y, tz = cross.z;
    int found = -1;
    while (x >= 0 && x < size.x && y >= 0 && y < size.y && z >= 0 && z < size.z) {
        int at = (z * size.y + y) * size.x + x;
        if (solid[at >> 5] >> (at & 31) & 1) {
            found = at;
            break;
        }
        if (tx < ty && tx < tz) x += step.x, tx += delta.x;
        else if (ty < tz) y += step.y, ty += delta.y;
        else z += step.z, tz += delta.z;
    }
    hit[threadIdx.x] = found;
}

extern "C" __global__ void line_bresenham(const int4 *line, unsigned char *image, int width, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int x = line[t].x, y = line[t].y, dx = abs(line[t].z - x), dy = -abs(line[t].w - y);
    int sx = x < line[t].z ? 1 : -1, sy = y < line[t].w ? 1 : -1, error = dx + dy;
    for (;;) {
        image[y * width + x] = 255;
        if (x == line[t].z && y == line[t].w) break;
        int e = 2 * error;
        if (e >= dy) error += dy, x += sx;
        if (e <= dx) error += dx, y += sy;
    }
}

extern "C" __global__ void kmeans_assign(const float *point, const float *centre, int *cluster, int n, int k, int dimensions) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float best = 3e38f;
        int at = 0;
        for (int c = 0; c < k; c++) {
            float d = 0.0f;
            for (int j = 0; j < dimensions; j++) {
                float v = point[i * dimensions + j] - centre[c * dimensions + j];
                d += v * v;
            }
            if (d < best) best = d, at = c;
        }
        cluster[i] = at;
    }
}

extern "C" __global__ void bounding_boxes(const float3 *point, const int *start, float3 *low, float3 *high) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    float3 a = make_float3(1e30f, 1e30f, 1e30f), b = make_float3(-1e30f, -1e30f, -1e30f);
    for (int i = start[g]; i < start[g + 1]; i++) {
        float3 p = point[i];
        a.x = fminf(a.x, p.x), a.y = fminf(a.y, p.y), a.z = fminf(a.z, p.z);
        b.x = fmaxf(b.x, p.x), b.y = fmaxf(b.y, p.y), b.z = fmaxf(b.z, p.z);
    }
    low[g] = a;
    high[g] = b;
}
