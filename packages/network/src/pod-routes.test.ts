import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decidePodRoutes } from './pod-routes.ts';
import type { NodePlace } from './pod-routes.ts';

/** `addresses`: with `+` between them. */
const node = (name: string, addresses: string, ...podRanges: readonly string[]): NodePlace => ({
  name,
  addresses: addresses === '' ? [] : addresses.split('+'),
  podRanges,
});
const SELF = node('a', '192.0.2.1+fd01::1', '10.244.0.0/24', 'fd02:0:0:1::/64');

const ROWS: readonly (readonly [
  name: string,
  others: readonly NodePlace[],
  routes: readonly string[],
  refused: readonly string[],
])[] = [
  ['itself', [SELF], [], []],
  [
    'both families',
    [node('b', '192.0.2.2+fd01::2', '10.244.1.0/24', 'fd02:0:0:2::/64')],
    ['10.244.1.0/24 by 192.0.2.2 at 10.244.1.0', 'fd02:0:0:2::/64 by fd01::2 at fd02:0:0:2::'],
    [],
  ],
  [
    'both families, and a node of one',
    [node('b', '192.0.2.2', '10.244.1.0/24', 'fd02:0:0:2::/64')],
    ['10.244.1.0/24 by 192.0.2.2 at 10.244.1.0'],
    ['b fd02:0:0:2::/64: the node has no address of that family'],
  ],
  ['one that has no address yet', [node('b', '', '10.244.1.0/24')], [], []],
  ['one that has no range yet', [node('b', '192.0.2.2')], [], []],
  ['in its usual form', [node('b', '192.0.2.2', '10.244.1.7/24')], ['10.244.1.0/24 by 192.0.2.2 at 10.244.1.0'], []],
  ['everything', [node('b', '192.0.2.2', '0.0.0.0/0')], [], ['b 0.0.0.0/0: it has the node 192.0.2.1 in it']],
  [
    'our own pods',
    [node('b', '192.0.2.2', '10.244.0.128/25')],
    [],
    ['b 10.244.0.128/25: it meets the range of another node'],
  ],
  [
    'two that claim one: the first by name',
    [node('c', '192.0.2.3', '10.244.0.0/16', '10.244.1.0/25'), node('b', '192.0.2.2', '10.244.1.0/24')],
    ['10.244.1.0/24 by 192.0.2.2 at 10.244.1.0'],
    ['c 10.244.0.0/16: it meets the range of another node', 'c 10.244.1.0/25: it meets the range of another node'],
  ],
  ['nonsense', [node('b', '192.0.2.2', 'x; reboot')], [], ['b x; reboot: no range of addresses']],
];

for (const [name, others, routes, refused] of ROWS) {
  test(name, () => {
    const made = decidePodRoutes(SELF, others, 'host-gw');
    assert.deepEqual(
      made.routes.map((one) => `${one.range} by ${one.node} at ${one.tunnelEnd}`),
      routes,
    );
    assert.deepEqual(
      made.refused.map((one) => `${one.node} ${one.range}: ${one.reason}`),
      refused,
    );
  });
}

const PODS = ['10.244.1.0/24', 'fd02:0:0:2::/64'];
for (const [name, own, its, ways] of [
  [
    'by the family of the first pods, in whichever order addresses stand',
    '192.0.2.1+fd01::1',
    'fd01::2+192.0.2.2',
    '192.0.2.2',
  ],
  ['and there as here', 'fd01::1+192.0.2.1', '192.0.2.2+fd01::2', '192.0.2.2'],
  ['by what both have', 'fd01::1', 'fd01::2', 'fd01::2'],
  ['not where the ends differ', '192.0.2.1+fd01::1', 'fd01::2', undefined],
  ['and there as here', 'fd01::1', 'fd01::2+192.0.2.2', undefined],
] as const) {
  test(`a tunnel carries both families ${name}: ${own} to ${its}`, () => {
    const self = node('a', own, '10.244.0.0/24', 'fd02:0:0:1::/64');
    const { routes } = decidePodRoutes(self, [node('b', its, ...PODS)], 'vxlan');
    assert.deepEqual(
      routes.map(({ node: way }) => way),
      ways === undefined ? [] : [ways, ways],
    );
  });
}

test('a tunnel of a cluster whose first pods are of IPv6 is of IPv6', () => {
  const [four = '', six = ''] = PODS;
  const self = node('a', '192.0.2.1+fd01::1', 'fd02:0:0:1::/64', '10.244.0.0/24');
  const { routes } = decidePodRoutes(self, [node('b', '192.0.2.2+fd01::2', six, four)], 'vxlan');
  assert.deepEqual(
    routes.map(({ node: way }) => way),
    ['fd01::2', 'fd01::2'],
  );
});
