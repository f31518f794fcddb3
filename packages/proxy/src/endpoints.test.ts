import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { chooseForCluster, chooseForLocal, chooseForNear } from './choose-endpoints.ts';
import { portKey, protocolOf, uniteSlices } from './endpoints.ts';
import type { EndpointPlace } from './endpoints.ts';

describe('the protocol of a port', () => {
  for (const [text, protocol] of [
    [undefined, 'tcp'],
    ['TCP', 'tcp'],
    ['UDP', 'udp'],
    ['SCTP', 'sctp'],
    ['ICMP', undefined],
    ['', undefined],
    ['constructor', undefined],
  ] as const) {
    test(String(text), () => assert.equal(protocolOf(text), protocol));
  }
});

function place(address: string, more: Partial<EndpointPlace> = {}): EndpointPlace {
  return {
    ...{ address, port: 80, local: false, standing: 'ready' },
    ...{ near: false, nodeHints: [], zoneHints: [] },
    ...more,
  };
}

const leaving = { standing: 'leaving' } as const;
const HERE = { nodeName: 'n1', zone: 'z1' };

describe('who answers under policy Cluster', () => {
  const node = (name: string): Partial<EndpointPlace> => ({ nodeHints: [name] });
  const zone = (name: string, more: Partial<EndpointPlace> = {}): Partial<EndpointPlace> => ({
    zoneHints: [name],
    ...more,
  });
  type Row = readonly [name: string, all: readonly EndpointPlace[], chosen: string, at?: typeof HERE];
  const rows: readonly Row[] = [
    ['nobody', [], ''],
    ['those that are ready', [place('a'), place('b', { standing: 'out' }), place('c')], 'a c'],
    ['ready ones before leaving ones', [place('a'), place('b', leaving)], 'a'],
    ['leaving ones where none is ready', [place('a', leaving), place('b', { standing: 'out' })], 'a'],
    ['not those that do not answer', [place('a', { standing: 'out' })], ''],
    ['those of the zone', [place('a', zone('z1')), place('b', zone('z2'))], 'a'],
    ['all, where one has no hint', [place('a', zone('z1')), place('b')], 'a b'],
    ['all, where no hint is of this zone', [place('a', zone('z2')), place('b', zone('z3'))], 'a b'],
    ['all, where this node is in no zone', [place('a', zone('z1'))], 'a', { nodeName: 'n1', zone: '' }],
    ['hints of those that are not ready do not count', [place('a', zone('z1')), place('b', { standing: 'out' })], 'a'],
    [
      'those of the node',
      [place('a', { ...node('n1'), ...zone('z2') }), place('b', { ...node('n2'), ...zone('z1') })],
      'a',
    ],
    [
      'those of the zone, where none is for the node',
      [place('a', { ...node('n2'), ...zone('z1') }), place('b', { ...node('n3'), ...zone('z2') })],
      'a',
    ],
    [
      'hints do not count for leaving ones',
      [place('a', { ...leaving, ...zone('z2') }), place('b', { ...leaving, ...zone('z1') })],
      'a b',
    ],
    ['several zones', [place('a', { zoneHints: ['z2', 'z1'] }), place('b', zone('z2'))], 'a'],
  ];
  for (const [name, all, chosen, at = HERE] of rows) {
    test(name, () =>
      assert.equal(
        chooseForCluster(all, at)
          .map(({ address }) => address)
          .join(' '),
        chosen,
      ),
    );
  }
});

test('who answers on a machine that is the way to other nodes', () => {
  const of = (...all: EndpointPlace[]): string =>
    chooseForNear(all)
      .map(({ address }) => address)
      .join(' ');
  const near = { near: true };
  assert.equal(of(place('a'), place('b', near), place('c', { ...near, local: true })), 'b c');
  assert.equal(of(place('a', near), place('b', { ...near, ...leaving })), 'a');
  assert.equal(of(place('a')), '');
});

