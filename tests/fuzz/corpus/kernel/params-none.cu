__global__ void kernel() {

}
