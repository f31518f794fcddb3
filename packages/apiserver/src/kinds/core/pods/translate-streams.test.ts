import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDuplexPair, StreamCutError, VirtualClock } from '@binnacle/base';
import { FORWARD_TUNNEL_PROTOCOL } from '@binnacle/streams';
import { StreamTranslator } from './translate-streams.ts';

for (const protocol of [FORWARD_TUNNEL_PROTOCOL, 'v4.channel.k8s.io']) {
  test(`${protocol}: a kubelet is not left waiting where the client's handshake fails`, async () => {
    const [near, far] = createDuplexPair();
    const failure = new StreamCutError('the other side gave no answer');
    const desk = {
      accept: () => Promise.reject(failure),
      createCodec: () => assert.fail('nothing is translated'),
    };
    const nodes = { open: async () => ({ headers: { upgrade: 'SPDY/3.1' }, stream: near }) };
    const tunneled: number[] = [];
    const measures = {
      webSocket: () => undefined,
      translated: () => undefined,
      tunneled: (code: number) => void tunneled.push(code),
    };
    const translator = new StreamTranslator(desk, nodes, { clock: new VirtualClock(), measures });
    const request = { nodeName: 'n', host: '192.0.2.1', port: 1, path: '/', insecure: false };
    const opening = translator.open({
      subject: { kind: 'forward', ports: ['80'] },
      handshake: { method: 'GET', headers: { 'sec-websocket-protocol': protocol } },
      request: { ...request, signal: new AbortController().signal },
    });
    await assert.rejects(opening, failure);
    await assert.rejects(far.read(), StreamCutError);
    assert.deepEqual(tunneled, protocol === FORWARD_TUNNEL_PROTOCOL ? [500] : []);
  });
}
