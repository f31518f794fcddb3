import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exposition } from './exposition.ts';

test('families with their samples; values of labels cannot break out', () => {
  const samples = [
    { labels: { pod: 'a"b\\c\nd' }, value: 1.5, at: 1_000 },
    { labels: {}, value: 0 },
  ];
  assert.equal(
    exposition([
      { name: 'm', help: 'What it is.', type: 'gauge', samples },
      { name: 'none', help: '', type: 'counter', samples: [] },
    ]),
    '# HELP m What it is.\n# TYPE m gauge\nm{pod="a\\"b\\\\c\\nd"} 1.5 1000\nm 0\n',
  );
  assert.equal(exposition([]), '');
});
