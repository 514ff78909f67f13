// Damped anharmonic oscillators in double precision: leapfrog steps without division.
extern "C" __global__ void physics64(double *x, double *v, double *energy, double dt, double stiffness, double damping, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double p = x[i], q = v[i];
  for (int s = 0; s < steps; s++) {
    double force = -stiffness * p - 0.25 * p * p * p - damping * q;
    q += 0.5 * dt * force;
    p += dt * q;
    force = -stiffness * p - 0.25 * p * p * p - damping * q;
    q += 0.5 * dt * force;
  }
  x[i] = p;
  v[i] = q;
  energy[i] = fma(0.5 * q, q, 0.5 * stiffness * p * p) + fabs(p) + fmin(p, q);
}
