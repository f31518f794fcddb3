import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Service } from '@binnacle/api/core/v1';
import { portKey } from './endpoints.ts';
import type { EndpointPlace } from './endpoints.ts';
import { rulesOfService } from './service-rules.ts';

const NODE = { nodeName: 'here', zone: 'z1', addresses: ['192.168.0.1', 'fd01::1'] };

describe('the rules of a Service on a node', () => {
  const place = (address: string, local: boolean): EndpointPlace => ({
    ...{ address, port: 8080, local, standing: 'ready' },
    ...{ near: false, nodeHints: [], zoneHints: [] },
  });
  const here = place('10.244.0.2', true);
  const there = place('10.244.1.1', false);
  const rules = (spec: object, places: readonly EndpointPlace[] = [there, here], status: object = {}) => {
    const service = {
      metadata: { namespace: 'a', name: 's' },
      spec: { clusterIP: '10.96.0.7', ports: [{ name: 'web', port: 80 }], ...spec },
      status,
    };
    return rulesOfService(service as unknown as Service, new Map([[portKey('IPv4', 'web', 'tcp'), places]]), NODE);
  };
  const ADDRESSES = {
    loadBalancer: {
      ingress: [{ ip: '192.0.2.7' }, { ip: '192.0.2.8', ipMode: 'Proxy' }, { hostname: 'lb' }, { ip: 'fd09::1' }],
    },
  };

  for (const [name, spec] of [
    ['a headless one', { clusterIP: 'None' }],
    ['a headless one of both families', { clusterIPs: ['None'] }],
    ['one without an address yet', { clusterIP: '' }],
    ['a mere name', { type: 'ExternalName' }],
    ['one without ports', { ports: undefined }],
    ['a protocol that nobody carries', { ports: [{ name: 'web', port: 80, protocol: 'X' }] }],
  ] as const) {
    test(`none for ${name}`, () => assert.deepEqual(rules(spec), []));
  }
  test('none without a spec', () => assert.deepEqual(rulesOfService({ metadata: {} } as Service, new Map(), NODE), []));

  test('whoever of UDP serves and is not asked anew is named, so that who speaks to it goes on', () => {
    const leaving: EndpointPlace = { ...place('10.244.1.2', false), standing: 'leaving' };
    const all = [there, here, leaving, { ...place('10.244.1.3', false), standing: 'out' as const }];
    const lingering = (protocol: string, more: object = {}): unknown => {
      const spec = { clusterIP: '10.96.0.7', ports: [{ name: 'web', port: 53, protocol }], ...more };
      const service = { metadata: { namespace: 'a', name: 's' }, spec } as Service;
      const key = portKey('IPv4', 'web', protocol === 'UDP' ? 'udp' : 'tcp');
      return rulesOfService(service, new Map([[key, all]]), NODE)[0]?.lingering;
    };
    assert.deepEqual(lingering('UDP'), [{ address: '10.244.1.2', port: 8080 }]);
    assert.deepEqual(lingering('UDP', { internalTrafficPolicy: 'Local' }), [
      { address: '10.244.1.1', port: 8080 },
      { address: '10.244.1.2', port: 8080 },
    ]);
    assert.equal(lingering('TCP'), undefined, 'TCP ends by itself');
  });

  test('one for every port and family', () => {
    const ports = [
      { name: 'web', port: 80 },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ];
    assert.deepEqual(
      rules({ clusterIPs: ['10.96.0.7', 'fd03::7'], ports }).map(
        ({ id, clusterIP, port }) => `${id} ${clusterIP}:${port}`,
      ),
      [
        'a/s/web/tcp/IPv4 10.96.0.7:80',
        'a/s/dns/udp/IPv4 10.96.0.7:53',
        'a/s/web/tcp/IPv6 fd03::7:80',
        'a/s/dns/udp/IPv6 fd03::7:53',
      ],
    );
  });

  const LOCAL = { internalTrafficPolicy: 'Local' };
  for (const [name, spec, places, fate, backends] of [
    ['anybody', {}, [there, here], 'cluster', '10.244.0.2 10.244.1.1 | '],
    ['those of this node', LOCAL, [there, here], 'local', ' | 10.244.0.2'],
    ['nobody here', LOCAL, [there], 'drop', ' | '],
    ['nobody anywhere', LOCAL, [], 'reject', ' | '],
    ['nobody at all', {}, [], 'reject', ' | '],
  ] as const) {
    test(`who answers inside: ${name}`, () => {
      const [rule] = rules(spec, places);
      const shown = (all: readonly { address: string }[] = []): string => all.map(({ address }) => address).join(' ');
      assert.deepEqual(
        [rule?.internalFate, `${shown(rule?.backends.cluster)} | ${shown(rule?.backends.local)}`, rule?.external],
        [fate, backends, undefined],
      );
    });
  }

  test('from outside', () => {
    const [rule] = rules(
      {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        externalIPs: ['198.51.100.1', '198.51.100.1', 'fd08::1'],
        ports: [{ name: 'web', port: 80, nodePort: 30080 }],
      },
      [there, here],
      ADDRESSES,
    );
    assert.deepEqual(rule?.external, {
      addresses: ['192.0.2.7', '198.51.100.1'],
      nodePort: 30080,
      fate: 'local',
      keepsSource: true,
      insideFate: 'cluster',
    });
    assert.deepEqual([rule.backends.cluster.length, rule.backends.local.length], [2, 1]);
  });

  test('two Services that write one address in two ways claim the same', () => {
    const addressesOf = (externalIPs: readonly string[], ip: string): readonly (string | undefined)[] => {
      const spec = { type: 'LoadBalancer', clusterIPs: ['FD03:0::7'], externalIPs };
      const [rule] = rules(spec, [], { loadBalancer: { ingress: [{ ip }] } });
      return [rule?.clusterIP, ...(rule?.external?.addresses ?? [])];
    };
    const one = addressesOf(['2001:DB8:0::1', '2001:db8:0:0::1', 'nonsense::'], 'FD09:0::1');
    assert.deepEqual(one, ['fd03::7', '2001:db8::1', 'fd09::1']);
    assert.deepEqual(addressesOf(['2001:db8::1'], 'fd09::1'), one);
  });

  for (const [name, given, addresses] of [
    ['is there', [{ port: 80, protocol: 'TCP' }], ['192.0.2.7']],
    ['is not there', [{ port: 81, protocol: 'TCP' }], undefined],
    ['is there for another protocol', [{ port: 80, protocol: 'UDP' }], undefined],
    ['is not told of', [], ['192.0.2.7']],
    ['is told of by nobody', undefined, ['192.0.2.7']],
  ] as const)
    test(`a port on a balancer's address that among those given ${name}`, () => {
      const ingress = [{ ip: '192.0.2.7', ...(given === undefined ? {} : { ports: given }) }];
      const spec = { type: 'LoadBalancer', loadBalancerSourceRanges: ['198.51.100.0/24'] };
      const [rule] = rules(spec, [], { loadBalancer: { ingress } });
      assert.deepEqual(rule?.external?.addresses, addresses);
      assert.deepEqual(rule?.firewall?.addresses, addresses);
    });

  for (const [name, ranges, firewall] of [
    ['ranges in their one spelling', ['198.051.100.9/24'], { addresses: ['192.0.2.7'], sources: ['198.51.100.0/24'] }],
    ['nobody is kept out', [], undefined],
    ['whoever is in a range', ['198.51.100.0/24'], { addresses: ['192.0.2.7'], sources: ['198.51.100.0/24'] }],
    ['blanks are let pass', [' 198.51.100.0/24 '], { addresses: ['192.0.2.7'], sources: ['198.51.100.0/24'] }],
    ['a range of everybody is none', ['198.51.100.0/24', '0.0.0.0/0'], undefined],
    ['ranges of the other family do not bear on this one', ['fd00::/8'], undefined],
    ['what is no range has nobody in it', ['nonsense'], { addresses: ['192.0.2.7'], sources: [] }],
    [
      'what is no range takes nothing from the others',
      ['nonsense', '198.51.100.0/24'],
      { addresses: ['192.0.2.7'], sources: ['198.51.100.0/24'] },
    ],
    [
      'the node itself comes from the address of the balancer',
      ['192.168.0.0/16'],
      { addresses: ['192.0.2.7'], sources: ['192.0.2.7', '192.168.0.0/16'] },
    ],
  ] as const) {
    test(`who may come by the balancer: ${name}`, () => {
      assert.deepEqual(
        rules({ type: 'LoadBalancer', loadBalancerSourceRanges: ranges }, [here], ADDRESSES)[0]?.firewall,
        firewall,
      );
    });
  }

  for (const [spec, seconds] of [
    [{}, 0],
    [{ sessionAffinity: 'None', sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }, 0],
    [{ sessionAffinity: 'ClientIP' }, 10_800],
    [{ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }, 5],
  ] as const) {
    test(`how long a client stays: ${JSON.stringify(spec)}`, () =>
      assert.equal(rules(spec)[0]?.affinitySeconds, seconds));
  }
});
