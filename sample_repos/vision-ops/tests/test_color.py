import pytest
import torch

vision_ops = pytest.importorskip("vision_ops")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

DEVICE = torch.device("cuda")


def test_gray_matches_the_weights():
    image = torch.randint(0, 256, (33, 65, 3), dtype=torch.uint8, device=DEVICE)
    weights = torch.tensor([0.114, 0.587, 0.299], device=DEVICE)
    expected = (image.float() @ weights + 0.5).clamp(0, 255).to(torch.uint8)
    got = vision_ops.bgr_to_gray(image)
    assert (got.int() - expected.int()).abs().max() <= 1


def test_black_nv12_frame_is_black():
    y = torch.full((64, 128), 16, dtype=torch.uint8, device=DEVICE)
    uv = torch.full((32, 128), 128, dtype=torch.uint8, device=DEVICE)
    assert vision_ops.nv12_to_rgb(y, uv).max() == 0


def test_no_jitter_changes_nothing():
    rgb = torch.rand(2, 3, 17, 19, device=DEVICE)
    before = rgb.clone()
    vision_ops.color_jitter_(rgb, strength=0.0)
    torch.testing.assert_close(rgb, before, atol=1e-5, rtol=0)


@pytest.mark.parametrize("half", [False, True])
def test_normalize(half):
    batch = torch.randint(0, 256, (2, 31, 29, 3), dtype=torch.uint8, device=DEVICE)
    mean = torch.tensor([0.485, 0.456, 0.406], device=DEVICE)
    std = torch.tensor([0.229, 0.224, 0.225], device=DEVICE)
    expected = ((batch.float() / 255 - mean) / std).permute(0, 3, 1, 2)
    got = vision_ops.normalize(batch, mean, std, half=half)
    torch.testing.assert_close(got.float(), expected, atol=2e-3 if half else 1e-5, rtol=1e-3)
