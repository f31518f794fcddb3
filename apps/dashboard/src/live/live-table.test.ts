import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamListener } from '../api/streams.ts';
import { LiveTable } from './live-table.ts';
import { OBJECT_READING, TABLE_READING } from './rows.ts';
import type { Row, Table } from './rows.ts';

function row(name: string, resourceVersion = '1'): Row {
  return { cells: [name], object: { metadata: { name, namespace: 'default', uid: name, resourceVersion } } };
}

function world(pages: readonly (Table | Error)[]) {
  const opened: { path: string; listener: StreamListener; isClosed: boolean }[] = [];
  const listed: string[] = [];
  const timers: { delayMs: number; run: () => void }[] = [];
  const left = [...pages];
  return {
    opened,
    listed,
    timers,
    list: (path: string) => {
      listed.push(path);
      const page = left.shift();
      return page instanceof Error ? Promise.reject(page) : Promise.resolve(page ?? {});
    },
    open: (path: string, _accept: string, listener: StreamListener) => {
      const one = { path, listener, isClosed: false };
      opened.push(one);
      return () => void (one.isClosed = true);
    },
    after: (delayMs: number, run: () => void) => {
      timers.push({ delayMs, run });
      return () => undefined;
    },
    soon: (run: () => void) => run(),
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const names = (table: LiveTable): string =>
  table
    .view()
    .rows.map((one) => one.object.metadata.name)
    .join();
const event = (type: string, ...rows: readonly Row[]): string => `${JSON.stringify({ type, object: { rows } })}\n`;

test('a list is read page by page, sorted as people count, and watched from where it was', async () => {
  const w = world([
    {
      columnDefinitions: [{ name: 'Name', type: 'string', priority: 0 }],
      rows: [row('a-10'), row('a-2')],
      metadata: { continue: 'x y', resourceVersion: '5' },
    },
    { rows: [row('b')], metadata: { resourceVersion: '5' } },
  ]);
  const table = new LiveTable({ path: '/api/v1/pods', query: 'labelSelector=a%3Db', reading: TABLE_READING }, w);
  const stop = table.subscribe(() => undefined);
  await settle();
  equal(names(table), 'a-2,a-10,b');
  equal(table.view().state, 'live');
  match(w.listed[1] ?? '', /labelSelector=a%3Db&limit=500&continue=x%20y$/);
  match(w.opened[0]?.path ?? '', /watch=true&allowWatchBookmarks=true&resourceVersion=5$/);
  stop();
  equal(w.opened[0]?.isClosed, true);
});

test('events come in pieces; rows come, change and go; the watch goes on where it was', async () => {
  const w = world([{ rows: [row('a'), row('b')], metadata: { resourceVersion: '1' } }]);
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING }, w);
  table.subscribe(() => undefined);
  await settle();
  const text =
    event('ADDED', row('c', '2')) +
    event('MODIFIED', { ...row('a', '3'), cells: ['new'] }) +
    event('DELETED', row('b', '4'));
  w.opened[0]?.listener.data(text.slice(0, 40));
  w.opened[0]?.listener.data(text.slice(40));
  equal(names(table), 'a,c');
  deepEqual(table.view().rows[0]?.cells, ['new']);
  w.opened[0]?.listener.data(event('BOOKMARK', row('', '9')));
  w.opened[0]?.listener.ended();
  w.timers.shift()?.run();
  match(w.opened[1]?.path ?? '', /resourceVersion=9$/);
});

test('a watch that is too old reads again; what breaks is shown and tried again, more and more slowly', async () => {
  const w = world([{ rows: [row('a')] }, { rows: [row('b')] }, new Error('no way'), new Error('no way')]);
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING }, w);
  table.subscribe(() => undefined);
  await settle();
  w.opened[0]?.listener.data(`${JSON.stringify({ type: 'ERROR', object: { code: 410 } })}\n`);
  await settle();
  equal(names(table), 'b');
  w.opened[1]?.listener.ended('lost');
  deepEqual([table.view().state, table.view().error, names(table)], ['broken', 'lost', 'b']);
  w.timers.shift()?.run();
  await settle();
  equal(table.view().error, 'no way');
  w.timers.shift()?.run();
  await settle();
  deepEqual(
    w.timers.map(({ delayMs }) => delayMs),
    [2000],
  );
});

test('a list that is empty, and events without columns, as servers of Go write them', async () => {
  const w = world([{ columnDefinitions: null, rows: null, metadata: { resourceVersion: '1' } }]);
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING }, w);
  table.subscribe(() => undefined);
  await settle();
  const object = { columnDefinitions: null, rows: [row('a')] };
  w.opened[0]?.listener.data(`${JSON.stringify({ type: 'ADDED', object })}\n`);
  equal(names(table), 'a');
});

