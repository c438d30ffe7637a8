"""Times each operator against plain PyTorch. Prints microseconds, median of 50 runs."""

import torch

import vision_ops

torch.backends.cudnn.benchmark = True


def time_us(fn, runs: int = 50) -> float:
    for _ in range(5):
        fn()
    torch.cuda.synchronize()
    times = []
    for _ in range(runs):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        fn()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop) * 1000)
    return sorted(times)[runs // 2]


def main() -> None:
    print(torch.cuda.get_device_name(), torch.version.cuda)
    frame = torch.randint(0, 256, (2160, 3840, 3), dtype=torch.uint8, device="cuda")
    batch = torch.randint(0, 256, (32, 640, 640, 3), dtype=torch.uint8, device="cuda")
    mean, std = torch.full((3,), 0.45, device="cuda"), torch.full((3,), 0.22, device="cuda")
    feats = torch.randn(32, 256, 80, 80, device="cuda")
    heat = torch.rand(32, 17, 96, 72, device="cuda")
    rows = {
        "bgr_to_gray": lambda: vision_ops.bgr_to_gray(frame),
        "letterbox": lambda: vision_ops.letterbox(frame),
        "normalize": lambda: vision_ops.normalize(batch, mean, std),
        "hard_swish": lambda: vision_ops.hard_swish(feats),
        "channel_stats": lambda: vision_ops.channel_stats(feats),
        "soft_argmax2d": lambda: vision_ops.soft_argmax2d(heat),
    }
    for name, fn in rows.items():
        print(f"{name:16s} {time_us(fn):9.1f}")


if __name__ == "__main__":
    main()
