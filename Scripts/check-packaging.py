#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Holds the image, the compose file and the Kubernetes manifests against these sources and against each other.

check-packaging.py [PROGRAM]: with the built `sightline`, each settings file and each SIGHTLINE_… variable is read by it, too.
The schema of Kubernetes' objects is the one of its own Python client; without that package only names and references
are checked, and that is said.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    sys.exit("python3-yaml is not installed: apt-get install python3-yaml")

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCKER = ROOT / "Packaging/docker"
MANIFESTS = sorted((ROOT / "Packaging/kubernetes").glob("*.yml"))
ROUTES = ROOT / "Sources/Server/SessionServer/API/openapi.json"
problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)


def instructions(text):
    """The instructions of a Dockerfile, with their words."""
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            yield name, rest.strip()


def check_dockerfile():
    stages, user, exposed, command = [], None, set(), []
    for name, rest in instructions((DOCKER / "Dockerfile").read_text()):
        if name == "FROM":
            stages.append(rest.split(" AS ")[-1])
            expect(":" in rest.split(" AS ")[0], f"Dockerfile: {rest} has no version")
        elif name == "COPY" and not rest.startswith("--from"):
            for source in rest.split()[:-1]:
                expect((ROOT / source).exists(), f"Dockerfile: there is no {source}")
        elif name == "COPY":
            expect(re.match(r"--from=(\S+)", rest)[1] in stages[:-1], f"Dockerfile: {rest} is from no stage before")
        elif name == "RUN":
            script = ROOT / rest.split()[0]
            if rest.startswith("Packaging/"):
                expect(os.access(script, os.X_OK), f"Dockerfile: {script} cannot be run")
        elif name == "USER":
            user = rest
        elif name == "EXPOSE":
            exposed = set(rest.split())
        elif name == "CMD":
            command = json.loads(rest)
    expect(user and user.replace(":", "").isdigit() and not user.startswith("0"), "Dockerfile: the user is no number, or root")
    installed = (DOCKER / "install.sh").read_text()
    expect(f"--uid {user.split(':')[0]} " in installed, "install.sh makes another user than the Dockerfile has")
    settings = json.loads((DOCKER / "server.json").read_text())
    expect(exposed == {f"{settings['port']}/tcp", f"{settings['media-ports']}/udp"}, "Dockerfile: other ports than server.json")
    expect("/etc/sightline/server.json" in command, "Dockerfile: the command does not name its settings")
    return settings, user


def check_compose(settings):
    compose = yaml.safe_load((DOCKER / "compose.yml").read_text())
    for kind in ("configs", "secrets"):
        for name, value in compose[kind].items():
            # Secrets are made by whoever runs it.
            if kind == "configs":
                expect((DOCKER / value["file"]).is_file(), f"compose.yml: there is no {value['file']}")
    for name, service in compose["services"].items():
        for kind in ("configs", "secrets"):
            for used in service.get(kind, []):
                source = used["source"] if isinstance(used, dict) else used
                expect(source in compose[kind], f"compose.yml: {name} has no {kind} {source}")
        for volume in service.get("volumes", []):
            expect(volume.split(":")[0] in compose["volumes"], f"compose.yml: {name} has no volume {volume}")
        for other in service.get("depends_on", []):
            expect(other in compose["services"], f"compose.yml: {name} depends on no {other}")
    server = compose["services"]["sightline"]
    expect((DOCKER / server["build"]["context"] / server["build"]["dockerfile"]).resolve() == DOCKER / "Dockerfile",
           "compose.yml builds by another Dockerfile")
    media = settings["media-ports"]
    expect(f"{media}:{media}/udp" in server["ports"], "compose.yml publishes other ports of media than server.json has")
    asked = set(re.findall(r"\$\{(\w+):\?", (DOCKER / "compose.yml").read_text()))
    example = set(re.findall(r"^(\w+)=", (DOCKER / "example.env").read_text(), re.MULTILINE))
    expect(asked == example, f"example.env and compose.yml differ: {asked ^ example}")
    return server["environment"]


def all_of(value, kind):
    """Every mapping in a document that has a member."""
    if isinstance(value, dict):
        if kind in value:
            yield value[kind]
        for below in value.values():
            yield from all_of(below, kind)
    elif isinstance(value, list):
        for below in value:
            yield from all_of(below, kind)


def check_schema(document, client):
    """A document against the classes of Kubernetes' own client: unknown members, types, and what is required."""
    version = document["apiVersion"].split("/")[-1].capitalize()
    kind = f"{version}{document['kind']}"

    def walk(value, type_name, path):
        if type_name.startswith("list["):
            if not isinstance(value, list):
                return expect(False, f"{path} is no list")
            for index, one in enumerate(value):
                walk(one, type_name[5:-1], f"{path}[{index}]")
        elif type_name.startswith("dict("):
            expect(isinstance(value, dict), f"{path} is no mapping")
        elif hasattr(client.models, type_name):
            if not isinstance(value, dict):
                return expect(False, f"{path} is no {type_name}")
            model = getattr(client.models, type_name)
            members = {json_name: python for python, json_name in model.attribute_map.items()}
            for name, below in value.items():
                if name not in members:
                    expect(False, f"{path}: there is no {name} in {type_name}")
                else:
                    walk(below, model.openapi_types[members[name]], f"{path}.{name}")
        else:
            wanted = {"str": str, "int": int, "bool": bool, "object": (str, int)}.get(type_name, object)
            expect(isinstance(value, wanted) and not (wanted is int and isinstance(value, bool)), f"{path} is no {type_name}")

    expect(hasattr(client.models, kind), f"there is no kind {kind}")
    walk(document, kind, kind)
    # The client checks what is required when it reads one.
    reader = client.ApiClient()
    try:
        reader._ApiClient__deserialize(document, kind)  # pylint: disable=protected-access
    except (ValueError, AttributeError) as error:
        expect(False, f"{kind}: {error}")


