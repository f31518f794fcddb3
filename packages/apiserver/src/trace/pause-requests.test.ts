import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestObject, TestServer } from '../testing/test-server.ts';
import { startTestServer } from '../testing/test-server.ts';

const PATH = '/apis/trace.binnacle.dev/v1/pauses/kube-scheduler';
const type = (name: string): { readonly 'content-type': string } => ({ 'content-type': `application/${name}` });
const MERGE = type('merge-patch+json');

interface Pause extends TestObject {
  readonly spec?: { readonly steps: number; readonly deadlineSeconds: number };
}

/** A server whose scheduler can be held. */
async function start(pauses = true) {
  const started = await startTestServer({ pauses });
  started.server.gate.join('kube-scheduler');
  const shown = async (): Promise<Pause> => (await started.ask(`GET ${PATH}`)).body as Pause;
  const patch = (body: unknown, headers = MERGE, query = ''): ReturnType<TestServer['ask']> =>
    started.ask(`PATCH ${PATH}${query}`, JSON.stringify(body), headers);
  return { ...started, shown, patch };
}

describe('pauses, by every verb that discovery promises', () => {
  const KINDS: readonly (readonly [media: string, body: unknown])[] = [
    ['merge-patch+json', { spec: { steps: 2 } }],
    ['strategic-merge-patch+json', { spec: { steps: 2, $retainKeys: ['steps'] } }],
    ['json-patch+json', [{ op: 'add', path: '/spec', value: { steps: 2 } }]],
  ];
  for (const [media, body] of KINDS) {
    test(`a patch holds, steps and lets go: ${media}`, async () => {
      const { server, shown, patch } = await start();
      const { code, body: held } = await patch(body, type(media));
      assert.equal(code, 200, JSON.stringify(held));
      assert.deepEqual(held['spec'], { steps: 2, deadlineSeconds: 300 });
      const pass = (): unknown => server.gate.pass('kube-scheduler', { what: 'x' });
      assert.deepEqual([pass(), pass()], [undefined, undefined]);
      assert.ok(pass() instanceof Promise);
      await patch({ spec: { deadlineSeconds: 60 } });
      assert.deepEqual((await shown()).spec, { steps: 2, deadlineSeconds: 60 }, 'what a patch does not say stays');
      assert.equal((await patch({ spec: null })).code, 200);
      assert.deepEqual([(await shown()).spec, pass()], [undefined, undefined]);
      await server.close();
    });
  }

  test('what a patch makes that is no pause, or another one, holds nobody', async () => {
    const { server, shown, patch } = await start();
    const { resourceVersion } = (await shown()).metadata;
    const rows: readonly (readonly [body: unknown, code: number, headers?: typeof MERGE])[] = [
      [{ spec: { steps: -1 } }, 400],
      [{ spec: { deadlineSeconds: 0 } }, 400],
      [{ spec: { steps: 'x' } }, 422],
      [{ spec: 7 }, 422],
      [{ spec: {}, metadata: { name: 'kubelet.a' } }, 400],
      [{ spec: {}, kind: 'Hop' }, 400],
      [{ spec: {}, metadata: { resourceVersion: '1' } }, 409],
      [{ spec: {}, metadata: { uid: 'another' } }, 409],
      [[{ op: 'test', path: '/status/held', value: true }], 422, type('json-patch+json')],
      [{ spec: {} }, 415, type('apply-patch+yaml')],
      [{ spec: {} }, 415, type('json')],
    ];
    for (const [body, code, headers] of rows) {
      const query = headers?.['content-type'].includes('apply') === true ? '?fieldManager=m' : '';
      const reply = await patch(body, headers, query);
      assert.equal(reply.code, code, `${JSON.stringify(body)}: ${JSON.stringify(reply.body)}`);
    }
    assert.equal((await shown()).spec, undefined);
    assert.equal((await patch({ spec: {}, metadata: { resourceVersion } })).code, 200);
    await server.close();
  });

  test('what is shown can be put back as it is, and nothing changes', async () => {
    const { server, ask, shown, patch } = await start();
    const putBack = async (): Promise<number> => (await ask(`PUT ${PATH}`, JSON.stringify(await shown()))).code;
    assert.equal(await putBack(), 200);
    assert.equal((await shown()).spec, undefined, 'nobody held it');
    await patch({ spec: { steps: 2 } });
    const held = await shown();
    assert.equal(await putBack(), 200);
    assert.deepEqual((await shown()).spec, held.spec);
    const { spec: _spec, ...released } = await shown();
    assert.equal((await ask(`PUT ${PATH}`, JSON.stringify(released))).code, 200);
    assert.equal((await shown()).spec, undefined);
    await server.close();
  });

  test('fields that are none are told, or refused where the client is strict', async () => {
    const { server, ask, shown, patch } = await start();
    const strict = '?fieldValidation=Strict';
    assert.equal((await patch({ spec: { step: 1 } }, MERGE, strict)).code, 422);
    const order = { apiVersion: 'trace.binnacle.dev/v1', kind: 'Pause', spec: { step: 1 } };
    assert.equal((await ask(`PUT ${PATH}${strict}`, JSON.stringify(order))).code, 400);
    assert.equal((await shown()).spec, undefined);
    const loose = await patch({ spec: { step: 1 }, metadata: { annotations: { a: 'b' } } });
    assert.deepEqual(
      [loose.code, loose.warnings],
      [200, ['unknown field "spec.step"', 'a Pause keeps no metadata.annotations']],
    );
    await server.close();
  });

  test('what is tried holds nobody, and lets nobody go', async () => {
    const { server, ask, shown, patch } = await start();
    const tried = await patch({ spec: { steps: 3 } }, MERGE, '?dryRun=All');
    assert.deepEqual(tried.body['spec'], { steps: 3, deadlineSeconds: 300 });
    assert.equal((await shown()).spec, undefined);
    await patch({ spec: {} });
    // As kubectl tries it.
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] };
    assert.equal((await ask(`DELETE ${PATH}`, JSON.stringify(options))).code, 200);
    assert.notEqual((await shown()).spec, undefined);
    await server.close();
  });

  test('who deletes a pause, or where none is, is told of an object that nobody finds any more', async () => {
    const { server, ask, shown, patch } = await start();
    await patch({ spec: {} });
    for (let times = 0; times < 2; times++) {
      const { body, code } = await ask(`DELETE ${PATH}`);
      const { uid, name, kind } = body['details'] as { readonly [field: string]: string };
      assert.deepEqual([code, body['status'], name, kind], [200, 'Success', 'kube-scheduler', 'pauses']);
      const left = await shown();
      assert.deepEqual([left.spec, left.metadata.uid], [undefined, undefined]);
      assert.notEqual(uid ?? '', '');
    }
    for (const preconditions of [{ uid: 'another' }, { resourceVersion: '1' }]) {
      const stale = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions };
      assert.equal((await ask(`DELETE ${PATH}`, JSON.stringify(stale))).code, 409);
    }
    await server.close();
  });

  test('whoever watches sees one object of a component, however often it is held and let go', async () => {
    const { server, shown, patch, ask } = await start();
    const uids = new Set([(await shown()).metadata.uid]);
    for (const spec of [{}, { steps: 1 }, null, {}]) {
      await patch({ spec });
      uids.add((await shown()).metadata.uid);
    }
    await ask(`DELETE ${PATH}`);
    uids.add((await shown()).metadata.uid);
    assert.deepEqual([...uids], [undefined]);
    await server.close();
  });

  test('where nobody may be held no verb holds', async () => {
    const { server, ask, patch } = await start(false);
    assert.equal((await patch({ spec: {} })).code, 403);
    assert.equal((await ask(`DELETE ${PATH}`)).code, 403);
    assert.equal((await ask(`PATCH ${PATH}x`, '{}', MERGE)).code, 404);
    await server.close();
  });
});
