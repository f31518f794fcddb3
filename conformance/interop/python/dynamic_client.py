"""What people write with the official Python client: typed and dynamic calls, apply, watch, exec by WebSocket.

One argument names the check; each prints nothing and ends with 0, or fails with a traceback.
"""

import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError
from kubernetes.stream import stream

IMAGE = "binnacle.local/frontend:1.0"
PATIENCE_SECONDS = 30


def namespace(api):
    name = f"py-{uuid.uuid4().hex[:8]}"
    api.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=name)))
    return name


def deployment(name, replicas):
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": IMAGE}]},
            },
        },
    }


def typed():
    """Typed models: create, list with limit and continue, patch, scale, status, delete."""
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    where = namespace(core)
    for i in range(7):
        core.create_namespaced_config_map(where, {"metadata": {"name": f"m{i}", "labels": {"x": str(i % 2)}}})
    page = core.list_namespaced_config_map(where, limit=3, label_selector="x in (0,1)")
    names = [item.metadata.name for item in page.items]
    while page.metadata._continue:
        page = core.list_namespaced_config_map(where, limit=3, label_selector="x in (0,1)", _continue=page.metadata._continue)
        names += [item.metadata.name for item in page.items]
    assert names == [f"m{i}" for i in range(7)], names
    apps.create_namespaced_deployment(where, deployment("web", 1))
    apps.patch_namespaced_deployment_scale("web", where, {"spec": {"replicas": 3}})
    until_available(apps, where, "web", 3)
    body = client.V1DeleteOptions(propagation_policy="Foreground", grace_period_seconds=0)
    apps.delete_namespaced_deployment("web", where, body=body)
    try:
        core.read_namespaced_secret("nobody", where)
        raise AssertionError("a secret that is not there was read")
    except ApiException as error:
        assert error.status == 404 and '"reason":"NotFound"' in error.body, error


def until_available(apps, where, name, replicas):
    watcher = watch.Watch()
    for event in watcher.stream(
        apps.list_namespaced_deployment, where, field_selector=f"metadata.name={name}", timeout_seconds=PATIENCE_SECONDS
    ):
        if event["object"].status.available_replicas == replicas:
            watcher.stop()
            return
    raise AssertionError(f"{name} did not get {replicas} replicas")


def dynamically():
    """The dynamic client: discovery, server-side apply with its conflict, watch, a custom kind at once."""
    api = client.ApiClient()
    dyn = dynamic.DynamicClient(api)
    where = namespace(client.CoreV1Api(api))
    deployments = dyn.resources.get(api_version="apps/v1", kind="Deployment")
    applied = deployments.server_side_apply(deployment("web", 1), namespace=where, field_manager="one")
    assert applied.metadata.managedFields[0].operation == "Apply", applied.metadata
    try:
        deployments.server_side_apply(deployment("web", 2), namespace=where, field_manager="two")
        raise AssertionError("two managers set the replicas")
    except ConflictError as error:
        assert "conflict with \\\"one\\\": .spec.replicas" in str(error.body), error.body
    forced = deployments.server_side_apply(deployment("web", 2), namespace=where, field_manager="two", force_conflicts=True)
    assert forced.spec.replicas == 2
    definitions = dyn.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    plural = f"kites{uuid.uuid4().hex[:6]}"
    definitions.create(body=kite_definition(plural))
    until_established(definitions, f"{plural}.py.example.com")
    dyn.resources.invalidate_cache()
    kites = dyn.resources.get(api_version="py.example.com/v1", kind=plural.capitalize())
    made = kites.create(body={"apiVersion": "py.example.com/v1", "kind": plural.capitalize(), "metadata": {"name": "red"}, "spec": {}}, namespace=where)
    assert made.spec.tail == 3, made
    patched = kites.patch(body={"metadata": {"name": "red"}, "spec": {"tail": 5}}, namespace=where, content_type="application/merge-patch+json")
    assert patched.spec.tail == 5
    kites.status.patch(body={"metadata": {"name": "red"}, "status": {"aloft": True}}, namespace=where, name="red", content_type="application/merge-patch+json")
    assert kites.get(name="red", namespace=where).status.aloft is True
    kites.delete(name="red", namespace=where)
    try:
        kites.get(name="red", namespace=where)
        raise AssertionError("it is still there")
    except NotFoundError:
        pass
    definitions.delete(name=f"{plural}.py.example.com")


def until_established(definitions, name):
    for event in definitions.watch(name=name, timeout=PATIENCE_SECONDS):
        conditions = (event["raw_object"].get("status") or {}).get("conditions") or []
        if any(c["type"] == "Established" and c["status"] == "True" for c in conditions):
            return
    raise AssertionError(f"{name} was not established")


