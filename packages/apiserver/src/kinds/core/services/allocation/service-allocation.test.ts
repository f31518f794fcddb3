import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { SERVICES } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import { VirtualClock, createSeededRandom, silentLogger } from '@binnacle/base';
import { createMemoryStore } from '@binnacle/store';
import { MemoryCache } from '../../../../testing/memory-cache.ts';
import { MemoryLoopback } from '../../../../testing/memory-loopback.ts';
import type { Allocation } from '../../../../ports/strategy.ts';
import { repairAllocations } from '../../../../loops/allocation-repair.ts';
import { dropTypeDependentFields } from '../type-dependent-fields.ts';
import { ClusterIps, IP_ADDRESSES } from './cluster-ips.ts';
import { NodePorts } from './node-ports.ts';
import { createServiceAllocation } from './service-allocation.ts';
import { nodePortsOf } from './service-ports.ts';

const RANGE = { first: 30_000, last: 30_007 };
let clock: VirtualClock;
let cache: MemoryCache;
let ips: ClusterIps;
let ports: NodePorts;
let strategy: ReturnType<typeof createServiceAllocation>;
let store: ReturnType<typeof createMemoryStore>;

describe('addresses and ports of Services', () => {
  beforeEach(() => {
    clock = new VirtualClock();
    cache = new MemoryCache();
    store = createMemoryStore({ clock });
    const random = createSeededRandom(7);
    ips = new ClusterIps({ cache, loopback: new MemoryLoopback(cache), random }, ['10.96.0.0/24']);
    const portsInUse = (): Iterable<number> =>
      cache.list(SERVICES).flatMap((service) => [...nodePortsOf(service as Service)]);
    ports = new NodePorts({ store, random, range: RANGE, portsInUse });
    strategy = createServiceAllocation({
      ips,
      ports,
      log: silentLogger,
      find: ({ namespace, name }) => cache.get(SERVICES, namespace, name) as Service | undefined,
    });
  });

  function service(spec: object, name = 's'): Service {
    return { metadata: { namespace: 'default', name }, spec: { type: 'ClusterIP', ...spec } } as Service;
  }

  async function allocate(object: Service, before?: Service, dryRun = false): Promise<Allocation> {
    return strategy.allocate?.(object, before, dryRun);
  }

  function claimed(): string[] {
    return cache.list(IP_ADDRESSES).map((address) => address.metadata.name ?? '');
  }

  test('a new Service gets an address, its family and a claim', async () => {
    const object = service({ ports: [{ port: 80 }] });
    await allocate(object);
    const [ip = ''] = claimed();
    assert.match(ip, /^10\.96\.0\.\d+$/);
    assert.ok(Number(ip.split('.')[3]) > 16, 'the lower part is left to explicit addresses');
    assert.deepEqual(object.spec, {
      type: 'ClusterIP',
      ports: [{ port: 80 }],
      ipFamilyPolicy: 'SingleStack',
      ipFamilies: ['IPv4'],
      clusterIP: ip,
      clusterIPs: [ip],
    });
  });

  test('a failed write gives everything back', async () => {
    const allocation = await allocate(service({ type: 'NodePort', ports: [{ port: 80 }] }));
    assert.equal(claimed().length, 1);
    assert.equal((await ports.findOrphans()).length, 1);
    await allocation?.undo();
    assert.deepEqual(claimed(), []);
    assert.deepEqual(await ports.findOrphans(), []);
  });

  test('a dry run takes nothing', async () => {
    const object = service({ type: 'NodePort', ports: [{ port: 80 }] });
    await allocate(object, undefined, true);
    assert.notEqual(object.spec.clusterIP, undefined);
    assert.deepEqual(claimed(), []);
    assert.deepEqual(await ports.findOrphans(), []);
  });

  describe('what a Service gets', () => {
    const rows: readonly (readonly [string, object, object])[] = [
      [
        'headless with a selector',
        { clusterIP: 'None', selector: { a: 'b' } },
        { clusterIPs: ['None'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
      ],
      [
        'headless without',
        { clusterIP: 'None' },
        { clusterIPs: ['None'], ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
      ],
      [
        'an external name',
        { type: 'ExternalName', externalName: 'example.com' },
        { clusterIP: undefined, ipFamilies: undefined },
      ],
      [
        'an address of its choice',
        { clusterIP: '10.96.0.10' },
        { clusterIP: '10.96.0.10', clusterIPs: ['10.96.0.10'], ipFamilies: ['IPv4'] },
      ],
      [
        'two if there were two',
        { ipFamilyPolicy: 'PreferDualStack', clusterIP: '10.96.0.10' },
        { ipFamilies: ['IPv4'] },
      ],
      [
        'a port of its choice',
        { type: 'NodePort', ports: [{ port: 80, nodePort: 30_005 }] },
        { ports: [{ port: 80, nodePort: 30_005 }] },
      ],
    ];
    for (const [name, spec, expected] of rows) {
      test(name, async () => {
        const object = service(spec);
        await allocate(object);
        const has = new Map(Object.entries(object.spec));
        for (const [field, value] of Object.entries(expected)) assert.deepEqual(has.get(field), value, field);
      });
    }
  });

  describe('what a Service does not get', () => {
    const rows: readonly (readonly [string, object, string])[] = [
      [
        'an address that is taken',
        { clusterIP: '10.96.0.5' },
        'spec.clusterIPs: Invalid value: ["10.96.0.5"]: failed to allocate IP 10.96.0.5: provided IP is already allocated',
      ],
      [
        'an address from elsewhere',
        { clusterIP: '192.0.2.1' },
        'spec.clusterIPs: Invalid value: ["192.0.2.1"]: failed to allocate IP 192.0.2.1: the provided network does not match the current range',
      ],
      [
        'the broadcast address',
        { clusterIP: '10.96.0.255' },
        'spec.clusterIPs: Invalid value: ["10.96.0.255"]: failed to allocate IP 10.96.0.255: the provided network does not match the current range',
      ],
      [
        'a second family',
        { ipFamilyPolicy: 'RequireDualStack' },
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
      ],
      [
        'another family',
        { ipFamilies: ['IPv6'] },
        'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
      ],
      [
        'a port that is taken',
        { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] },
        'spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated',
      ],
      [
        'a port outside',
        { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
        'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-30007',
      ],
    ];
    for (const [name, spec, message] of rows) {
      test(name, async () => {
        await allocate(
          service({ clusterIP: '10.96.0.5', type: 'NodePort', ports: [{ port: 1, nodePort: 30_001 }] }, 'first'),
        );
        await assert.rejects(allocate(service(spec)), { message: `Service "s" is invalid: ${message}` });
        assert.deepEqual(claimed(), ['10.96.0.5']);
      });
    }
  });

  test('two protocols on one port share a node port', async () => {
    const object = service({
      type: 'NodePort',
      ports: [
        { port: 53, protocol: 'TCP' },
        { port: 53, protocol: 'UDP' },
      ],
    });
    await allocate(object);
    assert.equal(object.spec.ports?.[0]?.nodePort, object.spec.ports?.[1]?.nodePort);
  });

  test('a range that is full says so', async () => {
    for (let i = 0; i < 8; i++) await allocate(service({ type: 'NodePort', ports: [{ port: 80 }] }, `s${i}`));
    await assert.rejects(
      allocate(service({ type: 'NodePort', ports: [{ port: 80 }] })),
      /failed to allocate a nodePort: range is full/,
    );
  });

  test('an update keeps what it has, takes what is new and gives back what is gone', async () => {
    const before = service({
      type: 'NodePort',
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 81 },
      ],
    });
    await allocate(before);
    cache.put(SERVICES, before);
    const after = structuredClone(before) as { spec: { ports: unknown } } & Service;
    after.spec.ports = [
      { name: 'a', port: 80 },
      { name: 'c', port: 82 },
    ];
    const allocation = await allocate(after, before);
    cache.put(SERVICES, after);
    await allocation?.done?.();
    assert.equal(after.spec.clusterIP, before.spec.clusterIP);
    assert.equal(after.spec.ports?.[0]?.nodePort, before.spec.ports?.[0]?.nodePort);
    const { kvs } = await store.range({ key: '/registry/ranges/servicenodeports' });
    assert.equal(kvs.length, 1);
    await ports.claim([before.spec.ports?.[1]?.nodePort ?? 0], 0, false);
  });

  test('a change to an external name gives the address back', async () => {
    const before = service({ ports: [{ port: 80 }] });
    await allocate(before);
    const after = structuredClone(before) as Service & { spec: { type: string } };
    after.spec.type = 'ExternalName';
    dropTypeDependentFields(after as Draft<Service>, before);
    const allocation = await allocate(after, before);
    await allocation?.done?.();
    assert.equal(after.spec.clusterIP, undefined);
    assert.deepEqual(claimed(), []);
  });

  test('two servers on one store never give out the same port', async () => {
    const other = new NodePorts({ store, random: createSeededRandom(7), range: RANGE, portsInUse: () => [] });
    const both = await Promise.all(
      [...Array(4).keys()].flatMap(() => [ports.claim([], 1, false), other.claim([], 1, false)]),
    );
    assert.equal(new Set(both.flat()).size, 8);
  });

  test('what a dead server left behind is given back a minute after the start', async () => {
    await allocate(service({ type: 'NodePort', ports: [{ port: 80 }] }, 'dead'));
    const alive = service({ type: 'NodePort', ports: [{ port: 80 }] }, 'alive');
    await allocate(alive);
    cache.put(SERVICES, alive);
    const repair = repairAllocations({ cache, clock, log: silentLogger }, ips, ports);
    await clock.advance(30_000);
    assert.equal(claimed().length, 2);
    await clock.advance(31_000);
    assert.deepEqual(claimed(), [alive.spec.clusterIP]);
    assert.deepEqual(await ports.findOrphans(), []);
    await repair.stop();
  });

  test('a Service that a dead server began gets the address it was to have; a failure leaves the claim', async () => {
    await allocate(service({ clusterIP: '10.96.0.1' }, 'kubernetes'));
    const allocation = await allocate(service({ clusterIP: '10.96.0.1' }, 'kubernetes'));
    await allocation?.undo();
    assert.deepEqual(claimed(), ['10.96.0.1']);
  });

  test('a deleted Service gives back what no new one of its name has', async () => {
    const old = service({ clusterIP: '10.96.0.1', type: 'NodePort', ports: [{ port: 80 }] });
    await allocate(old);
    cache.put(SERVICES, service({ clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'] }));
    await strategy.release?.(old);
    assert.deepEqual(claimed(), ['10.96.0.1']);
    assert.deepEqual(await ports.findOrphans(), []);
    cache.remove(SERVICES, 'default', 's');
    await strategy.release?.(old);
    assert.deepEqual(claimed(), []);
  });

  test('an address that differs from the one held is left to validation, and nothing claimed', async () => {
    const before = service({ ports: [{ port: 80 }] });
    await allocate(before);
    const [ip = ''] = claimed();
    const object = service({ ...before.spec, clusterIP: '10.96.0.99', clusterIPs: ['10.96.0.99'] });
    await allocate(object, before);
    assert.deepEqual(object.spec.clusterIPs, ['10.96.0.99']);
    assert.deepEqual(claimed(), [ip]);
  });
});
