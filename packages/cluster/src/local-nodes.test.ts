import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Kubelet } from '@binnacle/kubelet';
import { LocalNodes, NO_OTHER_NODES } from './local-nodes.ts';

const AT = { nodeName: 'n', host: '', port: 0, insecure: false, signal: new AbortController().signal };

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

test('what a request brings reaches a kubelet of the same process, piece by piece and not without a bound', async () => {
  const logLevel = { verbosity: 1 };
  const config = { hasDebugging: true, hasDebugFlags: true };
  const nodes = new LocalNodes(new VirtualClock(), NO_OTHER_NODES);
  nodes.add({ nodeName: 'n', config, logLevel } as unknown as Kubelet);
  const put = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
    const of = { ...AT, path: '/debug/flags/v', method: 'PUT', headers: {}, body };
    const { status, body: answer } = await nodes.forward(of);
    let text = '';
    for await (const piece of answer) text += new TextDecoder().decode(piece);
    return `${status} ${text}`;
  };
  assert.equal(await put(pieces('1', '0')), '200 successfully set klog.logging.verbosity to 10\n');
  assert.equal(logLevel.verbosity, 10);
  assert.match(await put(pieces('0'.repeat(1000), '0'.repeat(24), '7')), /^200 .* to 0+\n$/);
  assert.equal(logLevel.verbosity, 0, 'a kilobyte of it is read');
  assert.match(await put(pieces()), /^400 /);
});