test('whole objects', async () => {
  const object = { apiVersion: 'v1', kind: 'Pod', ...row('a').object, spec: { nodeName: 'n' } };
  const w = world([{ items: [object], metadata: { resourceVersion: '1' } } as Table]);
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: OBJECT_READING }, w);
  table.subscribe(() => undefined);
  await settle();
  deepEqual(table.view().rows[0]?.object, object);
  w.opened[0]?.listener.data(
    `${JSON.stringify({ type: 'MODIFIED', object: { ...object, spec: { nodeName: 'm' } } })}\n`,
  );
  deepEqual(table.view().rows[0]?.object, { ...object, spec: { nodeName: 'm' } });
});

test('as of a revision it is read once, page by page from there, and not watched', async () => {
  const w = world([{ rows: [row('a')], metadata: { continue: 'c', resourceVersion: '7' } }, { rows: [row('b')] }]);
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: OBJECT_READING, at: '7' }, w);
  const stop = table.subscribe(() => undefined);
  await settle();
  deepEqual(w.listed, [
    '/api/v1/pods?limit=500&resourceVersion=7&resourceVersionMatch=Exact',
    '/api/v1/pods?limit=500&continue=c',
  ]);
  deepEqual([table.view().state, w.opened.length, w.timers.length], ['read', 0, 0]);
  stop();
});

test('what the store has let go of is said to be gone, and not asked for again', async () => {
  const w = world([Object.assign(new Error('too old'), { code: 410 })]);
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING, at: '7' }, w);
  table.subscribe(() => undefined);
  await settle();
  deepEqual([table.view().state, w.timers.length], ['compacted', 0]);
});

for (const resourceVersion of ['', '8']) {
  test(`what nobody keeps is not shown as if it had been so then (answered as of "${resourceVersion}")`, async () => {
    const w = world([{ rows: [row('a')], metadata: { resourceVersion } }]);
    const table = new LiveTable({ path: '/m', query: '', reading: TABLE_READING, at: '7' }, w);
    table.subscribe(() => undefined);
    await settle();
    deepEqual([table.view().state, names(table), w.timers.length], ['timeless', '', 0]);
  });
}

test('what the viewer may not see is not asked for again', async () => {
  const w = world([Object.assign(new Error('forbidden'), { code: 403 })]);
  const table = new LiveTable({ path: '/api/v1/nodes', query: '', reading: TABLE_READING }, w);
  table.subscribe(() => undefined);
  await settle();
  deepEqual([table.view().state, w.timers.length], ['forbidden', 0]);
});

test('what is not watched is read once; what has no uid is told apart by its name', async () => {
  const figure = (name: string) => ({ apiVersion: 'v1', kind: 'PodMetrics', metadata: { name, resourceVersion: '' } });
  const w = world([{ items: [figure('a'), figure('b')] } as Table]);
  const table = new LiveTable({ path: '/m', query: '', reading: OBJECT_READING, isWatched: false }, w);
  table.subscribe(() => undefined);
  await settle();
  deepEqual([names(table), table.view().state, w.opened.length], ['a,b', 'read', 0]);
});

test('a watch that nobody may open leaves what was read, and is not asked for again', async () => {
  const w = world([{ rows: [row('a')], metadata: { resourceVersion: '1' } }]);
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING }, w);
  table.subscribe(() => undefined);
  await settle();
  w.opened[0]?.listener.status(403);
  w.opened[0]?.listener.data('{"kind":"Status"}');
  w.opened[0]?.listener.ended();
  deepEqual([table.view().state, names(table), w.timers.length], ['read', 'a', 0]);
});

test('a watch that is refused each time is asked for less and less often', async () => {
  const w = world([]);
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING }, w);
  table.subscribe(() => undefined);
  for (let tries = 0; tries < 3; tries++) {
    await settle();
    w.opened[tries]?.listener.status(500);
    w.opened[tries]?.listener.ended();
    w.timers[tries]?.run();
  }
  deepEqual(
    w.timers.map(({ delayMs }) => delayMs),
    [500, 1000, 2000],
  );
});

test('a watch that tells of nothing but errors is opened less and less often; one that tells of more at once', async () => {
  const w = world([]);
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING }, w);
  table.subscribe(() => undefined);
  const error = `${JSON.stringify({ type: 'ERROR', object: { code: 410 } })}\n`;
  for (let tries = 0; tries < 4; tries++) {
    await settle();
    w.opened[tries]?.listener.status(200);
    w.opened[tries]?.listener.data(error + error);
    w.timers[tries - 1]?.run();
  }
  await settle();
  deepEqual(
    w.timers.map(({ delayMs }) => delayMs),
    [500, 1000, 2000],
  );
  equal(w.opened.length, 5);
  w.opened[4]?.listener.data(event('ADDED', row('a', '2')) + error);
  await settle();
  deepEqual([w.timers.length, w.opened.length], [3, 6]);
});

test('what broke off before a frame was drawn is not shown as live', async () => {
  const frames: (() => void)[] = [];
  const w = {
    ...world([{ rows: [row('a')], metadata: { resourceVersion: '1' } }]),
    soon: (run: () => void) => void frames.push(run),
  };
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING }, w);
  table.subscribe(() => undefined);
  await settle();
  w.opened[0]?.listener.data(event('ADDED', row('b', '2')));
  w.opened[0]?.listener.ended('lost');
  for (const frame of frames) frame();
  deepEqual([table.view().state, table.view().error], ['broken', 'lost']);
});

