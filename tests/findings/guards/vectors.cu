// float4 and float2 where rows are not aligned to them, or end within one.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry float4_of_rows_of_18 --block 8x8 --tile 8x32 --m 8 --n 18 --k 8
// wrong: rows of 18 floats do not begin at multiples of 16 bytes, and end in the middle of a float4
__global__ void float4_of_rows_of_18(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x * 4;
  if (col >= N) return;
  float4 sum = {0, 0, 0, 0};
  for (int k = 0; k < K; ++k) {
    float a = A[row * K + k];
    float4 b = *(const float4*)&B[k * N + col];  // finds: alignment bounds
    sum.x += a * b.x, sum.y += a * b.y, sum.z += a * b.z, sum.w += a * b.w;
  }
  C[row * N + col] = sum.x;
  C[row * N + col + 1] = sum.y;
  if (col + 2 < N) C[row * N + col + 2] = sum.z, C[row * N + col + 3] = sum.w;
}

// run: --entry float4_from_the_second_element --block 8x8 --tile 8x8 --m 8 --n 8 --k 16
// wrong: the float4 begin one element late
__global__ void float4_from_the_second_element(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x;
  float sum = A[row * K] * B[col];
  for (int k = 1; k + 4 <= K; k += 4) {
    float4 a = *reinterpret_cast<const float4*>(A + row * K + k);  // finds: alignment
    sum += a.x * B[k * N + col] + a.y * B[(k + 1) * N + col];
    sum += a.z * B[(k + 2) * N + col] + a.w * B[(k + 3) * N + col];
  }
  for (int k = 13; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}

// run: --entry float2_of_odd_rows --block 8x8 --tile 8x16 --m 8 --n 15 --k 8
// wrong: every other row of C begins at an odd element
// finds: unwritten
__global__ void float2_of_odd_rows(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x * 2;
  float2 sum = {0, 0};
  for (int k = 0; k < K; ++k) {
    sum.x += A[row * K + k] * B[k * N + col];
    if (col + 1 < N) sum.y += A[row * K + k] * B[k * N + col + 1];
  }
  if (col + 1 < N)
    *(float2*)(C + row * N + col) = sum;  // finds: alignment
  else
    C[row * N + col] = sum.x;
}

// run: --entry float4_store_beyond_the_row --block 8x8 --tile 8x32 --m 8 --n 20 --k 8
// wrong: the guard looks at the first element of the float4's tile only, and the last rows go past C
__global__ void float4_store_beyond_the_row(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x * 4;
  float sum[4] = {};
  for (int k = 0; k < K; ++k)
    for (int j = 0; j < 4; ++j)
      if (col + j < N) sum[j] += A[row * K + k] * B[k * N + col + j];
  if (col <= N)
    *(float4*)&C[row * N + col] = make_float4(sum[0], sum[1], sum[2], sum[3]);  // finds: bounds race
}

// run: --entry shared_rows_of_17 --block 16x16 --tile 16x16 --size 16
// wrong: rows of 17 floats in shared memory, read as float4
__global__ void shared_rows_of_17(SIGNATURE) {
  __shared__ float a[16][17], b[16][17];
  int tx = threadIdx.x, ty = threadIdx.y;
  a[ty][tx] = A[ty * K + tx];
  b[ty][tx] = B[ty * N + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; k += 4) {
    float4 four = *(float4*)&a[ty][k];  // finds: alignment
    sum += four.x * b[k][tx] + four.y * b[k + 1][tx] + four.z * b[k + 2][tx] + four.w * b[k + 3][tx];
  }
  C[ty * N + tx] = sum;
}

// run: --entry dynamic_shared_after_an_odd_number --block 16x4 --tile 4x16 --m 4 --n 16 --k 16 --shared 516
// wrong: B's tile begins 65 floats into the array, and is read as float4
__global__ void dynamic_shared_after_an_odd_number(SIGNATURE) {
  extern __shared__ float memory[];
  float* b = memory + 65;
  int t = threadIdx.y * 16 + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 4) {
    b[t] = B[(k0 + t / 16) * N + t % 16];
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
      float4 four = ((float4*)b)[k * 4 + threadIdx.x / 4];  // finds: alignment
      const float each[4] = {four.x, four.y, four.z, four.w};
      sum += A[threadIdx.y * K + k0 + k] * each[threadIdx.x % 4];
    }
    __syncthreads();
  }
  C[threadIdx.y * N + threadIdx.x] = sum;
}

// run: --entry float4_of_the_last_elements --block 16 --tile 16x1 --m 16 --n 1 --k 18
// wrong: the row has 18 elements, and five float4 take 20
__global__ void float4_of_the_last_elements(SIGNATURE) {
  int row = threadIdx.x;
  float sum = 0;
  const float2* row_of_a = (const float2*)(A + row * K);
  for (int k = 0; k < K; k += 4) {
    float2 low = row_of_a[k / 2], high = row_of_a[k / 2 + 1];  // finds: bounds
    sum += low.x * B[k] + low.y * B[k + 1];
    sum += high.x * (k + 2 < K ? B[k + 2] : 0) + high.y * (k + 3 < K ? B[k + 3] : 0);
  }
  C[row] = sum;
}

template <int WIDTH>
struct alignas(sizeof(float) * WIDTH) Floats {
  float at[WIDTH];
};

// run: --entry 'vector_template<4>' --block 32 --tile 1x128 --m 2 --n 66 --k 8
// wrong: N is even, which is enough for two floats at once, and the template is instantiated with four
// finds: unwritten
template <int WIDTH>
__global__ void vector_template(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x * WIDTH;
  if (col + WIDTH > N) {
    for (; col < N; ++col) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
      C[row * N + col] = sum;
    }
    return;
  }
  Floats<WIDTH> sum = {};
  for (int k = 0; k < K; ++k) {
    auto b = *(const Floats<WIDTH>*)(B + k * N + col);  // finds: alignment
    for (int i = 0; i < WIDTH; ++i) sum.at[i] += A[row * K + k] * b.at[i];
  }
  *(Floats<WIDTH>*)(C + row * N + col) = sum;  // finds: alignment
}

// run: --entry double2_of_floats --block 16 --tile 1x16 --m 2 --n 16 --k 16
// wrong: a double2 holds four floats and needs 16 bytes of alignment, and the pointer is moved by two floats
__global__ void double2_of_floats(SIGNATURE) {
  __shared__ double2 four[4];
  int t = threadIdx.x, row = blockIdx.y;
  if (t < 4) four[t] = *(const double2*)(A + row * K + 2 + t * 4);  // finds: alignment bounds
  __syncthreads();
  const float* a = (const float*)four;
  float sum = A[row * K] * B[t] + A[row * K + 1] * B[N + t];
  for (int k = 2; k < K; ++k) sum += a[k - 2] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry four_columns_guard_of_one --block 8x8 --tile 8x32 --m 8 --n 28 --k 8
// wrong: four neighbouring columns for each thread, and the guard is right only for multiples of 32
__global__ void four_columns_guard_of_one(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x * 4;
  if (row >= M) return;
  float4 sum = {};
  for (int k = 0; k < K; ++k) {
    float4 b = ((const float4*)(B + k * N))[threadIdx.x];  // finds: bounds
    float a = A[row * K + k];
    sum.x = fmaf(a, b.x, sum.x);
    sum.y = fmaf(a, b.y, sum.y);
    sum.z = fmaf(a, b.z, sum.z);
    sum.w = fmaf(a, b.w, sum.w);
  }
  ((float4*)(C + row * N))[col / 4] = sum;  // finds: bounds race
}
