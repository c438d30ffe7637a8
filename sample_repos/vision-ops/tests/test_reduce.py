import pytest
import torch
import torch.nn.functional as F

vision_ops = pytest.importorskip("vision_ops")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

DEVICE = torch.device("cuda")
SHAPES = [(1, 3, 7, 5), (2, 32, 64, 64), (4, 19, 31, 127)]


@pytest.mark.parametrize("shape", SHAPES)
def test_channel_stats(shape):
    x = torch.randn(shape, device=DEVICE) * 3 + 1
    mean, var = vision_ops.channel_stats(x)
    torch.testing.assert_close(mean, x.mean(dim=(0, 2, 3)), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(var, x.var(dim=(0, 2, 3), unbiased=False), atol=1e-3, rtol=1e-4)


def test_soft_argmax_finds_the_peak():
    heat = torch.zeros(1, 2, 48, 36, device=DEVICE)
    heat[0, 0, 10, 20] = 1.0
    heat[0, 1, 47, 0] = 1.0
    xy = vision_ops.soft_argmax2d(heat)
    torch.testing.assert_close(xy[0], torch.tensor([[20.0, 10.0], [0.0, 47.0]], device=DEVICE), atol=0.05, rtol=0)


def test_hard_swish_gradient():
    x = torch.randn(1000, device=DEVICE, requires_grad=True)
    ref = x.detach().clone().requires_grad_()
    vision_ops.hard_swish(x).sum().backward()
    F.hardswish(ref).sum().backward()
    torch.testing.assert_close(x.grad, ref.grad, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_layer_norm2d(shape):
    x = torch.randn(shape, device=DEVICE)
    w, b = torch.randn(shape[1], device=DEVICE), torch.randn(shape[1], device=DEVICE)
    expected = F.layer_norm(x.permute(0, 2, 3, 1), (shape[1],), w, b, 1e-6).permute(0, 3, 1, 2)
    torch.testing.assert_close(vision_ops.layer_norm2d(x, w, b), expected, atol=1e-4, rtol=1e-4)
