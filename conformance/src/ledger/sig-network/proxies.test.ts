/** Web servers in real containers (on containerd), reached through the API server. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTestFolder } from '@binnacle/base/testing';
import { CONFIG_MAPS, ENDPOINT_SLICES, SERVICES } from '@binnacle/api';
import type { Container, PodSpec, ServicePort } from '@binnacle/api/core/v1';
import { runPod } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';
import { waitFor } from '@binnacle/testkit';

const run = promisify(execFile);

/** The ports of the pod, plain and over TLS, each with its answer; `/rewriteme` is a link on all of them. */
const PLAIN: { readonly [port: number]: string } = { 80: '', 1080: '', 160: 'foo', 162: 'bar' };
const SECURE: { readonly [port: number]: string } = { 443: '', 460: 'tls baz', 462: 'tls qux' };

/** What runs in the pod, on this machine's own Node: one web server a port. */
const SERVER = `
const fs = require('node:fs');
const answer = (text) => (asked, reply) => {
  if (text === '') {
    reply.setHeader('content-type', 'text/html');
    reply.end('<a href="/rewriteme">test</a>');
    return;
  }
  reply.setHeader('content-type', 'application/json');
  reply.end(text === 'echo' ? JSON.stringify({ Method: asked.method, Body: 'foo', Url: asked.url }) : text);
};
const tls = { cert: fs.readFileSync('/files/cert.pem'), key: fs.readFileSync('/files/key.pem') };
const { plain, secure } = JSON.parse(process.env.PORTS);
for (const [port, text] of Object.entries(plain)) require('node:http').createServer(answer(text)).listen(port);
for (const [port, text] of Object.entries(secure)) require('node:https').createServer(tls, answer(text)).listen(port);
`;

