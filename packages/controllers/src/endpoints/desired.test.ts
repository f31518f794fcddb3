import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { EndpointSubset, Pod, Service } from '@binnacle/api/core/v1';
import { desiredSubsets, truncated } from './desired.ts';

const addresses = (count: number): { ip: string }[] => Array.from({ length: count }, (_, n) => ({ ip: `10.0.0.${n}` }));
const subset = (ready: number, others = 0): EndpointSubset => ({
  ...(ready === 0 ? {} : { addresses: addresses(ready) }),
  ...(others === 0 ? {} : { notReadyAddresses: addresses(others) }),
  ports: [{ port: 80 }],
});
type Counts = readonly [ready: number, others: number];

// Upstream cuts at a thousand: ready ones first, each subset by its share, rounded up.
const CUT: readonly [name: string, given: readonly Counts[], left: readonly Counts[]][] = [
  ['as many as fit', [[600, 400]], [[600, 400]]],
  ['none', [], []],
  ['too many ready ones: others go altogether', [[1200, 5]], [[1000, 0]]],
  ['as many ready ones as fit: others go', [[1000, 5]], [[1000, 0]]],
  ['others fill what is left', [[600, 700]], [[600, 400]]],
  [
    'by shares',
    [
      [1500, 0],
      [500, 0],
    ],
    [
      [750, 0],
      [250, 0],
    ],
  ],
  [
    'by shares, rounded up: the last one has less',
    [
      [1000, 0],
      [1000, 0],
      [1000, 0],
    ],
    [
      [334, 0],
      [334, 0],
      [332, 0],
    ],
  ],
  [
    'others by shares of what is left',
    [
      [400, 300],
      [400, 300],
    ],
    [
      [400, 100],
      [400, 100],
    ],
  ],
];
for (const [name, given, left] of CUT)
  test(`cut to a thousand: ${name}`, () => {
    const cut = truncated(given.map((counts) => subset(...counts)));
    assert.deepEqual(
      cut.map((one) => [one.addresses?.length ?? 0, one.notReadyAddresses?.length ?? 0]),
      left,
    );
    assert.ok(cut.every((one) => one.ports?.[0]?.port === 80));
  });

test('what fits is the very list, and an empty list is absent', () => {
  const fits = [subset(1)];
  assert.equal(truncated(fits), fits);
  assert.ok(!('notReadyAddresses' in (truncated([subset(1000, 1)])[0] ?? {})));
});

function pod(
  name: string,
  ip: string,
  more: { ready?: boolean; node?: string; port?: number; going?: boolean } = {},
): Pod {
  const { ready = true, node = 'n', port = 8080, going = false } = more;
  return {
    metadata: { name, namespace: 'ns', uid: name, ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { containers: [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: port }] }], nodeName: node },
    status: { phase: 'Running', podIP: ip, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}
const service = (spec: Partial<Service['spec']> = {}): Service => ({
  metadata: { name: 's', namespace: 'ns' },
  spec: { clusterIP: '10.96.0.1', ports: [{ name: 'http', port: 80, targetPort: 'web' }], ...spec },
});
/** `ready ips | other ips | ports` of each subset. */
const shown = (of: Service, pods: readonly Pod[]): string[] =>
  desiredSubsets(of, pods).map((one) =>
    [
      (one.addresses ?? []).map(({ ip }) => ip).join(),
      (one.notReadyAddresses ?? []).map(({ ip }) => ip).join(),
      (one.ports ?? []).map(({ port }) => port).join(),
    ].join(' | '),
  );
const HEADLESS = { clusterIP: 'None' };
const SUBSETS: readonly [name: string, service: Service, pods: readonly Pod[], wanted: readonly string[]][] = [
  ['no pods', service(), [], []],
  [
    'in the order of their addresses',
    service(),
    [pod('a', '10.0.0.2'), pod('b', '10.0.0.1')],
    ['10.0.0.1,10.0.0.2 |  | 8080'],
  ],
  [
    'one that is not ready',
    service(),
    [pod('a', '10.0.0.1'), pod('b', '10.0.0.2', { ready: false })],
    ['10.0.0.1 | 10.0.0.2 | 8080'],
  ],
  [
    'ready or not',
    service({ publishNotReadyAddresses: true }),
    [pod('a', '10.0.0.1', { ready: false })],
    ['10.0.0.1 |  | 8080'],
  ],
  ['one that is going', service(), [pod('a', '10.0.0.1', { going: true })], []],
  [
    'ready or not, one that is going',
    service({ publishNotReadyAddresses: true }),
    [pod('a', '10.0.0.1', { going: true })],
    ['10.0.0.1 |  | 8080'],
  ],
  [
    'a name that leads to different ports',
    service(),
    [pod('a', '10.0.0.1'), pod('b', '10.0.0.2', { port: 9090 })],
    ['10.0.0.1 |  | 8080', '10.0.0.2 |  | 9090'],
  ],
  ['no port of that name', service({ ports: [{ port: 80, targetPort: 'none' }] }), [pod('a', '10.0.0.1')], []],
  ['headless without ports', service({ ...HEADLESS, ports: [] }), [pod('a', '10.0.0.1')], ['10.0.0.1 |  | ']],
  [
    'headless, no port of that name',
    service({ ...HEADLESS, ports: [{ port: 80, targetPort: 'none' }] }),
    [pod('a', '10.0.0.1')],
    [],
  ],
  ['without ports but not headless', service({ ports: [] }), [pod('a', '10.0.0.1')], []],
  ['the other family', service({ ipFamilies: ['IPv6'] }), [pod('a', '10.0.0.1')], []],
  [
    'the first of two families',
    service({ ipFamilies: ['IPv6', 'IPv4'] }),
    [pod('a', 'fd00::1'), pod('b', '10.0.0.1')],
    ['fd00::1 |  | 8080'],
  ],
];
for (const [name, of, pods, wanted] of SUBSETS)
  test(`subsets of a service: ${name}`, () => assert.deepEqual(shown(of, pods), wanted));
