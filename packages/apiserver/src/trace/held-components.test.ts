import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../catalogue/definition.ts';
import { bodyOf } from '../inprocess/raw-reply.ts';
import { startTestServer } from '../testing/test-server.ts';
import { ROOT, TracedServer as Cluster } from '../testing/traced-server.ts';

describe('components that are held', () => {
  const order = (spec: object): { readonly body: object } => ({
    body: { apiVersion: 'trace.binnacle.dev/v1', kind: 'Pause', spec },
  });

  test('where it is allowed, who has the right holds them, sees what they are about to do, and lets them go', async () => {
    const started = await startTestServer({ pauses: true });
    const cluster = new Cluster(started);
    const { gate } = started.server;
    gate.join('kube-scheduler');
    const put = (spec: object) => cluster.send(`PUT ${ROOT}/pauses/kube-scheduler`, order(spec));
    await put({ deadlineSeconds: 60 });
    const held = gate.pass('kube-scheduler', { what: 'schedule a/p' });
    assert.ok(held instanceof Promise);
    const shown = await cluster.get<{ status: { held: boolean; waiting: { what: string }[] } }>(
      `GET ${ROOT}/pauses/kube-scheduler`,
    );
    assert.deepEqual([shown.status.held, shown.status.waiting.map(({ what }) => what)], [true, ['schedule a/p']]);
    const listed = (await cluster.send(`GET ${ROOT}/pauses`)) as Extract<Reply, { kind: 'object' }>;
    assert.deepEqual(
      listed.items?.map((one) => listed.columns?.row(one, 0)),
      [['kube-scheduler', true, 0, 'schedule a/p']],
    );
    await put({ steps: 1 });
    await held;
    await cluster.send(`DELETE ${ROOT}/pauses/kube-scheduler`);
    assert.equal(gate.pass('kube-scheduler', { what: 'schedule a/q' }), undefined);
    for (const spec of [{ steps: -1 }, { steps: 'x' }, { deadlineSeconds: 0 }, { deadlineSeconds: 1e9 }]) {
      assert.equal(((await put(spec)) as { code: number }).code, 400, JSON.stringify(spec));
    }
    const unknown = await cluster.send(`PUT ${ROOT}/pauses/constructor`, order({}));
    assert.equal((unknown as { code: number }).code, 404);
    await started.server.close();
  });

  test('a watch tells who is held and what waits, and ends with the server', async () => {
    const started = await startTestServer({ pauses: true });
    const cluster = new Cluster(started);
    const { gate } = started.server;
    for (const one of ['kube-scheduler', 'kubelet.a']) gate.join(one);
    interface Shown {
      readonly metadata: { readonly name: string; readonly resourceVersion: string };
      readonly status: { readonly held: boolean; readonly waiting: readonly { readonly what: string }[] };
    }
    const list = await cluster.get<{ metadata: { resourceVersion: string }; allowed: boolean }>(`GET ${ROOT}/pauses`);
    assert.equal(list.allowed, true);
    const reply = await cluster.send(`GET ${ROOT}/pauses?watch=true&resourceVersion=${list.metadata.resourceVersion}`);
    assert.ok(reply.kind === 'stream');
    const source = bodyOf(reply)[Symbol.asyncIterator]();
    const next = source.next();
    await cluster.send(`PUT ${ROOT}/pauses/kube-scheduler`, order({ deadlineSeconds: 60 }));
    const held = gate.pass('kube-scheduler', { what: 'schedule a/p' });
    await started.clock.advance(100);
    const { value } = await next;
    const lines = new TextDecoder().decode(value).trim().split('\n');
    const told = lines.map((line) => JSON.parse(line) as { type: string; object: Shown });
    assert.deepEqual(
      told.map(({ type, object: { metadata, status } }) => [type, metadata.name, status.held, status.waiting.length]),
      [['MODIFIED', 'kube-scheduler', true, 1]],
    );
    const over = source.next();
    await started.server.close();
    await held;
    // What ends with the server goes on, and is told or not.
    const last = await over;
    assert.ok(last.done === true || (await source.next()).done === true);
  });

  test('where it is off nobody is held', async () => {
    const started = await startTestServer();
    started.server.gate.join('kube-scheduler');
    const refused = await new Cluster(started).send(`PUT ${ROOT}/pauses/kube-scheduler`, order({}));
    assert.equal((refused as { code: number }).code, 403);
  });
});