/** A certificate that nobody believes. */
async function makeCertificate(): Promise<{ cert: string; key: string }> {
  const folder = makeTestFolder().path;
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    await run('openssl', ['req', '-x509', ...curve, '-subj', '/CN=nobody', '-keyout', key, '-out', cert]);
    return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The libraries and the program of this machine's Node, for a container that has none. */
const NODE = ['/usr', '/lib', '/lib64'] as const;

async function serve(world: World, ports: { plain: object; secure: object }): Promise<void> {
  const { cert, key } = await makeCertificate();
  const files = { 'server.cjs': SERVER, 'cert.pem': cert, 'key.pem': key };
  await world.client.resource(CONFIG_MAPS, world.namespace).create({ metadata: { name: 'server' }, data: files });
  const mounts = NODE.map((path) => ({ name: path.slice(1), mountPath: path, readOnly: true }));
  const container: Container = {
    name: 'c',
    image: 'binnacle.local/frontend:1.0',
    command: ['/node/bin/node', '/files/server.cjs'],
    env: [{ name: 'PORTS', value: JSON.stringify(ports) }],
    ports: [{ name: 'first', containerPort: Number(Object.keys(ports.plain)[0]) }],
    readinessProbe: { tcpSocket: { port: Number(Object.keys(ports.plain).at(-1)) }, periodSeconds: 1 },
    volumeMounts: [
      ...mounts,
      { name: 'node', mountPath: '/node', readOnly: true },
      { name: 'files', mountPath: '/files' },
    ],
  };
  const spec: Partial<PodSpec> = {
    containers: [container],
    volumes: [
      ...NODE.map((path) => ({ name: path.slice(1), hostPath: { path } })),
      { name: 'node', hostPath: { path: join(process.execPath, '../..') } },
      { name: 'files', configMap: { name: 'server' } },
    ],
  };
  await runPod(world, 'server', spec);
}

async function expose(world: World, ports: readonly ServicePort[]): Promise<void> {
  await world.client
    .resource(SERVICES, world.namespace)
    .create({ metadata: { name: 'front' }, spec: { selector: { app: 'server' }, ports } });
  await waitFor({
    client: world.client,
    resource: ENDPOINT_SLICES,
    namespace: world.namespace,
    what: 'a ready endpoint behind the service',
    until: (all) => all.some(({ endpoints }) => (endpoints ?? []).some(({ conditions }) => conditions?.ready === true)),
  });
}

const METHODS = ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

behaviours('containers', 'proxies', (check) => {
  const echo = async (world: World): Promise<readonly string[]> => {
    await serve(world, { plain: { 80: 'echo' }, secure: {} });
    await expose(world, [{ name: 'web', port: 80, targetPort: 80 }]);
    const at = `/api/v1/namespaces/${world.namespace}`;
    return [`${at}/pods/server/proxy`, `${at}/services/front:web/proxy`];
  };

  check(
    '[sig-network] Proxy version v1 A set of valid responses are returned for both pod and service Proxy [Conformance]',
    async (world) => {
      for (const path of await echo(world)) {
        for (const method of METHODS) {
          const answer = await world.http(`${path}?method=${method}`, { method });
          assert.equal(answer.code, 200, `${method} ${path}: ${answer.text}`);
          const { Method, Body } = answer.json<{ Method: string; Body: string }>();
          assert.deepEqual([Method, Body], [method, 'foo']);
        }
        for (const method of ['GET', 'HEAD']) {
          const moved = await world.http(`${path}?method=${method}`, { method });
          assert.deepEqual([moved.code, moved.headers['location']], [301, `${path}/?method=${method}`]);
        }
      }
    },
  );

  check(
    '[sig-network] Proxy version v1 A set of valid responses are returned for both pod and service ProxyWithPath [Conformance]',
    async (world) => {
      for (const path of await echo(world)) {
        for (const method of [...METHODS, 'GET', 'HEAD']) {
          const answer = await world.http(`${path}/some/path/with/${method}`, { method });
          assert.equal(answer.code, 200, `${method} ${path}: ${answer.text}`);
          if (method === 'HEAD') continue;
          const { Method, Body, Url } = answer.json<{ Method: string; Body: string; Url: string }>();
          assert.deepEqual([Method, Body, Url], [method, 'foo', `/some/path/with/${method}`]);
        }
      }
    },
  );

  check('[sig-network] Proxy version v1 should proxy through a service and a pod [Conformance]', async (world) => {
    await serve(world, { plain: PLAIN, secure: SECURE });
    await expose(world, [
      { name: 'portname1', port: 80, targetPort: 160 },
      { name: 'portname2', port: 81, targetPort: 162 },
      { name: 'tlsportname1', port: 443, targetPort: 460 },
      { name: 'tlsportname2', port: 444, targetPort: 462 },
    ]);
    const pod = (name: string): string => `/api/v1/namespaces/${world.namespace}/pods/${name}/proxy/`;
    const service = (name: string): string => `/api/v1/namespaces/${world.namespace}/services/${name}/proxy/`;
    const link = (path: string): string => `<a href="${path}rewriteme">test</a>`;
    const wanted: readonly (readonly [path: string, answer: string])[] = [
      [service('front:portname1'), 'foo'],
      [service('http:front:portname1'), 'foo'],
      [service('front:80'), 'foo'],
      [service('front:portname2'), 'bar'],
      [service('front:81'), 'bar'],
      [service('https:front:tlsportname1'), 'tls baz'],
      [service('https:front:443'), 'tls baz'],
      [service('https:front:tlsportname2'), 'tls qux'],
      [service('https:front:444'), 'tls qux'],
      [pod('server:1080'), link(pod('server:1080'))],
      [pod('server:160'), 'foo'],
      [pod('server:162'), 'bar'],
      [pod('http:server:1080'), link(pod('http:server:1080'))],
      [pod('http:server:160'), 'foo'],
      [pod('https:server:443'), link(pod('https:server:443'))],
      [pod('https:server:460'), 'tls baz'],
      [pod('https:server:462'), 'tls qux'],
      // Without a port: the first that a container names.
      [pod('server'), link(pod('server'))],
    ];
    const ask = async ([path, answer]: (typeof wanted)[number]): Promise<void> => {
      const got = await world.http(path);
      assert.deepEqual([got.code, got.text], [200, answer], path);
    };
    // Each of them several times, side by side.
    await Promise.all(
      Array.from({ length: 20 }, () => wanted)
        .flat()
        .map(ask),
    );
  });
});
