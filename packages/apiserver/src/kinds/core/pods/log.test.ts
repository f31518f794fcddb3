import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readText, StatusError } from '@binnacle/machinery';
import type { NodeReply, NodeRequest } from '../../../ports/nodes.ts';
import type { ApiServer } from '../../../server.ts';
import { startNodesServer } from '../../../testing/nodes-server.ts';
import { chooseContainer } from './choose-container.ts';
import { kubeletAddress } from './kubelet-address.ts';

const POD = '/api/v1/namespaces/default/pods';
const encoder = new TextEncoder();

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield encoder.encode(text);
}

interface World {
  readonly server: ApiServer;
  readonly asked: NodeRequest[];
  readonly raw: (path: string, signal?: AbortSignal) => Promise<string>;
}

async function start(answer: (request: NodeRequest) => Promise<NodeReply>): Promise<World> {
  const asked: NodeRequest[] = [];
  const get = (request: NodeRequest): Promise<NodeReply> => {
    asked.push(request);
    return answer(request);
  };
  const { server, wire, addPod } = await startNodesServer({ get });
  await addPod('lost', 'gone', ['c']);
  return { server, asked, raw: (path, signal) => readText(wire, path, signal === undefined ? undefined : { signal }) };
}

const says = (status: number, text: string) => (): Promise<NodeReply> =>
  Promise.resolve({ status, body: pieces(text) });

test('what the kubelet is asked', async () => {
  const { raw, asked, server } = await start(says(200, 'hello\n'));
  const rows: readonly (readonly [query: string, path: string])[] = [
    ['one/log', '/containerLogs/default/one/c'],
    ['two/log?container=b', '/containerLogs/default/two/b'],
    [
      'one/log?follow=true&previous=0&timestamps=1&tailLines=0&limitBytes=5&pretty=true',
      '/containerLogs/default/one/c?follow=true&limitBytes=5&tailLines=0&timestamps=true',
    ],
    ['one/log?sinceSeconds=3', '/containerLogs/default/one/c?sinceSeconds=3'],
    [
      'one/log?sinceTime=2026-01-02T03:04:05.678%2B01:00',
      '/containerLogs/default/one/c?sinceTime=2026-01-02T02%3A04%3A05Z',
    ],
  ];
  for (const [query, path] of rows) {
    assert.equal(await raw(`${POD}/${query}`), 'hello\n', query);
    const last = asked.at(-1);
    assert.equal(last?.path, path);
    assert.deepEqual([last?.nodeName, last?.host, last?.port, last?.insecure], ['n', '192.0.2.1', 12_345, false]);
  }
  await raw(`${POD}/one/log?insecureSkipTLSVerifyBackend=true`);
  assert.equal(asked.at(-1)?.insecure, true);
  await server.close();
});

test('what is refused before anybody is asked, in the words of Kubernetes', async () => {
  const { raw, asked, server } = await start(says(200, ''));
  const rows: readonly (readonly [query: string, code: number, message: RegExp])[] = [
    ['absent/log', 404, /^pods "absent" not found$/],
    ['two/log', 400, /^a container name must be specified for pod two, choose one of: \[a b\]$/],
    ['two/log?container=c', 400, /^container c is not valid for pod two$/],
    ['lost/log', 404, /^nodes "gone" not found$/],
    ['one/log?tailLines=x', 400, /strconv\.ParseInt: parsing "x": invalid syntax/],
    ['one/log?sinceTime=noon', 400, /parsing time "noon"/],
    ['one/log?sinceTime=2026-02-30T00:00:00Z', 400, /parsing time "2026-02-30T00:00:00Z"/],
    ['one/log?tailLines=-1', 422, /^PodLogOptions "one" is invalid: tailLines: Invalid value: -1: must be greater/],
    ['one/log?limitBytes=0', 422, /limitBytes: Invalid value: 0: must be greater than 0/],
    ['one/log?sinceSeconds=0', 422, /sinceSeconds: Invalid value: 0: must be greater than 0/],
    ['one/log?sinceSeconds=1&sinceTime=2026-01-02T03:04:05Z', 422, /at most one of `sinceTime` or `sinceSeconds`/],
    ['one/log?stream=Stdout', 422, /stream: Forbidden: may not be specified/],
  ];
  for (const [query, code, message] of rows) {
    await assert.rejects(
      raw(`${POD}/${query}`),
      (error) => error instanceof StatusError && error.httpCode === code && message.test(error.message),
      query,
    );
  }
  assert.equal(await raw(`${POD}/waiting/log`), '', 'no node yet, no log yet');
  assert.deepEqual(asked, []);
  await server.close();
});

