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


@app.get("/recognizers")
def recognizers():
    return jsonify([recognizer.name for recognizer in engine.get_recognizers(request.args.get("language"))])


def plain(result):
    fields = {name: value for name, value in result.to_dict().items() if name != "recognition_metadata"}
    return {**fields, "score": float(result.score)}


@app.post("/analyze")
def analyze():
    try:
        asked = AnalyzerRequest(request.get_json())
        if not asked.text:
            raise ValueError("No text provided")
        if not asked.language:
            raise ValueError("No language provided")
        engine.get_supported_entities(asked.language)
        is_batch = isinstance(asked.text, list)
        options = ["correlation_id", "score_threshold", "entities", "return_decision_process", "ad_hoc_recognizers"]
        options += ["language", "context", "allow_list", "allow_list_match", "regex_flags"]
        answers = batch_engine.analyze_iterator(
            texts=asked.text if is_batch else [asked.text], **{name: getattr(asked, name) for name in options}
        )
        found = [[plain(result) for result in answer] for answer in answers]
        content = json.dumps(found if is_batch else found[0], default=lambda value: value.to_dict(), sort_keys=True)
        return Response(content, content_type="application/json")
    except TypeError as error:
        message = f"Failed to parse /analyze request for AnalyzerEngine.analyze(). {error.args[0]}"
        return jsonify(error=message), 400
    except Exception as error:  # like Presidio's own server: every other error is 500
        return jsonify(error=str(error)), 500


@app.errorhandler(Exception)
def failed(error):
    return jsonify(error=str(error)), getattr(error, "code", 500)