test('who answers under policy Local', () => {
  const of = (...all: EndpointPlace[]): string =>
    chooseForLocal(all)
      .map(({ address }) => address)
      .join(' ');
  const local = { local: true };
  assert.equal(of(place('a'), place('b', local)), 'b');
  assert.equal(of(place('a'), place('b', { ...local, ...leaving })), 'b');
  assert.equal(of(place('a', local), place('b', { ...local, ...leaving })), 'a');
  assert.equal(of(place('a')), '');
});

describe('the endpoints of several slices', () => {
  const slice = (more: object): EndpointSlice =>
    ({
      metadata: {},
      addressType: 'IPv4',
      ports: [{ name: 'web', port: 80 }],
      endpoints: [],
      ...more,
    }) as unknown as EndpointSlice;
  const shown = (slices: EndpointSlice[]): object =>
    Object.fromEntries(
      [...uniteSlices(slices, { nodeName: 'n1' })].map(([key, places]) => [
        key,
        places.map(({ address, port, standing, local }) => [address, port, standing, local].join(' ')),
      ]),
    );
  const key = portKey('IPv4', 'web', 'tcp');

  test('an address counts once, and is ready if one says so', () => {
    const not = { addresses: ['10.0.0.1'], conditions: { ready: false } };
    const ready = { addresses: ['10.0.0.1', '10.0.0.9'], nodeName: 'n1' };
    for (const order of [
      [not, ready],
      [ready, not],
    ]) {
      assert.deepEqual(shown(order.map((endpoint) => slice({ endpoints: [endpoint] }))), {
        [key]: ['10.0.0.1 80 ready true'],
      });
    }
  });
  test('an address counts once however it is written, and what is none does not', () => {
    const endpoints = ['010.0.0.1', '10.0.0.1', '10.0.0', 'example.com', ''].map((one) => ({ addresses: [one] }));
    assert.deepEqual(shown([slice({ endpoints })]), { [key]: ['10.0.0.1 80 ready false'] });
  });

  test('near is who is here, or on a node whose way to the world is here', () => {
    const endpoints = ['n1', 'n2', 'n3'].map((nodeName, at) => ({ addresses: [`10.0.0.${at}`], nodeName }));
    const [places = []] = uniteSlices([slice({ endpoints: [...endpoints, { addresses: ['10.0.0.9'] }] })], {
      nodeName: 'n1',
      guests: ['n2'],
    }).values();
    assert.deepEqual(
      places.map(({ address, local, near }) => [address, local, near].join(' ')),
      ['10.0.0.0 true true', '10.0.0.1 false true', '10.0.0.2 false false', '10.0.0.9 false false'],
    );
  });
  test('who says nothing is ready, who is not and stays is out', () => {
    const endpoints = [
      { addresses: ['10.0.0.1'], conditions: {} },
      { addresses: ['10.0.0.2'], conditions: { ready: false, serving: true } },
      { addresses: [] },
    ];
    assert.deepEqual(shown([slice({ endpoints })]), {
      [key]: ['10.0.0.1 80 ready false', '10.0.0.2 80 out false'],
    });
  });
  test('an address of the other family, and a number that is no port, take nothing from the others', () => {
    const endpoints = ['10.0.0.1', 'fd00::1'].map((one) => ({ addresses: [one] }));
    const ports = [
      { name: 'web', port: 80 },
      { name: 'web', port: 70_000 },
      { name: 'web', port: -1 },
    ];
    assert.deepEqual(shown([slice({ endpoints, ports })]), { [key]: ['10.0.0.1 80 ready false'] });
  });
  test('names of hosts, ports without a number and strange protocols make nothing', () => {
    const endpoints = [{ addresses: ['10.0.0.1'] }];
    assert.deepEqual(shown([slice({ addressType: 'FQDN', endpoints })]), {});
    assert.deepEqual(
      shown([
        slice({ ports: [{ name: 'a' }, { name: 'b', port: 0 }, { name: 'c', port: 1, protocol: 'X' }], endpoints }),
      ]),
      {},
    );
    assert.deepEqual(shown([slice({ ports: null, endpoints })]), {});
  });
});