def kite_definition(plural):
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"tail": {"type": "integer", "default": 3}}},
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    }
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.py.example.com"},
        "spec": {
            "group": "py.example.com",
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": plural, "kind": plural.capitalize(), "listKind": f"{plural.capitalize()}List"},
            "versions": [version],
        },
    }


def watching():
    """A watch that is resumed where it was, one that ends in its time, and one whose place is forgotten."""
    core = client.CoreV1Api()
    where = namespace(core)
    start = core.list_namespaced_secret(where).metadata.resource_version
    def write():
        for i in range(5):
            core.create_namespaced_secret(where, {"metadata": {"name": f"s{i}"}, "stringData": {"k": "v"}})
    writer = threading.Thread(target=write)
    writer.start()
    seen = []
    watcher = watch.Watch()
    for event in watcher.stream(core.list_namespaced_secret, where, resource_version=start, timeout_seconds=PATIENCE_SECONDS):
        seen.append(event["object"].metadata.name)
        if len(seen) == 2:
            watcher.stop()
    rest = watch.Watch()
    for event in rest.stream(core.list_namespaced_secret, where, resource_version=watcher.resource_version, timeout_seconds=PATIENCE_SECONDS):
        seen.append(event["object"].metadata.name)
        if len(seen) == 5:
            rest.stop()
    writer.join()
    assert seen == [f"s{i}" for i in range(5)], seen
    began = time.monotonic()
    assert list(watch.Watch().stream(core.list_namespaced_secret, where, resource_version=rest.resource_version, timeout_seconds=1)) == []
    assert time.monotonic() - began < PATIENCE_SECONDS


def from_yaml():
    """`create_from_yaml`, and many clients at once that write to one object until each has its turn."""
    core = client.CoreV1Api()
    where = namespace(core)
    objects = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "count"}, "data": {"n": "0"}},
        {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "never"}, "spec": {
            "schedule": "@yearly", "suspend": True,
            "jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": IMAGE}]}}}}}},
    ]
    utils.create_from_yaml(client.ApiClient(), yaml_objects=objects, namespace=where)

    def add(_):
        while True:
            found = core.read_namespaced_config_map("count", where)
            found.data["n"] = str(int(found.data["n"]) + 1)
            try:
                core.replace_namespaced_config_map("count", where, found)
                return
            except ApiException as error:
                assert error.status == 409, error
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(24)))
    assert core.read_namespaced_config_map("count", where).data["n"] == "24"


def executing():
    """Exec by WebSocket, its exit code and its errors, a terminal's size, logs, in a pod with real containers."""
    core = client.CoreV1Api()
    where = namespace(core)
    pod = {
        "metadata": {"name": "shell"},
        "spec": {"containers": [{"name": "main", "image": IMAGE, "command": ["sh", "-c", "echo started; exec sleep 3600"]}], "terminationGracePeriodSeconds": 0},
    }
    core.create_namespaced_pod(where, pod)
    watcher = watch.Watch()
    for event in watcher.stream(core.list_namespaced_pod, where, timeout_seconds=PATIENCE_SECONDS):
        if event["object"].status.phase == "Running":
            watcher.stop()
    calls = {"stdout": True, "stderr": True, "stdin": False, "tty": False}
    assert stream(core.connect_get_namespaced_pod_exec, "shell", where, command=["echo", "hello"], **calls) == "hello\n"
    channel = stream(core.connect_get_namespaced_pod_exec, "shell", where, command=["sh", "-c", "cat; echo lost >&2; exit 3"], _preload_content=False, stdout=True, stderr=True, stdin=True, tty=False)
    channel.write_stdin("line\n")
    assert channel.readline_stdout(timeout=PATIENCE_SECONDS) == "line"
    channel.close()
    failing = stream(core.connect_get_namespaced_pod_exec, "shell", where, command=["sh", "-c", "echo lost >&2; exit 3"], _preload_content=False, **calls)
    failing.run_forever(timeout=PATIENCE_SECONDS)
    assert failing.returncode == 3, failing.returncode
    assert failing.read_stderr() == "lost\n"
    log = core.read_namespaced_pod_log("shell", where, _preload_content=False).data
    assert log == b"started\n", log
    core.delete_namespaced_pod("shell", where)


CHECKS = {check.__name__: check for check in (typed, dynamically, watching, from_yaml, executing)}

if __name__ == "__main__":
    config.load_kube_config()
    CHECKS[sys.argv[1]]()
