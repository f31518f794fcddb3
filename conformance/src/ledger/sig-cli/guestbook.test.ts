/** An application of three parts, made and taken away by kubectl, whose parts find each other by the names of their Services. */
import assert from 'node:assert/strict';
import { PODS } from '@binnacle/api';
import { lookUntil, waitFor } from '@binnacle/testkit';
import { kubectl, withNode } from '../real-containers.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const PORT = 3000;

/**
 * All three parts: `primary` keeps what was written and passes it to the replicas that have told it of themselves;
 * `replica` gives it out; `frontend` writes to the one and reads from the other.
 */
const PROGRAM = `
  const http = require('http');
  const role = process.env.ROLE;
  const kept = {};
  const replicas = new Set();
  const call = async (host, path) => {
    const reply = await fetch('http://' + host + ':${PORT}' + path, { signal: AbortSignal.timeout(5000) });
    if (!reply.ok) throw new Error(host + ' answered ' + reply.status);
    return reply.text();
  };
  const set = async (key, value) => {
    kept[key] = value;
    await Promise.all([...replicas].map((host) => call(host, '/set?key=' + key + '&value=' + value)));
  };
  const answers = {
    '/register': (query, from) => { replicas.add(from.replace('::ffff:', '')); return JSON.stringify(kept); },
    '/set': async (query) => { await set(query.get('key'), query.get('value')); return 'ok'; },
    '/get': (query) => kept[query.get('key')] ?? '',
    '/guestbook': async (query) => {
      const key = query.get('key');
      if (query.get('cmd') === 'get') return JSON.stringify({ data: await call('replica', '/get?key=' + key) });
      await call('primary', '/set?key=' + key + '&value=' + query.get('value'));
      return JSON.stringify({ message: 'Updated' });
    },
  };
  const register = () => call('primary', '/register').then(
    (text) => Object.assign(kept, JSON.parse(text)),
    () => setTimeout(register, 500),
  );
  http.createServer(async (request, response) => {
    const url = new URL(request.url, 'http://here');
    try {
      response.end(await answers[url.pathname](url.searchParams, request.socket.remoteAddress));
    } catch (error) {
      response.writeHead(502).end(String(error));
    }
  }).listen(${PORT}, () => { if (role === 'replica') register(); });
`;

const PARTS = [
  { name: 'primary', tier: 'backend', replicas: 1 },
  { name: 'replica', tier: 'backend', replicas: 2 },
  { name: 'frontend', tier: 'frontend', replicas: 3 },
];

function manifest(): string {
  const items = PARTS.flatMap(({ name, tier, replicas }) => {
    const labels = { app: 'guestbook', part: name, tier };
    const spec = withNode(PROGRAM, { env: [{ name: 'ROLE', value: name }], ports: [{ containerPort: PORT }] });
    const ports = [{ port: PORT }];
    return [
      { apiVersion: 'v1', kind: 'Service', metadata: { name, labels }, spec: { ports, selector: labels } },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name },
        spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      },
    ];
  });
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

/** Asks the frontend by way of the API server until it answers as wanted. */
async function untilAnswer(world: World, query: string, wanted: string): Promise<void> {
  const path = `/api/v1/namespaces/${world.namespace}/services/frontend:${PORT}/proxy/guestbook?key=messages&${query}`;
  await lookUntil({
    what: `the guestbook to answer ${query} with ${wanted}`,
    look: () => world.http(path),
    until: ({ code, text }) => code === 200 && text === wanted,
    deadlineMs: 60_000,
  });
}

behaviours('containers', 'an application of many parts', (check) => {
  check(
    '[sig-cli] Kubectl client Guestbook application should create and stop a working application [Conformance]',
    async (world) => {
      const made = await kubectl(world, ['create', '-f', '-'], manifest());
      assert.equal(made.trim().split('\n').length, 2 * PARTS.length);
      const { client, namespace } = world;
      await waitFor({
        client,
        resource: PODS,
        namespace,
        what: 'three frontends that run',
        until: (pods) =>
          pods.filter(({ metadata, status }) => metadata.labels?.['tier'] === 'frontend' && status?.phase === 'Running')
            .length === 3,
      });
      await untilAnswer(world, 'cmd=get', '{"data":""}');
      await untilAnswer(world, 'cmd=set&value=TestEntry', '{"message":"Updated"}');
      await untilAnswer(world, 'cmd=get', '{"data":"TestEntry"}');
      await kubectl(world, ['delete', '--grace-period=0', '--force', '-f', '-'], manifest());
      await waitFor({
        client,
        resource: PODS,
        namespace,
        what: 'no pods of the application',
        until: (pods) => pods.length === 0,
      });
      assert.equal(await kubectl(world, ['get', 'services,deployments', '-o', 'name']), '');
    },
  );
});
