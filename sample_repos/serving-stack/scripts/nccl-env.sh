# Sourced by run-engine.sh. Measured on the H100 nodes (NVSwitch, eight ConnectX-7).
export NCCL_DEBUG="${NCCL_DEBUG:-WARN}"
export NCCL_P2P_LEVEL=NVL
export NCCL_IB_HCA=mlx5_0,mlx5_1,mlx5_2,mlx5_3
export NCCL_NET_GDR_LEVEL=PHB
export NCCL_SOCKET_IFNAME=bond0
# the engines set CUDA_VISIBLE_DEVICES themselves; do not set it here
export OMP_NUM_THREADS=8
