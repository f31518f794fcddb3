import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { CONFIG_MAPS } from '@binnacle/api';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createTokenKeys } from '@binnacle/apiserver/node';
import { ADMIN } from '../identities.ts';
import { startSimulatedCluster } from '../simulated-cluster.ts';
import { exportTrace } from './trace-export.ts';

const PATH = '/api/v1/namespaces/default/configmaps';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface Body {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

/** A collector that speaks OTLP over HTTP in JSON, and keeps what it is sent. */
async function startCollector(isLast: (span: Span) => boolean) {
  const spans: Span[] = [];
  const done = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      assert.equal(`${request.method} ${request.url}`, 'POST /v1/traces');
      const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString()) as Body;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      if (spans.some(isLast)) done.resolve();
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    spans,
    endpoint: `http://127.0.0.1:${port}`,
    last: done.promise,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('hops arrive at a collector as spans, each below its cause', { timeout: 30_000 }, async () => {
  const scope = new Scope('test');
  const collector = await startCollector(({ name }) => name === `DELETE ${PATH}/m`);
  try {
    const world = { clock: realClock, random: secureRandom, log: silentLogger };
    const cluster = await startSimulatedCluster({ world, scope, tokenKeys: createTokenKeys(), nodes: 0 });
    exportTrace({ wire: cluster.server.clientAs(ADMIN), endpoint: collector.endpoint, world, scope });
    const maps = cluster.clientAs(ADMIN).resource(CONFIG_MAPS, 'default');
    const made = await maps.create({ metadata: { name: 'm' }, data: { a: '1' } });
    await maps.update({ ...made, data: { a: '2' } });
    await maps.delete('m');
    await collector.last;
    const byId = new Map(collector.spans.map((span) => [span.spanId, span]));
    const commit = collector.spans.find(
      ({ name, parentSpanId = '' }) => name.startsWith('update at') && byId.get(parentSpanId)?.name === `PUT ${PATH}/m`,
    );
    const request = byId.get(commit?.parentSpanId ?? '');
    assert.ok(request !== undefined, 'the commit hangs below its request');
    assert.deepEqual([request.traceId, request.parentSpanId ?? ''], [commit?.traceId, '']);
    assert.ok(BigInt(request.startTimeUnixNano) <= BigInt(commit?.startTimeUnixNano ?? 0));
    assert.ok(BigInt(commit?.startTimeUnixNano ?? 0) > 1_700_000_000n * 1_000_000_000n);
  } finally {
    await scope.close();
    await collector.stop();
  }
});
