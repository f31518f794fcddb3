import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { CauseTable } from './causes.ts';

const cause = (n: number) => ({ id: `id-${n}`, component: 'test', request: `PUT /${n}` });

test('what made a revision is known until a whole round later, whatever the order of the news', () => {
  const table = new CauseTable(4);
  for (const n of [11, 9, 10, 12]) table.remember(n, cause(n));
  deepEqual(table.find(9), { ...cause(9), revision: '9' });
  equal(table.find(8), undefined, 'somebody else made it');
  table.remember(13, cause(13));
  equal(table.find(9), undefined);
  deepEqual(
    [10, 11, 12, 13].map((n) => table.find(n)?.id),
    ['id-10', 'id-11', 'id-12', 'id-13'],
  );
  table.remember(9, cause(9));
  equal(table.find(13)?.id, 'id-13', 'what comes late does not push out what is newer');
});

test('a server that starts at a high revision has room for its causes alone', () => {
  const table = new CauseTable(16);
  table.remember(1_000_003, cause(1));
  equal(table.find(1_000_003)?.id, 'id-1');
  equal(table.find(3), undefined);
  equal(table.find(0), undefined);
  equal(table.find(-1), undefined);
});
