"""Makes the weights in guardrail/images/models from the ONNX files of the PyPI wheel rapidocr.

    python3 -m venv venv && venv/bin/pip install onnx==1.23.2 numpy==2.4.6
    venv/bin/pip download --no-deps rapidocr==3.10.0
    venv/bin/python hack/ocrModels/convert.py rapidocr-3.10.0-py3-none-any.whl guardrail/images/models

Each large weight becomes eight-bit integers with a scale for each output channel, followed by two nodes that
compute the floating-point weight again. The runtime folds these nodes when it loads the file, so it computes in
floating point, at the same speed. The files have a quarter of the size.
"""

import hashlib
import json
import sys
import zipfile
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

WHEEL = "2fc34e26cd0f48514804a94f8832283039c7334076bff60768b1fed9ad068050"
SOURCES = {
    "detection.onnx": "PP-OCRv6_det_small.onnx",
    "recognition.onnx": "PP-OCRv6_rec_small.onnx",
}
# Smaller weights, such as those of a normalization, stay as they are.
LARGE = 1024


def channel_axis(node, weight):
    """The axis of the output channels of a weight."""
    if node.op_type == "MatMul":
        return weight.ndim - 1
    if node.op_type == "ConvTranspose":
        return 1
    return 0


def quantize(model):
    weights = {weight.name: weight for weight in model.graph.initializer}
    users = {}
    for node in model.graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)
    for name, initializer in list(weights.items()):
        weight = numpy_helper.to_array(initializer)
        nodes = [node for node in users.get(name, []) if node.op_type in ("Conv", "ConvTranspose", "MatMul")]
        if weight.dtype != numpy.float32 or weight.size < LARGE or weight.ndim < 2 or not nodes:
            continue
        axis = channel_axis(nodes[0], weight)
        others = tuple(at for at in range(weight.ndim) if at != axis)
        scale = numpy.maximum(numpy.abs(weight).max(axis=others, keepdims=True) / 127, 1e-12).astype(numpy.float32)
        integers = numpy.round(weight / scale).astype(numpy.int8)
        model.graph.initializer.remove(initializer)
        model.graph.initializer.append(numpy_helper.from_array(integers, name + ".integers"))
        model.graph.initializer.append(numpy_helper.from_array(scale, name + ".scale"))
        model.graph.node.insert(0, helper.make_node("Mul", [name + ".float", name + ".scale"], [name]))
        cast = helper.make_node("Cast", [name + ".integers"], [name + ".float"], to=TensorProto.FLOAT)
        model.graph.node.insert(0, cast)


def constants_as_initializers(model):
    for node in [node for node in model.graph.node if node.op_type == "Constant"]:
        tensor = next((attribute.t for attribute in node.attribute if attribute.name == "value"), None)
        if tensor is not None:
            tensor.name = node.output[0]
            model.graph.initializer.append(tensor)
            model.graph.node.remove(node)


def without_identities(model):
    """An Identity passes a value or a weight on under another name."""
    sources = {}
    outputs = {output.name for output in model.graph.output}
    for node in list(model.graph.node):
        if node.op_type == "Identity" and node.output[0] not in outputs:
            sources[node.output[0]] = node.input[0]
            model.graph.node.remove(node)
    for node in model.graph.node:
        for at, name in enumerate(node.input):
            while name in sources:
                name = sources[name]
            node.input[at] = name


def convert(wheel_path, folder):
    wheel = Path(wheel_path).read_bytes()
    if hashlib.sha256(wheel).hexdigest() != WHEEL:
        raise SystemExit("This is another wheel than the pinned one.")
    archive = zipfile.ZipFile(wheel_path)
    files = {}
    for target, source in SOURCES.items():
        model = onnx.load_from_string(archive.read("rapidocr/models/" + source))
        for entry in model.metadata_props:
            if entry.key == "character":
                files["characters.txt"] = entry.value.encode()
        del model.metadata_props[:]
        constants_as_initializers(model)
        without_identities(model)
        quantize(model)
        onnx.checker.check_model(model)
        files[target] = model.SerializeToString(deterministic=True)
    manifest = {
        "source": {"package": "rapidocr 3.10.0 (PyPI)", "sha256": WHEEL, "licence": "Apache-2.0"},
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())},
    }
    files["manifest.json"] = (json.dumps(manifest, indent=2) + "\n").encode()
    for name, data in files.items():
        (Path(folder) / name).write_bytes(data)


convert(*sys.argv[1:])
