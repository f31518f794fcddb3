import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { EndpointSubset } from '@binnacle/api/core/v1';
import { repackSubsets } from './repack.ts';

const [A, B] = [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }];
const of = (uid: string) => ({ ...A, targetRef: { kind: 'Pod', uid } });
const [HTTP, TLS] = [{ port: 80 }, { port: 443 }];
const packed = (...subsets: readonly EndpointSubset[]): readonly string[] =>
  repackSubsets(subsets).map(({ ports, addresses }) => {
    const who = addresses.map(
      ({ address, ready }) => `${ready ? '' : '!'}${address.ip}${address.targetRef?.uid ?? ''}`,
    );
    return `${ports.map(({ name = '', port, protocol = '' }) => `${name}${port}${protocol}`).join()}: ${who.join(' ')}`;
  });

for (const [name, subsets, expected] of [
  ['nothing', [], []],
  ['nobody', [{ ports: [HTTP] }], []],
  ['a port twice in one subset', [{ addresses: [A], ports: [HTTP, HTTP] }], ['80: 192.0.2.1']],
  ['TCP said and not said', [{ addresses: [A], ports: [HTTP, { ...HTTP, protocol: 'TCP' }] }], ['80: 192.0.2.1']],
  ['two protocols', [{ addresses: [A], ports: [HTTP, { ...HTTP, protocol: 'UDP' }] }], ['80,80UDP: 192.0.2.1']],
  [
    'two names',
    [
      {
        addresses: [A],
        ports: [
          { ...HTTP, name: 'a' },
          { ...HTTP, name: 'constructor' },
        ],
      },
    ],
    ['a80,constructor80: 192.0.2.1'],
  ],
  ['two pods of one address', [{ addresses: [of('y'), of('x')], ports: [HTTP] }], ['80: 192.0.2.1x 192.0.2.1y']],
  ['with ports and without', [{ addresses: [A] }, { addresses: [A], ports: [HTTP] }], ['80: 192.0.2.1']],
  ['not ready comes last', [{ notReadyAddresses: [A], addresses: [B], ports: [HTTP] }], ['80: 192.0.2.2 !192.0.2.1']],
  [
    'not ready in a later subset, ready in a third',
    [
      { addresses: [A], ports: [HTTP] },
      { notReadyAddresses: [A], ports: [HTTP] },
      { addresses: [A], ports: [HTTP] },
    ],
    ['80: !192.0.2.1'],
  ],
  [
    'the same addresses, ready at one port only',
    [
      { addresses: [A], ports: [HTTP] },
      { notReadyAddresses: [A], ports: [TLS] },
    ],
    ['80: 192.0.2.1', '443: !192.0.2.1'],
  ],
] as const)
  test(`packed anew: ${name}`, () => assert.deepEqual(packed(...subsets), expected));
