import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import type { AnyCall } from '../catalogue/definition.ts';
import type { TablePrinter } from '../ports/columns.ts';
import { Query } from '../request/query.ts';
import { ToldEvents } from './told-events.ts';

const COLUMNS: TablePrinter = {
  columns: [{ name: 'Name', type: 'string', description: 'What it is called.', priority: 0 }],
  row: ({ metadata }) => [metadata.name ?? ''],
};
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

const objectOf = (name: string): KubeObject => ({
  apiVersion: 'trace.binnacle.dev/v1',
  kind: 'Hop',
  metadata: { name, resourceVersion: '7' },
});
const MARK: KubeObject = { apiVersion: 'trace.binnacle.dev/v1', kind: 'Hop', metadata: { resourceVersion: '9' } };

function told(accept: string, query: { readonly [name: string]: string } = {}): ToldEvents {
  const call = { query: new Query(query), request: { header: () => accept } } as unknown as AnyCall;
  return new ToldEvents({ call, columns: COLUMNS, clock: { now: () => 0 } });
}

interface Line {
  readonly type: string;
  readonly object: KubeObject & {
    readonly columnDefinitions?: unknown[] | null;
    readonly rows?: { cells: unknown[] }[];
  };
}

const read = (line: string): Line => JSON.parse(line) as Line;

test('programs are told objects, with a bookmark', () => {
  const events = told('application/json');
  assert.deepEqual(read(events.line('ADDED', objectOf('a'))), { type: 'ADDED', object: objectOf('a') });
  assert.deepEqual(read(events.bookmark(MARK, { isFirst: true })), { type: 'BOOKMARK', object: MARK });
});

test('people are told rows, the columns with the first one only, and no bookmark', () => {
  const events = told(TABLE);
  const [first, second] = [events.line('ADDED', objectOf('a')), events.line('MODIFIED', objectOf('b'))].map(read);
  assert.equal(first?.object.kind, 'Table');
  assert.deepEqual(first?.object.rows?.[0]?.cells, ['a']);
  assert.equal(first?.object.columnDefinitions?.length, 1);
  assert.deepEqual([second?.type, second?.object.rows?.[0]?.cells], ['MODIFIED', ['b']]);
  assert.equal(second?.object.columnDefinitions, null);
  assert.equal(events.bookmark(MARK, { isFirst: true }), '');
  assert.equal(events.bookmark(MARK, { isFirst: false }), '');
});

test('of rows a bookmark is told to who asks for it, and the end of what was there with its mark', () => {
  const asked = read(told(TABLE, { allowWatchBookmarks: 'true' }).bookmark(MARK, { isFirst: false }));
  assert.deepEqual([asked.object.kind, asked.object.metadata.resourceVersion, asked.object.rows], ['Table', '9', []]);
  const end = read(told(TABLE, { sendInitialEvents: 'true' }).bookmark(MARK, { isFirst: true }));
  assert.match(JSON.stringify(end.object.rows), /"k8s\.io\/initial-events-end":"true"/);
});

test('who asks for metadata alone is told no more', () => {
  const events = told(PARTIAL, { sendInitialEvents: 'true' });
  assert.equal(read(events.line('ADDED', objectOf('a'))).object.kind, 'PartialObjectMetadata');
  const end = read(events.bookmark(MARK, { isFirst: true }));
  assert.deepEqual(end.object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' });
});
