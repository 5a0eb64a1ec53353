"""Serves Presidio's analyzer over HTTP with the routes of its own server, which its package does not contain."""
import json
import os

from flask import Flask, Response, jsonify, request
from presidio_analyzer import AnalyzerEngine, AnalyzerRequest, BatchAnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider

nlp = NlpEngineProvider(
    nlp_configuration={
        "nlp_engine_name": "spacy",
        "models": [{"lang_code": "en", "model_name": os.environ["PRESIDIO_MODEL"]}],
    }
).create_engine()
engine = AnalyzerEngine(nlp_engine=nlp, supported_languages=["en"])
batch_engine = BatchAnalyzerEngine(engine)
app = Flask("presidio")


@app.get("/health")
def health():
    return "Presidio Analyzer service is up"


@app.get("/supportedentities")
def supported_entities():
    return jsonify(engine.get_supported_entities(request.args.get("language")))


def plain(result):
    return {"entity_type": result.entity_type, "start": result.start, "end": result.end, "score": float(result.score)}


@app.post("/analyze")
def analyze():
    try:
        asked = AnalyzerRequest(request.get_json())
        if not asked.text:
            raise ValueError("No text provided")
        if not asked.language:
            raise ValueError("No language provided")
        options = {"language": asked.language, "entities": asked.entities, "score_threshold": asked.score_threshold}
        if isinstance(asked.text, list):
            found = [[plain(r) for r in results] for results in batch_engine.analyze_iterator(texts=asked.text, **options)]
        else:
            found = [plain(r) for r in engine.analyze(text=asked.text, **options)]
        return Response(json.dumps(found), content_type="application/json")
    except Exception as error:  # like Presidio's own server: every error is 500
        return jsonify(error=str(error)), 500
