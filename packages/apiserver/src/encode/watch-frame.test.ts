import { status } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { negotiate, PLAIN } from '../request/media.ts';
import { startTestServer } from '../testing/test-server.ts';
import { probe, settled } from '../testing/watch-probe.ts';
import { createFrameEncoder, errorFrame } from './watch-frame.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

interface Frame {
  readonly type: string;
  readonly object: { readonly kind: string; readonly metadata: { readonly resourceVersion: string } };
}

async function started() {
  const { server, ask, answer, clock } = await startTestServer();
  const watch = probe((await answer(`GET ${MAPS}?watch=true&resourceVersion=100`)).reply);
  await ask(`POST ${MAPS}`, { metadata: { name: 'a' } });
  await ask(`DELETE ${MAPS}/a`);
  await settled();
  const served = server.catalogue.find('', 'v1', 'configmaps');
  assert.ok(served !== undefined);
  const encoder = (accept: string) =>
    createFrameEncoder(served, { rendering: negotiate(accept, false), includeObject: '', clock });
  const parse = (bytes: Uint8Array): Frame => JSON.parse(new TextDecoder().decode(bytes)) as Frame;
  return { items: watch.items, encoder, parse };
}

test('an event is encoded once for all streams; a DELETED carries the revision of the deletion', async () => {
  const { items, encoder, parse } = await started();
  const [one, two] = [encoder(''), encoder('application/json')];
  for (const item of items) assert.equal(one.frame(item), two.frame(item), 'the same bytes');
  const frames = items.map((item) => parse(one.frame(item)));
  assert.deepEqual(
    frames.map(({ type, object }) => [type, object.kind, object.metadata.resourceVersion]),
    [
      ['ADDED', 'ConfigMap', '101'],
      ['DELETED', 'ConfigMap', '102'],
    ],
  );
});

test('Tables name their columns in the first event only', async () => {
  const { items, encoder, parse } = await started();
  const table = encoder('application/json;as=Table;v=v1;g=meta.k8s.io');
  const [first, second] = items.map(
    (item) => parse(table.frame(item)).object as unknown as { columnDefinitions: unknown },
  );
  assert.ok(Array.isArray(first?.columnDefinitions));
  assert.equal(second?.columnDefinitions, null);
});

test('metadata, bookmarks, errors', async () => {
  const { items, encoder, parse } = await started();
  const partial = encoder('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io');
  const [first] = items;
  assert.ok(first !== undefined);
  assert.equal(parse(partial.frame(first)).object.kind, 'PartialObjectMetadata');
  const bookmark = encoder('').frame({ type: 'BOOKMARK', revision: 9, initialEnd: true });
  assert.equal(
    new TextDecoder().decode(bookmark),
    '{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}\n',
  );
  const error = parse(errorFrame(PLAIN, status.expired('too old'))) as unknown as {
    type: string;
    object: { code: number };
  };
  assert.deepEqual([error.type, error.object.code], ['ERROR', 410]);
});
