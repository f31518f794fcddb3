import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Node } from '@binnacle/api/core/v1';
import { ZoneCpu } from './zone-cpu.ts';

const node = (zone: string | undefined, cpu: string, more: { ready?: boolean; label?: string } = {}): Node => ({
  metadata: {
    labels: {
      ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }),
      ...(more.label === undefined ? {} : { [more.label]: '' }),
    },
  },
  spec: {},
  status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: more.ready === false ? 'False' : 'True' }] },
});

test('the shares follow the nodes', () => {
  const cpu = new ZoneCpu();
  const shares = (): unknown => cpu.shares() && Object.fromEntries(cpu.shares() ?? []);
  assert.equal(cpu.set('n1', node('a', '1')), true);
  assert.equal(shares(), undefined, 'one zone');
  assert.equal(cpu.set('n2', node('constructor', '3')), true);
  assert.deepEqual(shares(), { a: 0.25, constructor: 0.75 });
  assert.equal(cpu.set('n2', node('constructor', '3000m')), false, 'nothing changed');
  assert.equal(cpu.set('n3', node('a', '2')), true);
  assert.deepEqual(shares(), { a: 0.5, constructor: 0.5 });
  cpu.set('n4', node(undefined, '1', { label: 'node-role.kubernetes.io/control-plane' }));
  cpu.set('n5', node(undefined, '1', { ready: false }));
  assert.deepEqual(shares(), { a: 0.5, constructor: 0.5 }, 'those carry no load');
  cpu.set('n5', node(undefined, '1'));
  assert.equal(shares(), undefined, 'a node without a zone');
  cpu.set('n5', node('a', '0'));
  assert.equal(shares(), undefined, 'a node without CPU');
  cpu.set('n5', undefined);
  cpu.set('n3', node('a', '2', { ready: false }));
  assert.deepEqual(shares(), { a: 0.25, constructor: 0.75 });
  cpu.set('n2', undefined);
  assert.equal(shares(), undefined);
});
