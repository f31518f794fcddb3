import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { UserInfo } from '@binnacle/machinery';
import { remoteUserHeaders } from './remote-user.ts';

describe('who asks, as another API server is told', () => {
  const rows: readonly (readonly [name: string, user: UserInfo, headers: object])[] = [
    ['a name', { name: 'alice', groups: [] }, { 'x-remote-user': 'alice' }],
    [
      'all of it',
      { name: 'alice', uid: 'u-1', groups: ['g', 'h'], extra: { scope: ['a', 'b'] } },
      {
        'x-remote-user': 'alice',
        'x-remote-uid': 'u-1',
        'x-remote-group': ['g', 'h'],
        'x-remote-extra-scope': ['a', 'b'],
      },
    ],
    ['an empty uid is none', { name: 'a', uid: '', groups: [] }, { 'x-remote-user': 'a' }],
    [
      'a key that is no name of a header',
      { name: 'a', groups: [], extra: { 'example.com/Ein Schlüssel': ['x'] } },
      { 'x-remote-user': 'a', 'x-remote-extra-example.com%2F%45in%20%53chl%C3%BCssel': ['x'] },
    ],
    [
      'a percent sign stays what it was',
      { name: 'a', groups: [], extra: { 'a%2Fb': ['x'] } },
      { 'x-remote-user': 'a', 'x-remote-extra-a%252%46b': ['x'] },
    ],
    [
      'letters beyond the first plane',
      { name: 'a', groups: [], extra: { '😀': ['x'] } },
      { 'x-remote-user': 'a', 'x-remote-extra-%F0%9F%98%80': ['x'] },
    ],
    [
      'a key that ends a line',
      { name: 'a', groups: [], extra: { 'k\r\nx-remote-user: root': ['x'] } },
      { 'x-remote-user': 'a', 'x-remote-extra-k%0D%0Ax-remote-user%3A%20root': ['x'] },
    ],
  ];
  for (const [name, user, headers] of rows) test(name, () => assert.deepEqual(remoteUserHeaders(user), headers));

  test('keys are read back as they were', () => {
    for (const key of ['scopes', 'Ünder_score', 'a/b%c', '~!']) {
      const [header = ''] = Object.keys(remoteUserHeaders({ name: 'a', groups: [], extra: { [key]: ['x'] } })).slice(1);
      assert.equal(decodeURIComponent(header.toLowerCase().slice('x-remote-extra-'.length)), key);
    }
  });
});
