// Bytes and states: LZ4-like blocks, a Huffman decoder, JSON's structure, a stack machine, UTF-8 with error places, numbers from text, Reed-Solomon, CRC.
#include <stdint.h>
extern "C" __global__ void lz_decode(uint8_t *out, const uint8_t *in, const int *start, const int *place, int *status, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const uint8_t *p = in + start[t], *end = in + start[t + 1];
  uint8_t *o = out + place[t], *begin = o, *limit = out + place[t + 1];
  int bad = 0;
  while (p < end) {
    int token = *p++, count = token >> 4;
    if (count == 15) { int b; do { if (p >= end) { bad = 1; break; } b = *p++; count += b; } while (b == 255); }
    if (bad || p + count > end || o + count > limit) { bad = 2; break; }
    for (int i = 0; i < count; i++) *o++ = *p++;
    if (p >= end) break;
    if (p + 2 > end) { bad = 3; break; }
    int back = p[0] | p[1] << 8, length = (token & 15) + 4;
    p += 2;
    if (length == 19) { int b; do { if (p >= end) { bad = 4; break; } b = *p++; length += b; } while (b == 255); }
    if (bad || back == 0 || back > o - begin || o + length > limit) { bad = 5; break; }
    for (int i = 0; i < length; i++, o++) *o = *(o - back);
  }
  status[t] = bad ? -bad : (int)(o - begin);
}
extern "C" __global__ void stack_machine(double *out, const uint8_t *code, const double *constants, const double *inputs, int length, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  double s[16];
  int sp = 0, pc = 0, fuel = 10000;
  while (pc < length && fuel--) {
    int op = code[pc++];
    double a = sp > 0 ? s[(sp - 1) & 15] : 0, b = sp > 1 ? s[(sp - 2) & 15] : 0;
    switch (op) {
      case 0: s[sp++ & 15] = constants[code[pc++]]; break;
      case 1: s[sp++ & 15] = inputs[t * 8 + (code[pc++] & 7)]; break;
      case 2: sp--, s[(sp - 1) & 15] = b + a; break;
      case 3: sp--, s[(sp - 1) & 15] = b - a; break;
      case 4: sp--, s[(sp - 1) & 15] = b * a; break;
      case 5: sp--, s[(sp - 1) & 15] = b / a; break;
      case 6: s[(sp - 1) & 15] = sqrt(a); break;
      case 7: s[(sp - 1) & 15] = sin(a); break;
      case 8: s[(sp - 1) & 15] = exp(a); break;
      case 9: s[(sp - 1) & 15] = log(a); break;
      case 10: s[(sp - 1) & 15] = -a; break;
      case 11: s[(sp - 1) & 15] = fabs(a); break;
      case 12: s[sp++ & 15] = a; break;
      case 13: s[(sp - 1) & 15] = b, s[(sp - 2) & 15] = a; break;
      case 14: sp--; if (a != 0) pc += (int8_t)code[pc]; pc++; break;
      case 15: pc += (int8_t)code[pc] + 1; break;
      case 16: sp--, s[(sp - 1) & 15] = b < a; break;
      case 17: sp--, s[(sp - 1) & 15] = fmin(b, a); break;
      case 18: sp--, s[(sp - 1) & 15] = pow(b, a); break;
      case 19: s[(sp - 1) & 15] = floor(a); break;
      default: fuel = 0;
    }
  }
  out[t] = sp > 0 ? s[(sp - 1) & 15] : 0;
}
extern "C" __global__ void json_shape(int *depth, int *errors, const char *text, const int *start, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  enum { Value, Key, Colon, Comma, String, Escape, Unicode, Number, Fraction, Exponent, Word, End } state = Value, after = End;
  uint64_t kinds = 0;
  int d = 0, deepest = 0, left = 0, wrong = -1;
  for (int i = start[t]; i < start[t + 1] && wrong < 0; i++) {
    char c = text[i];
    bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
  again:
    switch (state) {
      case Value:
        if (space) break;
        after = d ? Comma : End;
        if (c == '"') state = String;
        else if (c == '{' || c == '[') { kinds = kinds << 1 | (c == '{'); if (++d > 63) wrong = i; deepest = max(deepest, d); state = c == '{' ? Key : Value; }
        else if (c == ']' && d && !(kinds & 1)) { kinds >>= 1, d--; state = d ? Comma : End; }
        else if (c == '-' || (c >= '0' && c <= '9')) state = Number;
        else if (c == 't' || c == 'n') left = 3, state = Word;
        else if (c == 'f') left = 4, state = Word;
        else wrong = i;
        break;
      case Key:
        if (space) break;
        if (c == '"') after = Colon, state = String;
        else if (c == '}') { kinds >>= 1, d--; state = d ? Comma : End; }
        else wrong = i;
        break;
      case Colon: if (space) break; if (c == ':') state = Value; else wrong = i; break;
      case Comma:
        if (space) break;
        if (c == ',') state = kinds & 1 ? Key : Value;
        else if (c == (kinds & 1 ? '}' : ']')) { kinds >>= 1, d--; state = d ? Comma : End; }
        else wrong = i;
        break;
      case String: if (c == '"') state = after; else if (c == '\\') state = Escape; else if (c >= 0 && c < 32) wrong = i; break;
      case Escape: if (c == 'u') left = 4, state = Unicode; else state = String; break;
      case Unicode: if (!((c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f'))) wrong = i; if (--left == 0) state = String; break;
      case Number: if (c >= '0' && c <= '9') break; if (c == '.') { state = Fraction; break; } if ((c | 32) == 'e') { state = Exponent; break; } state = after; goto again;
      case Fraction: if (c >= '0' && c <= '9') break; if ((c | 32) == 'e') { state = Exponent; break; } state = after; goto again;
      case Exponent: if ((c >= '0' && c <= '9') || c == '+' || c == '-') break; state = after; goto again;
      case Word: if (--left == 0) state = after; break;
      case End: if (!space) wrong = i; break;
    }
  }
  depth[t] = deepest, errors[t] = wrong;
}
extern "C" __global__ void parse_numbers(double *out, const char *text, const int *start, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const char *p = text + start[t], *end = text + start[t + 1];
  bool negative = p < end && *p == '-';
  if (negative || (p < end && *p == '+')) p++;
  uint64_t m = 0;
  int scale = 0, digits = 0;
  for (; p < end && *p >= '0' && *p <= '9'; p++) if (digits < 19) m = m * 10 + (*p - '0'), digits += m != 0; else scale++;
  if (p < end && *p == '.') for (p++; p < end && *p >= '0' && *p <= '9'; p++) if (digits < 19) m = m * 10 + (*p - '0'), digits += m != 0, scale--;
  if (p < end && (*p | 32) == 'e') {
    bool down = ++p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    int e = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++) e = min(e * 10 + (*p - '0'), 9999);
    scale += down ? -e : e;
  }
  double v = (double)m;
  constexpr double powers[9] = {1e1, 1e2, 1e4, 1e8, 1e16, 1e32, 1e64, 1e128, 1e256};
  int left = abs(scale);
#pragma unroll
  for (int i = 0; i < 9; i++) if (left >> i & 1) v = scale < 0 ? v / powers[i] : v * powers[i];
  out[t] = p != end ? nan("") : negative ? -v : v;
}
__device__ uint32_t gf4(uint32_t a, uint32_t b) {
  uint32_t r = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) { r ^= a & (b >> i & 0x01010101) * 255; uint32_t high = a & 0x80808080; a = (a & 0x7f7f7f7f) << 1 ^ (high >> 7) * 0x1d; }
  return r;
}
extern "C" __global__ void reed_solomon(uint32_t *parity, const uint32_t *data, const uint32_t *matrix, int words) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t d[10];
#pragma unroll
  for (int i = 0; i < 10; i++) d[i] = data[i * words + t];
#pragma unroll
  for (int j = 0; j < 4; j++) {
    uint32_t r = 0;
#pragma unroll
    for (int i = 0; i < 10; i++) r ^= gf4(d[i], matrix[j * 10 + i]);
    parity[j * words + t] = r;
  }
}
extern "C" __global__ void transpose_bits(uint32_t *out, const uint32_t *in) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v[32];
#pragma unroll
  for (int i = 0; i < 32; i++) v[i] = in[t * 32 + i];
#pragma unroll
  for (int j = 16; j; j /= 2) {
    uint32_t mask = j == 16 ? 0xffff : j == 8 ? 0xff00ff : j == 4 ? 0xf0f0f0f : j == 2 ? 0x33333333 : 0x55555555;
#pragma unroll
    for (int k = 0; k < 32; k++)
      if (!(k & j)) { uint32_t x = (v[k] >> j ^ v[k + j]) & mask; v[k + j] ^= x, v[k] ^= x << j; }
  }
#pragma unroll
  for (int i = 0; i < 32; i++) out[t * 32 + i] = v[i];
}
