#include "wavebox/halo.hpp"

#include <cstddef>

#ifdef WAVEBOX_HAVE_NCCL
#include <nccl.h>
#endif

namespace wavebox {
namespace {

// Where the four planes to send, and the four to receive, begin in a field.
struct Edges {
  float* send_down;
  float* send_up;
  float* recv_down;
  float* recv_up;
  std::size_t count;

  Edges(const Grid& g, float* field)
      : send_down(field + kRadius * g.plane()),
        send_up(field + g.nz * g.plane()),
        recv_down(field),
        recv_up(field + (kRadius + g.nz) * g.plane()),
        count(kRadius * g.plane()) {}
};

// Needs an MPI that takes device pointers.
class MpiHalo : public HaloExchange {
 public:
  explicit MpiHalo(MPI_Comm comm) : comm_(comm) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    down_ = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    up_ = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  }

  void run(const Grid& g, float* field, cudaStream_t s) override {
    const Edges e(g, field);
    const int n = static_cast<int>(e.count);
    WAVEBOX_CHECK(cudaStreamSynchronize(s));  // MPI knows nothing of streams
    MPI_Request requests[4];
    MPI_Irecv(e.recv_down, n, MPI_FLOAT, down_, 1, comm_, &requests[0]);
    MPI_Irecv(e.recv_up, n, MPI_FLOAT, up_, 2, comm_, &requests[1]);
    MPI_Isend(e.send_up, n, MPI_FLOAT, up_, 1, comm_, &requests[2]);
    MPI_Isend(e.send_down, n, MPI_FLOAT, down_, 2, comm_, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }

  const char* name() const override { return "mpi"; }

 private:
  MPI_Comm comm_;
  int down_;
  int up_;
};

#ifdef WAVEBOX_HAVE_NCCL

void check_nccl(ncclResult_t r, const char* what) {
  if (r != ncclSuccess) throw std::runtime_error(std::string(what) + ": " + ncclGetErrorString(r));
}

class NcclHalo : public HaloExchange {
 public:
  explicit NcclHalo(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    ncclUniqueId id;
    if (rank_ == 0) check_nccl(ncclGetUniqueId(&id), "unique id");
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm);
    check_nccl(ncclCommInitRank(&comm_, size_, id, rank_), "init");
  }
  ~NcclHalo() override { ncclCommDestroy(comm_); }

  void run(const Grid& g, float* field, cudaStream_t s) override {
    const Edges e(g, field);
    check_nccl(ncclGroupStart(), "group");
    if (rank_ > 0) {
      check_nccl(ncclSend(e.send_down, e.count, ncclFloat, rank_ - 1, comm_, s), "send");
      check_nccl(ncclRecv(e.recv_down, e.count, ncclFloat, rank_ - 1, comm_, s), "receive");
    }
    if (rank_ + 1 < size_) {
      check_nccl(ncclSend(e.send_up, e.count, ncclFloat, rank_ + 1, comm_, s), "send");
      check_nccl(ncclRecv(e.recv_up, e.count, ncclFloat, rank_ + 1, comm_, s), "receive");
    }
    check_nccl(ncclGroupEnd(), "group");
  }

  const char* name() const override { return "nccl"; }

 private:
  ncclComm_t comm_ = nullptr;
  int rank_ = 0;
  int size_ = 1;
};

#endif  // WAVEBOX_HAVE_NCCL

}  // namespace

std::unique_ptr<HaloExchange> make_halo_exchange(MPI_Comm comm) {
#ifdef WAVEBOX_HAVE_NCCL
  int size = 1;
  MPI_Comm_size(comm, &size);
  if (size > 1) return std::make_unique<NcclHalo>(comm);
#endif
  return std::make_unique<MpiHalo>(comm);
}

}  // namespace wavebox