def check_manifests(user):
    documents = [one for path in MANIFESTS for one in yaml.safe_load_all(path.read_text())]
    named = {(one["kind"], one["metadata"]["name"]): one for one in documents}
    paths = json.loads(ROUTES.read_text())["paths"]
    for (kind, name), document in named.items():
        if kind == "Service":
            matching = [one for one in documents if kind != "ConfigMap" and "template" in one.get("spec", {})
                        and document["spec"]["selector"].items() <= one["spec"]["template"]["metadata"]["labels"].items()]
            expect(matching, f"the service {name} selects nothing")
        if "template" not in document.get("spec", {}):
            continue
        spec = document["spec"]
        pod = spec["template"]["spec"]
        expect(spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items(),
               f"{name} selects other pods than it makes")
        expect(("Service", spec["serviceName"]) in named, f"{name}: there is no service {spec['serviceName']}")
        volumes = {one["name"] for one in pod["volumes"]}
        volumes |= {one["metadata"]["name"] for one in spec.get("volumeClaimTemplates", [])}
        for volume in pod["volumes"]:
            if "configMap" in volume:
                expect(("ConfigMap", volume["configMap"]["name"]) in named, f"{name}: there is no {volume}")
        for container in pod["containers"]:
            expect({one["name"] for one in container["volumeMounts"]} == volumes, f"{name}: volumes and mounts differ")
            ports = {one["name"] for one in container["ports"]}
            for probe in all_of(container, "httpGet"):
                expect(probe["path"] in paths, f"{name}: the server has no {probe['path']}")
                expect(probe["port"] in ports, f"{name}: there is no port {probe['port']}")
            for one in ("startupProbe", "livenessProbe", "readinessProbe"):
                expect(one in container, f"{name} has no {one}")
        expect(pod["securityContext"].get("runAsUser") == int(user.split(":")[0]), f"{name} runs as another user than the image's")
    try:
        from kubernetes import client
    except ImportError:
        print("no schema of Kubernetes here (pip install kubernetes): names and references were checked alone")
    else:
        for document in documents:
            check_schema(document, client)
    settings = [json.loads(text) for one in documents for text in one.get("data", {}).values()]
    variables = [one["name"] for container in all_of(documents, "env") for one in container]
    return settings, variables


def check_settings(program, settings, variables):
    """Settings and variables as the program itself reads them."""
    samples = {"SIGHTLINE_SECRET": "0" * 64, "SIGHTLINE_MEDIA_ADDRESS": "192.0.2.1",
               "SIGHTLINE_PUBLIC_URL": "https://calls.example.org", "SIGHTLINE_METRICS_TOKEN_FILE": "metrics-token"}
    with tempfile.TemporaryDirectory() as folder:
        secret = pathlib.Path(folder, "secret")
        secret.write_text("0" * 64)
        secret.chmod(0o600)
        samples["SIGHTLINE_METRICS_TOKEN_FILE"] = str(secret)
        for index, one in enumerate(settings):
            # Files of secrets are where it runs.
            one = {name: str(secret) if name.endswith("-file") else value for name, value in one.items()}
            file = pathlib.Path(folder, f"{index}.json")
            file.write_text(json.dumps(one))
            unknown = set(variables) - set(samples)
            expect(not unknown, f"what is {unknown}?")
            environment = {"PATH": os.environ["PATH"]} | {name: samples[name] for name in variables if name in samples}
            if "secret-file" in one:
                environment.pop("SIGHTLINE_SECRET", None)
            done = subprocess.run([program, "serve", "--config", file, "--print-config"], env=environment,
                                  capture_output=True, text=True)
            expect(done.returncode == 0, f"settings are refused: {done.stderr.strip()}")
            expect("no setting" not in done.stderr, f"a variable is no setting: {done.stderr.strip()}")
            for name in one:
                expect(name in done.stdout or isinstance(one[name], dict), f"{name} is not in force: {done.stdout[:300]}")


def main():
    settings, user = check_dockerfile()
    environment = check_compose(settings)
    cluster, variables = check_manifests(user)
    for path in [*DOCKER.glob("*.yml"), *MANIFESTS]:
        list(yaml.safe_load_all(path.read_text()))
    for script in DOCKER.glob("*.sh"):
        shell = script.read_text().split("\n", 1)[0].removeprefix("#!").split()[-1]
        expect(subprocess.run([shell, "-n", script]).returncode == 0, f"{script} is no script")
    if len(sys.argv) > 1:
        check_settings(sys.argv[1], [settings], list(environment))
        check_settings(sys.argv[1], cluster, variables)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"the image, the compose file and {len(MANIFESTS)} file of manifests are as these sources have it")


if __name__ == "__main__":
    main()