test('what the kubelet refuses', async () => {
  const rows: readonly (readonly [code: number, text: string, reason: string, message: string])[] = [
    [400, 'container "c" is waiting', 'BadRequest', 'container "c" is waiting'],
    [401, '', 'Unauthorized', 'the server has asked for the client to provide credentials ( pods/log one)'],
    [403, 'Forbidden (user=x)', 'Forbidden', 'Forbidden (user=x) ( pods/log one)'],
    [404, 'pod "one"', 'NotFound', 'the server could not find the requested resource ( pods/log one)'],
    [500, 'broken', 'InternalError', 'Internal error occurred: broken'],
    [
      502,
      'far',
      'InternalError',
      'an error on the server ("far") has prevented the request from succeeding ( pods/log one)',
    ],
    [
      418,
      '',
      'Unknown',
      'the server responded with the status code 418 but did not return more information ( pods/log one)',
    ],
  ];
  for (const [code, text, reason, message] of rows) {
    const { raw, server } = await start(says(code, text));
    await assert.rejects(raw(`${POD}/one/log`), (error) => {
      assert.ok(error instanceof StatusError);
      assert.deepEqual([error.httpCode, error.status.reason, error.message], [code, reason, message]);
      return true;
    });
    await server.close();
  }
  const unreachable = await start(() => Promise.reject(new RangeError('dial tcp: connection refused')));
  await assert.rejects(
    unreachable.raw(`${POD}/one/log`),
    (error) =>
      error instanceof StatusError && error.httpCode === 500 && error.message === 'dial tcp: connection refused',
  );
  await unreachable.server.close();
});

test("the caller's end ends the source, and so does a log that is too long", async () => {
  const caller = new AbortController();
  const { raw, asked, server } = await start((request) =>
    Promise.resolve({
      status: 200,
      body: (async function* endless() {
        while (!request.signal.aborted) yield new Uint8Array(1 << 20);
      })(),
    }),
  );
  await assert.rejects(
    raw(`${POD}/one/log?follow=true`),
    (error) => error instanceof StatusError && error.httpCode === 413 && error.message.includes('67108864'),
  );
  assert.equal(asked[0]?.signal.aborted, true);
  const reading = raw(`${POD}/one/log?follow=true`, caller.signal);
  caller.abort();
  await reading;
  assert.equal(asked[1]?.signal.aborted, true);
  await server.close();
});

test('the address of a kubelet', () => {
  const node = (
    addresses: { type: string; address: string }[],
    Port?: number,
  ): Parameters<typeof kubeletAddress>[0] => ({
    metadata: { name: 'n' },
    spec: {},
    status: { addresses, ...(Port === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port } } }) },
  });
  const all = [
    { type: 'Hostname', address: 'h' },
    { type: 'ExternalIP', address: '2' },
    { type: 'InternalIP', address: '1' },
  ];
  assert.deepEqual(kubeletAddress(node(all, 7)), { host: '1', port: 7 });
  assert.deepEqual(kubeletAddress(node(all.slice(0, 2), 0)), { host: '2', port: 10_250 });
  assert.deepEqual(kubeletAddress(node(all.slice(0, 1))), { host: 'h', port: 10_250 });
  assert.throws(() => kubeletAddress(node([])), /no preferred addresses found; known addresses: \[\]/);
});

test('init containers are offered too, and are valid', () => {
  const c = (name: string): { name: string; image: string } => ({ name, image: 'i' });
  const pod = { metadata: { name: 'p' }, spec: { containers: [c('a'), c('b')], initContainers: [c('i'), c('j')] } };
  assert.equal(chooseContainer(pod, 'j'), 'j');
  assert.throws(() => chooseContainer(pod, ''), /choose one of: \[a b\] or one of the init containers: \[i j\]$/);
});
