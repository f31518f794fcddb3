/** Real kubectl binaries against nothing but our documents and a bare store of objects over HTTP. */
import { findResource, RESOURCES, schemas } from '@binnacle/api';
import { applyStrategicPatch, status, StatusError } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { makeTestFolder } from '@binnacle/base/testing';
import { createDiscovery } from '../discovery/discovery.ts';
import { createOpenApi } from './openapi.ts';

/** Every kubectl on the path, and those that lie beside it. */
function kubectls(): string[] {
  const path = (process.env['PATH'] ?? '').split(delimiter);
  const beside = path.map((folder) => join(folder, 'kubectl')).filter((file) => existsSync(file));
  const folders = new Set([...path, ...beside.map((file) => dirname(realpathSync(file)))]);
  const files = [...folders].flatMap((folder) =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => /^kubectl(\.\d+\.\d+)?$/.test(name))
          .map((name) => realpathSync(join(folder, name)))
      : [],
  );
  return [...new Set(files)].sort();
}

const discovery = createDiscovery({ infos: RESOURCES, remotes: [], generation: 0 }, () => '127.0.0.1');
const openApi = createOpenApi({
  remotes: [],
  infos: RESOURCES,
  generation: 0,
  structsOf: () => undefined,
  schemas,
  version: 'v1.36.0',
  commit: '',
});

interface Seen {
  readonly method: string;
  readonly url: URL;
  readonly contentType: string;
}

/** Deployments of one namespace: just enough of an API server for create and apply. */
class Stand {
  readonly seen: Seen[] = [];
  readonly #objects = new Map<string, object>();

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://x');
    const method = request.method ?? 'GET';
    this.seen.push({ method, url, contentType: request.headers['content-type'] ?? '' });
    let body = '';
    for await (const chunk of request) body += String(chunk);
    try {
      this.#reply(response, url, { method, body, accept: request.headers.accept });
    } catch (error) {
      const failure = error instanceof StatusError ? error : status.badRequest(String(error));
      send(response, failure.httpCode, 'application/json', JSON.stringify(failure.status));
    }
  }

  #reply(
    response: ServerResponse,
    url: URL,
    call: { readonly method: string; readonly body: string; readonly accept: string | undefined },
  ): void {
    const document = discovery.serve(url.pathname, call.accept) ?? openApi.serve(url.pathname, call.accept);
    if (document !== undefined) return send(response, 200, document.contentType, document.body);
    if (url.pathname === '/version') {
      return send(response, 200, 'application/json', '{"major":"1","minor":"36","gitVersion":"v1.36.0"}');
    }
    const match = /^\/apis\/apps\/v1\/namespaces\/default\/deployments(?:\/([^/]+))?$/.exec(url.pathname);
    if (match === null) throw status.notFound({ group: '', resource: 'paths' }, url.pathname);
    const object = this.#store(match[1] ?? '', call.method, call.body);
    send(response, call.method === 'POST' ? 201 : 200, 'application/json', JSON.stringify(object));
  }

  #store(name: string, method: string, body: string): object {
    const gr = { group: 'apps', resource: 'deployments' };
    const before = this.#objects.get(name);
    if (method !== 'POST' && before === undefined) throw status.notFound(gr, name);
    if (method === 'GET') return before ?? {};
    const next =
      method === 'PATCH'
        ? applyStrategicPatch(schemas, 'apps.v1.Deployment', { document: before, patch: JSON.parse(body) })
        : JSON.parse(body);
    const { value, problems } = schemas.decodeJson<{ metadata: { name: string } }>(
      JSON.stringify(next),
      'apps.v1.Deployment',
      'Strict',
    );
    if (problems.length > 0) throw status.badRequest(`strict decoding error: ${problems.join(', ')}`);
    this.#objects.set(value.metadata.name, value);
    return value;
  }
}

function send(response: ServerResponse, code: number, type: string, body: string | Uint8Array): void {
  response.writeHead(code, { 'content-type': type }).end(body);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function deployment(image: string, extra = ''): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  ${extra}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: "${image}"}
      - {name: side, image: side}
`;
}

const found = kubectls();
assert.ok(found.length > 0, 'there is a kubectl on the path');
assert.ok(findResource('apps', 'v1', 'deployments'));

for (const binary of found) {
  const folder = makeTestFolder().path;
  const stand = new Stand();
  const server = createServer((request, response) => void stand.answer(request, response));
  let address = '';
  const run = async (...args: string[]): Promise<string> => {
    const all = [`--server=${address}`, `--cache-dir=${folder}/cache`, ...args];
    const { stdout, stderr } = await promisify(execFile)(binary, all, {
      env: { HOME: folder, PATH: '/nowhere' },
      timeout: 30_000,
    });
    return stdout + stderr;
  };
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test(binary.split('/').at(-1) ?? binary, async (t) => {
    address = await listen(server);
    await t.test('lists what the API serves', async () => {
      const text = await run('api-resources', '-o', 'name');
      assert.equal(text.trim().split('\n').length, 67);
      assert.match(text, /^deployments\.apps$/m);
    });
    await t.test('creates, and leaves validation to the server', async () => {
      assert.match(await run('create', '-f', file('a.yaml', deployment('one'))), /deployment.apps\/web created/);
      const created = stand.seen.findLast((seen) => seen.method === 'POST');
      assert.equal(created?.url.searchParams.get('fieldValidation'), 'Strict');
      await assert.rejects(run('create', '-f', file('b.yaml', deployment('x', 'replcas: 1'))), {
        message: /unknown field "spec\.replcas"/,
      });
    });
    await t.test('applies with a strategic merge patch', async () => {
      await run('apply', '-f', file('a.yaml', deployment('one')));
      assert.match(await run('apply', '-f', file('a.yaml', deployment('two'))), /deployment.apps\/web configured/);
      const patch = stand.seen.findLast((seen) => seen.method === 'PATCH');
      assert.equal(patch?.contentType, 'application/strategic-merge-patch+json');
      const images = await run('get', 'deployment', 'web', '-n', 'default', '-o', 'jsonpath={..image}');
      assert.equal(images, 'two side');
      assert.match(await run('apply', '-f', file('a.yaml', deployment('two'))), /unchanged/);
    });
    await t.test('explains fields', async () => {
      const text = await run('explain', 'deployments.spec.strategy.rollingUpdate');
      assert.match(text, /maxSurge\s+<(IntOrString|string)>/);
      assert.match(await run('explain', 'pods.spec.containers'), /name\s+<string> -required-/);
      await assert.rejects(run('explain', 'pods.spec.nothing'), { message: /field "nothing" does not exist/ });
    });
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
}
