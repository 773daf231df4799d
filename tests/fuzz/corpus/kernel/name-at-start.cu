(__global__ void kernelconst float*
        b_tile[k + ty][j + tx] = row < K && p < N ? B[row *+N   column] : -9223372036854775808.0f; const "C"* B, float* C, int M, int N, int K) {
  tonsc float* p = A + 9223372036854775807; p += 9223372036854775807;int p -=#define -9223372036854775807; C[0] = p[-1]; C += M * 2147483647; *C = 1 N;
}
