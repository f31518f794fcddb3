import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExternalRules, ServiceRules } from '../rules.ts';
import { externalRules, HERE, NODE, serviceRules, THERE } from '../testing/service-rules.ts';
import { ChainNames } from './chain-names.ts';
import { renderService } from './render-service.ts';
import type { Door } from './render-service.ts';

const names = new ChainNames('T');
const [SVC, SVL, EXT, FWL] = (['SVC', 'SVL', 'EXT', 'FWL'] as const).map((kind) => names.ofService(kind, 's')) as [
  string,
  string,
  string,
  string,
];

const rules = (more: Partial<ServiceRules>): ServiceRules =>
  serviceRules('s', { backends: { cluster: [HERE], local: [] }, ...more });
const rendered = (more: Partial<ServiceRules> = {}) => renderService(rules(more), { node: NODE, names });
const fates = (doors: readonly Door[]): unknown[] => doors.map(({ forward, fate }) => forward ?? fate);

const INSIDE: readonly [name: string, more: Partial<ServiceRules>, fate: string][] = [
  ['to all endpoints', {}, SVC],
  ['to those of this node', { internalFate: 'local', backends: { cluster: [], local: [HERE] } }, SVL],
  ['refused', { internalFate: 'reject', backends: { cluster: [], local: [] } }, 'reject'],
  ['dropped', { internalFate: 'drop', backends: { cluster: [], local: [] } }, 'drop'],
];
for (const [name, more, fate] of INSIDE)
  test(`from inside: ${name}`, () => {
    const { doors } = rendered(more);
    assert.deepEqual(fates(doors), [fate]);
    assert.equal(doors[0]?.match, '-d 10.96.0.7 -p tcp -m tcp --dport 80');
    assert.equal(doors[0]?.rank, 0, 'a ClusterIP is nobody else’s');
  });

test('a policy without endpoints has no chain', () => {
  assert.deepEqual([...rendered({ internalFate: 'reject', backends: { cluster: [], local: [] } }).nat.keys()], []);
  assert.deepEqual([...rendered({ backends: { cluster: [HERE], local: [HERE] } }).nat.keys()], [SVC, SVL]);
});

const SPREAD: readonly [count: number, shares: readonly string[]][] = [
  [1, ['']],
  [2, ['0.5000000000', '']],
  [3, ['0.3333333333', '0.5000000000', '']],
];
for (const [count, shares] of SPREAD)
  test(`spread evenly over ${count}`, () => {
    const cluster = Array.from({ length: count }, (_, at) => ({ ...THERE, port: 9000 + at }));
    const [outside, ...spread] = rendered({ backends: { cluster, local: [] } }).nat.get(SVC) ?? [];
    assert.match(outside ?? '', /^-d 10\.96\.0\.7 .* -j T-OUTSIDE$/);
    const wanted = shares.map(
      (share, at) =>
        `-p tcp ${share === '' ? '' : `-m statistic --mode random --probability ${share} `}-j DNAT --to-destination 10.244.1.3:${9000 + at}`,
    );
    assert.deepEqual(spread, wanted);
  });

test('an IPv6 endpoint stands in brackets', () => {
  const cluster = [{ ...THERE, address: 'fd02::2' }];
  const chain = rendered({ family: 'IPv6', clusterIP: 'fd00::1', backends: { cluster, local: [] } }).nat.get(SVC);
  assert.match(chain?.at(-1) ?? '', /--to-destination \[fd02::2\]:8080$/);
});

test('who came lately is asked for before anybody is spread, and is remembered at its endpoint', () => {
  const { nat } = rendered({ affinitySeconds: 60, backends: { cluster: [HERE, THERE], local: [] } });
  const ends = [HERE, THERE].map(({ address, port }) => names.ofService('SEP', `s/${address}/${port}`));
  assert.deepEqual(nat.get(SVC)?.slice(1), [
    ...ends.map((end) => `-m recent --name ${end} --rcheck --seconds 60 --reap --rsource -j ${end}`),
    `-m statistic --mode random --probability 0.5000000000 -j ${ends[0]}`,
    `-j ${ends[1]}`,
  ]);
  assert.deepEqual(nat.get(ends[1] ?? ''), [
    `-p tcp -m recent --name ${ends[1]} --set --rsource -j DNAT --to-destination 10.244.1.3:8080`,
  ]);
});

const LOCAL = '-m addrtype --src-type LOCAL';
const OUTSIDE: readonly [name: string, external: ExternalRules, chain: readonly string[] | undefined, fate: unknown][] =
  [
    ['masqueraded, to all', externalRules(), ['-j T-MARK-MASQ', `-j ${SVC}`], undefined],
    ['dropped where this node has none', externalRules({ fate: 'drop' }), ['-j T-MARK-MASQ'], 'drop'],
    [
      'sources are kept: the pods of its family and the machine go to all',
      externalRules({ fate: 'local', keepsSource: true }),
      [`-s 10.244.0.0/16 -j ${SVC}`, `${LOCAL} -j T-MARK-MASQ`, `${LOCAL} -j ${SVC}`, `-j ${SVL}`],
      undefined,
    ],
    ['nobody is served', externalRules({ fate: 'reject', insideFate: 'reject' }), undefined, 'reject'],
  ];
for (const [name, given, chain, fate] of OUTSIDE)
  test(`from outside: ${name}`, () => {
    const { nat, doors } = rendered({ external: given, backends: { cluster: [HERE], local: [HERE] } });
    assert.deepEqual(nat.get(EXT), chain);
    assert.equal(doors[1]?.forward, chain === undefined ? undefined : EXT);
    assert.equal(doors[1]?.fate, fate);
  });

test('a node port is a door of its own, without an address', () => {
  const { doors } = rendered({ external: externalRules({ addresses: [], nodePort: 30_080 }) });
  const { key, isNodePort, match, forward } = doors[1] ?? assert.fail('no door');
  assert.deepEqual([key, isNodePort, match, forward], ['tcp 30080', true, '-p tcp -m tcp --dport 30080', EXT]);
  assert.equal(rendered({ external: externalRules({ addresses: [] }) }).doors.length, 1, 'zero is no port');
});

test('source ranges: a wall before the addresses that have one, and no way around it', () => {
  const firewall = { addresses: ['203.0.113.5'], sources: ['198.51.100.0/24'] };
  const addresses = ['203.0.113.5', '203.0.113.6'];
  const { nat, filter, doors } = rendered({ external: externalRules({ addresses }), firewall });
  assert.deepEqual(nat.get(FWL), [`-s 198.51.100.0/24 -j ${EXT}`]);
  assert.deepEqual(filter.get(FWL), ['-s 198.51.100.0/24 -j RETURN', '-j DROP']);
  assert.deepEqual(
    doors.slice(1).map((door) => [door.forward, door.firewall]),
    [
      [FWL, FWL],
      [EXT, undefined],
    ],
  );
  const unserved = rendered({ external: externalRules({ fate: 'reject', insideFate: 'reject' }), firewall });
  assert.equal(unserved.nat.get(FWL), undefined, 'there is nothing to let them through to');
  assert.deepEqual([unserved.doors[1]?.firewall, unserved.doors[1]?.forward], [FWL, undefined]);
});

test('addresses of this node’s endpoints, each once', () => {
  const backends = { cluster: [HERE, THERE, { ...HERE, port: 1 }], local: [HERE] };
  assert.deepEqual([...rendered({ backends }).localAddresses], ['10.244.0.2']);
});
