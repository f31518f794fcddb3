import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceRules } from '@binnacle/network';
import { NodePortClaims } from './node-port-claims.ts';
import type { TakenPorts } from './node-port-claims.ts';

function rules(id: string, nodePort: number, addresses: readonly string[] = []): ServiceRules {
  const external = { addresses, nodePort, fate: 'cluster', keepsSource: false, insideFate: 'cluster' } as const;
  return {
    ...{ id, family: 'IPv4', protocol: 'tcp', port: 80, clusterIP: '10.96.0.7', internalFate: 'cluster' },
    ...{ backends: { cluster: [], local: [] }, affinitySeconds: 0 },
    ...(nodePort === 0 ? {} : { external }),
  };
}

const taken = (isFirst: boolean, ...ports: readonly number[]): TakenPorts =>
  new Map(ports.map((port) => [`IPv4/tcp/${port}`, { rules: 'table bnother', isFirst }]));
const NOBODY: TakenPorts = new Map();
const one = (rule: ServiceRules | undefined, id = 'ns/web') => new Map([[id, rule]]);

function claims() {
  const told: string[] = [];
  return { told, made: new NodePortClaims(({ id, port, holder }) => told.push(`${id} ${port} ${holder}`)) };
}

test('a port that another cluster has is refused, said once, and taken when it is free', () => {
  const { told, made } = claims();
  const wanted = one(rules('ns/web', 30080));
  assert.equal(made.asksForMore(wanted), true);
  for (let at = 0; at < 3; at++)
    assert.equal(made.settle(wanted, taken(false, 30080)).get('ns/web')?.external, undefined);
  assert.deepEqual(told, ['ns/web tcp/30080 table bnother']);
  assert.equal(made.isStale(taken(false, 30080)), false);
  assert.equal(made.isStale(NOBODY), true);
  assert.deepEqual(made.settle(wanted, NOBODY), wanted);
  assert.equal(made.asksForMore(wanted), false);
});

test('addresses of a balancer stay where the node port is refused', () => {
  const { made } = claims();
  const settled = made.settle(one(rules('ns/web', 30080, ['192.0.2.1'])), taken(false, 30080));
  assert.deepEqual(
    settled,
    one(rules('ns/web', 0)).set('ns/web', {
      ...rules('ns/web', 30080, ['192.0.2.1']),
      external: {
        ...{ addresses: ['192.0.2.1'], nodePort: 0, fate: 'cluster', keepsSource: false, insideFate: 'cluster' },
      },
    }),
  );
});

test('who has a port keeps it; where both came at once, the first by name does', () => {
  const { told, made } = claims();
  const wanted = one(rules('ns/web', 30080));
  made.settle(wanted, NOBODY);
  assert.equal(made.isStale(taken(false, 30080)), false);
  assert.deepEqual(made.settle(wanted, taken(false, 30080), { isAll: true }), wanted);
  assert.equal(made.isStale(taken(true, 30080)), true);
  assert.equal(made.settle(wanted, taken(true, 30080), { isAll: true }).get('ns/web')?.external, undefined);
  assert.deepEqual(told, ['ns/web tcp/30080 table bnother']);
});

const LATER: readonly (readonly [name: string, rule: ServiceRules | undefined, asks: boolean])[] = [
  ['goes', undefined, false],
  ['has no node port any more', rules('ns/web', 0), false],
  ['stays as it is', rules('ns/web', 30080), false],
  ['has another one', rules('ns/web', 30081), true],
];
for (const [name, rule, asks] of LATER) {
  test(`a Service that ${name}: others are asked ${asks ? 'once more' : 'nothing'}`, () => {
    const { made } = claims();
    made.settle(one(rules('ns/web', 30080)), NOBODY);
    assert.equal(made.asksForMore(one(rule)), asks);
    made.settle(one(rule), NOBODY);
    assert.equal(made.isEmpty, (rule?.external?.nodePort ?? 0) === 0);
  });
}

test('what is not among all is forgotten', () => {
  const { made } = claims();
  made.settle(
    new Map([...one(rules('ns/a', 30080), 'ns/a'), ...one(rules('ns/b', 30081), 'ns/b')]),
    taken(false, 30081),
  );
  assert.equal(made.isEmpty, false);
  made.settle(new Map(), NOBODY, { isAll: true });
  assert.equal(made.isEmpty, true);
});
