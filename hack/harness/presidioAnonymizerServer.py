"""Serves Presidio's anonymizer over HTTP with the routes of its own server, which its package does not contain."""
from flask import Flask, Response, jsonify, request
from presidio_anonymizer import AnonymizerEngine, DeanonymizeEngine
from presidio_anonymizer.entities import InvalidParamError
from presidio_anonymizer.services.app_entities_convertor import AppEntitiesConvertor as Convertor
from werkzeug.exceptions import BadRequest, HTTPException

anonymizer = AnonymizerEngine()
deanonymizer = DeanonymizeEngine()
app = Flask("presidio-anonymizer")


def content():
    body = request.get_json()
    if not body:
        raise BadRequest("Invalid request json")
    return body


@app.get("/health")
def health():
    return "Presidio Anonymizer service is up"


@app.post("/anonymize")
def anonymize():
    asked = content()
    operators = Convertor.operators_config_from_json(asked.get("anonymizers"))
    if Convertor.check_custom_operator(operators):
        raise BadRequest("Custom type anonymizer is not supported")
    results = Convertor.analyzer_results_from_json(asked.get("analyzer_results"))
    answer = anonymizer.anonymize(text=asked.get("text", ""), analyzer_results=results, operators=operators)
    return Response(answer.to_json(), mimetype="application/json")


@app.post("/deanonymize")
def deanonymize():
    asked = content()
    entities = Convertor.deanonymize_entities_from_json(asked)
    operators = Convertor.operators_config_from_json(asked.get("deanonymizers"))
    answer = deanonymizer.deanonymize(text=asked.get("text", ""), entities=entities, operators=operators)
    return Response(answer.to_json(), mimetype="application/json")


@app.get("/anonymizers")
def anonymizers():
    return jsonify(anonymizer.get_anonymizers())


@app.get("/deanonymizers")
def deanonymizers():
    return jsonify(deanonymizer.get_deanonymizers())


@app.errorhandler(InvalidParamError)
def invalid(error):
    return jsonify(error=error.err_msg), 422


@app.errorhandler(HTTPException)
def http_error(error):
    return jsonify(error=error.description), error.code


@app.errorhandler(Exception)
def failed(_):
    return jsonify(error="Internal server error"), 500