test('columns that are told again as they were are the ones that were there: nothing has to be drawn anew', async () => {
  const columnDefinitions = [{ name: 'Name', type: 'string', priority: 0 }];
  const w = world([{ columnDefinitions, rows: [row('a')], metadata: { resourceVersion: '1' } }]);
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING }, w);
  table.subscribe(() => undefined);
  await settle();
  const { columns } = table.view();
  const told = (definitions: readonly object[]): void =>
    w.opened[0]?.listener.data(
      `${JSON.stringify({ type: 'MODIFIED', object: { columnDefinitions: definitions, rows: [row('a', '2')] } })}\n`,
    );
  told(columnDefinitions);
  equal(table.view().columns, columns);
  told([{ ...columnDefinitions[0], priority: 1 }]);
  equal(table.view().columns[0]?.priority, 1);
});

test('a long list that comes page by page is put in order as often as it doubles, not with every page', async () => {
  const count = 200;
  const pages = Array.from({ length: count }, (_, at) => ({
    rows: [row(`a-${at}`)],
    metadata: { resourceVersion: '5', continue: at === count - 1 ? '' : 'more' },
  }));
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING }, world(pages));
  const shown: number[] = [];
  table.subscribe(() => shown.push(table.view().rows.length));
  await settle();
  deepEqual(shown, [1, 2, 4, 8, 16, 32, 64, 128, 200]);
});

for (const [what, line] of [
  ['is no JSON', '{"type":"ADDED","obj'],
  ['is nothing', 'null'],
  ['has no object', '{"type":"ADDED"}'],
  ['has a row of nothing', '{"type":"ADDED","object":{"rows":[{"cells":["x"]}]}}'],
] as const) {
  test(`a watch that tells what ${what} is broken, and the list is read again`, async () => {
    const w = world([
      { rows: [row('a')], metadata: { resourceVersion: '1' } },
      { rows: [row('a'), row('b', '2')], metadata: { resourceVersion: '2' } },
    ]);
    const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING }, w);
    table.subscribe(() => undefined);
    await settle();
    w.opened[0]?.listener.data(`${line}\n${event('ADDED', row('b', '2'))}`);
    equal(table.view().state, 'broken');
    equal(w.opened[0]?.isClosed, true);
    w.timers.at(-1)?.run();
    await settle();
    deepEqual([table.view().state, names(table)], ['live', 'a,b']);
  });
}

test('rows without cells have none', async () => {
  const bare = { cells: null, object: row('a').object } as unknown as Row;
  const w = world([{ rows: [bare], metadata: { resourceVersion: '1' } }]);
  const table = new LiveTable({ path: '/api/v1/pods', query: '', reading: TABLE_READING }, w);
  table.subscribe(() => undefined);
  await settle();
  deepEqual(table.view().rows[0]?.cells, []);
  w.opened[0]?.listener.data(event('ADDED', { ...bare, object: row('b').object }));
  deepEqual(table.view().rows[1]?.cells, []);
  // As upstream tells how far the watch is.
  w.opened[0]?.listener.data(
    '{"type":"BOOKMARK","object":{"rows":[{"cells":[],"object":{"metadata":{"resourceVersion":"9"}}}]}}\n',
  );
  deepEqual([table.view().resourceVersion, table.view().rows.length], ['9', 2]);
});

test('of a server that makes no Tables, objects are listed by name and age', async () => {
  const object = (name: string, resourceVersion: string) => ({
    ...{ apiVersion: 'x.io/v1', kind: 'Thing', spec: { large: true } },
    metadata: { name, uid: name, resourceVersion, creationTimestamp: '2026-01-01T00:00:00Z' },
  });
  const w = world([{ kind: 'ThingList', items: [object('b', '1')], metadata: { resourceVersion: '1' } } as Table]);
  const accepted: string[] = [];
  const list = (path: string, accept: string) => {
    accepted.push(accept);
    return w.list(path);
  };
  const table = new LiveTable({ path: '/apis/x.io/v1/things', query: '', reading: TABLE_READING }, { ...w, list });
  table.subscribe(() => undefined);
  await settle();
  const tell = (type: string, one: object): void =>
    w.opened[0]?.listener.data(`${JSON.stringify({ type, object: one })}\n`);
  tell('ADDED', object('a', '2'));
  tell('DELETED', object('b', '3'));
  tell('BOOKMARK', { kind: 'Thing', metadata: { resourceVersion: '9' } });
  const { columns, rows, state, resourceVersion } = table.view();
  deepEqual(
    [columns.map(({ name }) => name), rows.map(({ cells }) => cells), state, resourceVersion],
    [['Name', 'Age'], [['a']], 'live', '9'],
  );
  deepEqual(Object.keys(rows[0]?.object ?? {}), ['metadata'], 'nothing is kept that is not shown');
  match(accepted[0] ?? '', /as=Table[^,]*,application\/json$/);
});
