import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDuplexPair, readAll } from '@binnacle/base';
import { readReplyText, readText, StatusError } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import type { NodeReply, NodeUpgrade, NodeUpgraded } from '../../../ports/nodes.ts';
import type { ApiServer } from '../../../server.ts';
import { startNodesServer } from '../../../testing/nodes-server.ts';

interface World {
  readonly server: ApiServer;
  readonly wire: Wire;
  readonly asked: NodeUpgrade[];
}

async function start(answer: (request: NodeUpgrade) => Promise<NodeReply | NodeUpgraded>): Promise<World> {
  const asked: NodeUpgrade[] = [];
  const open = (request: NodeUpgrade): Promise<NodeReply | NodeUpgraded> => {
    asked.push(request);
    return answer(request);
  };
  return { ...(await startNodesServer({ open })), asked };
}

const POD = '/api/v1/namespaces/default/pods';

const ROWS: readonly (readonly [asked: string, kubelet: string])[] = [
  [
    'one/exec?command=ls&command=-l%20a&stdin=true&tty=true&stderr=false',
    '/exec/default/one/c?command=ls&command=-l%20a&input=1&output=1&tty=1',
  ],
  ['two/exec?command=ls&container=b', '/exec/default/two/b?command=ls&output=1&error=1'],
  ['one/attach?stdin=true', '/attach/default/one/c?input=1&output=1&error=1'],
  ['one/portforward', '/portForward/default/one'],
  ['one/portforward?ports=80&ports=81', '/portForward/default/one?port=80&port=81'],
];

for (const [line, path] of ROWS) {
  test(`what the kubelet is asked for ${line}`, async () => {
    const [near, far] = createDuplexPair();
    const { wire, server, asked } = await start(async () => ({ headers: { upgrade: 'SPDY/3.1' }, stream: far }));
    const headers = { 'x-stream-protocol-version': 'v4.channel.k8s.io', cookie: 'secret' };
    const opened = await wire.open({ path: `${POD}/${line}`, protocol: 'SPDY/3.1', headers });
    assert.equal(opened.protocol, 'SPDY/3.1');
    const [request] = asked;
    assert.deepEqual(
      [request?.method, request?.path, request?.headers],
      ['POST', path, { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' }],
    );
    await near.write(new Uint8Array([1]));
    await near.end();
    assert.deepEqual(await readAll(opened.stream, 10), new Uint8Array([1]));
    await server.close();
  });
}

const REFUSALS: readonly (readonly [asked: string, code: number, message: RegExp])[] = [
  ['one/exec', 400, /^you must specify at least 1 command for the container$/],
  ['one/exec?command=ls&stdout=false&stderr=false', 400, /^you must specify at least one of stdin, stdout, stderr$/],
  ['two/attach', 400, /^a container name must be specified for pod two, choose one of: \[a b\]$/],
  ['two/exec?command=ls&container=x', 400, /^container x is not valid for pod two$/],
  ['waiting/exec?command=ls', 400, /^pod waiting does not have a host assigned$/],
  ['no/exec?command=ls', 404, /^pods "no" not found$/],
];

for (const [line, code, message] of REFUSALS) {
  test(`refused: ${line}`, async () => {
    const { wire, server } = await start(() => Promise.reject(new RangeError('nobody is asked')));
    await assert.rejects(
      wire.open({ path: `${POD}/${line}`, protocol: 'SPDY/3.1' }),
      (error) => error instanceof StatusError && error.httpCode === code && message.test(error.message),
    );
    await server.close();
  });
}

test('without an upgrade; a kubelet that refuses; one that is not there', async () => {
  async function* words(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('container not found ("c")');
  }
  const { wire, server } = await start(async () => ({ status: 500, body: words() }));
  const path = `${POD}/one/exec?command=ls`;
  const plain = await wire.raw({ method: 'POST', path });
  assert.equal(plain.status, 400);
  assert.match(await readReplyText(plain), /"message":"Upgrade request required"/);
  await assert.rejects(wire.open({ path, protocol: 'websocket' }), /container not found/);
  await server.close();
  const gone = await start(() => Promise.reject(new RangeError('dial tcp: refused')));
  await assert.rejects(gone.wire.open({ path, protocol: 'websocket' }), /error dialing backend: dial tcp: refused/);
  await gone.server.close();
});

test('streams over WebSockets that go to the kubelet are counted, others are not', async () => {
  const { wire, server } = await start(async () => {
    const [near, far] = createDuplexPair();
    await near.end();
    return { headers: { upgrade: 'websocket' }, stream: far };
  });
  for (const [line, protocol] of [
    ['one/exec?command=ls', 'WebSocket'],
    ['one/exec?command=ls', 'websocket'],
    ['one/exec?command=ls', 'SPDY/3.1'],
    ['one/portforward', 'websocket'],
  ] as const) {
    await wire.open({ path: `${POD}/${line}`, protocol });
  }
  const lines = (await readText(wire, '/metrics')).split('\n');
  const name = 'apiserver_websocket_streaming_requests_total';
  assert.deepEqual(
    lines.filter((line) => line.startsWith(`${name}{`)),
    [
      `${name}{subresource="exec",proxy_type="proxied_to_kubelet"} 2`,
      `${name}{subresource="portforward",proxy_type="proxied_to_kubelet"} 1`,
    ],
  );
  await server.close();
});
