"""Judges persona documents with jsonschema and pySHACL. Reads lines {"now", "document"}; writes {"structure", "policy"}."""

import datetime
import json
import sys

import jsonschema
import pyshacl
import rdflib
from rdflib.namespace import RDF, XSD

P = rdflib.Namespace("urn:lacuna:persona:")
schema = json.load(open(sys.argv[1]))
shapes = rdflib.Graph().parse(sys.argv[2], format="turtle")
validator = jsonschema.Draft202012Validator(schema)


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def put(graph, node, name, value, kind=None):
    if value is not None:
        graph.add((node, P[name], rdflib.Literal(value, datatype=kind)))


def graph_of(document, now):
    graph, policy = rdflib.Graph(), document["memoryPolicy"]
    retention = policy.get("retentionPolicy", {})
    classes = retention.get("perPrivacyClass", {})
    for number, atom in enumerate(document["memory"]):
        node = P[f"atom{number}"]
        graph.add((node, RDF.type, P.Atom))
        put(graph, node, "privacyClass", atom["privacyClass"])
        put(graph, node, "consentBasis", atom["consentBasis"])
        put(graph, node, "evaluatedAt", now)
        days = classes[atom["privacyClass"]] if atom["privacyClass"] in classes else retention.get("defaultRetentionDays")
        if days is not None:
            put(graph, node, "keptUntil", moment(atom["createdAt"]) + datetime.timedelta(days=days))
        else:
            put(graph, node, "keptUntil", now + datetime.timedelta(days=1))
    node = P.document
    graph.add((node, RDF.type, P.Document))
    put(graph, node, "atomCount", len(document["memory"]), XSD.integer)
    put(graph, node, "maxAtoms", int(policy["maxAtoms"]), XSD.integer)
    put(graph, node, "enabled", policy["enabled"])
    sensitive = sum(atom["privacyClass"] == "sensitive-pii" for atom in document["memory"])
    put(graph, node, "sensitiveCount", sensitive, XSD.integer)
    put(graph, node, "safetyTier", document.get("safetyTier"))
    put(graph, node, "confabulationPolicy", policy["confabulationPolicy"])
    for profile in document.get("complianceProfiles", []):
        put(graph, node, "complianceProfile", profile)
    service = policy.get("rightToBeForgottenSla", {})
    for name in ["acknowledgmentHours", "completionHours"]:
        if name in service:
            put(graph, node, name, int(service[name]), XSD.integer)
    put(graph, node, "logRedaction", policy.get("auditPolicy", {}).get("logRedaction"))
    creation = policy.get("creationPolicy", {})
    for name in ["salienceClassifier", "salienceClassifierVersion"]:
        put(graph, node, name, creation.get(name))
    return graph


for line in sys.stdin:
    case = json.loads(line)
    structure = validator.is_valid(case["document"])
    policy = None
    if structure:
        graph = graph_of(case["document"], moment(case["now"]))
        policy, _, _ = pyshacl.validate(graph, shacl_graph=shapes)
    print(json.dumps({"structure": structure, "policy": policy}))
