import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { podRequests } from '../container/requests.ts';
import { admitPod, extendedOf, otherwiseRefused, requestOf } from './admission.ts';

const room = { milliCpu: 1000, memoryBytes: 2 ** 30, ephemeralStorageBytes: 10 * 2 ** 30, pods: 2 };
const asking = (cpu: string, memory = '0'): Partial<Container> => ({ resources: { requests: { cpu, memory } } });
const storing = (amount: string): Partial<Container> => ({ resources: { requests: { 'ephemeral-storage': amount } } });
const pod = (name: string, container: Partial<Container> = {}): ReturnType<typeof testPod> =>
  testPod({ name, container });

const rows: readonly [string, ReturnType<typeof testPod>, ReturnType<typeof testPod>[], string | undefined][] = [
  ['it fits', pod('a', asking('500m')), [pod('b', asking('500m'))], undefined],
  ['no CPU left', pod('a', asking('501m')), [pod('b', asking('500m'))], 'OutOfcpu'],
  ['no memory left', pod('a', asking('0', '1Gi')), [pod('b', asking('0', '1'))], 'OutOfmemory'],
  ['no room on the disk left', pod('a', storing('6Gi')), [pod('b', storing('5Gi'))], 'OutOfephemeral-storage'],
  ['all of the disk', pod('a', storing('5Gi')), [pod('b', storing('5Gi'))], undefined],
  [
    'an init container that needs more of the disk than there is',
    testPod({ name: 'a', spec: { initContainers: [{ name: 'i', ...storing('11Gi') }] } }),
    [],
    'OutOfephemeral-storage',
  ],
  ['too many', pod('a'), [pod('b'), pod('c')], 'OutOfpods'],
  ['asks for nothing where all is taken', pod('a'), [pod('b', asking('5'))], undefined],
  [
    'a host port is taken',
    pod('a', { ports: [{ containerPort: 1, hostPort: 80 }] }),
    [pod('b', { ports: [{ containerPort: 2, hostPort: 80, hostIP: '127.0.0.1' }] })],
    'NodePorts',
  ],
  [
    'a host port is taken by a sidecar',
    pod('a', { ports: [{ containerPort: 1, hostPort: 80 }] }),
    [
      testPod({
        name: 'b',
        spec: { initContainers: [{ name: 's', restartPolicy: 'Always', ports: [{ containerPort: 2, hostPort: 80 }] }] },
      }),
    ],
    'NodePorts',
  ],
  [
    'the same port of another protocol',
    pod('a', { ports: [{ containerPort: 1, hostPort: 53, protocol: 'UDP' }] }),
    [pod('b', { ports: [{ containerPort: 1, hostPort: 53, protocol: 'TCP' }] })],
    undefined,
  ],
];

for (const [name, wanted, others, reason] of rows) {
  test(`admission: ${name}`, () => assert.equal(admitPod(wanted, others, room)?.reason, reason));
}

test('all that there is too little of is told, room before what no room mends', () => {
  const wanting = pod('a', { ...asking('600m', '1Gi'), ports: [{ containerPort: 1, hostPort: 80 }] });
  const other = pod('b', { ...asking('500m', '1'), ports: [{ containerPort: 1, hostPort: 80 }] });
  assert.deepEqual(admitPod(wanting, [other], { ...room, pods: 1 })?.short, [
    { resource: 'pods', requested: 1, used: 1, capacity: 1 },
    { resource: 'cpu', requested: 600, used: 500, capacity: 1000 },
    { resource: 'memory', requested: 2 ** 30, used: 1, capacity: 2 ** 30 },
  ]);
  assert.equal(otherwiseRefused(wanting, [other], room)?.reason, 'NodePorts');
});

test('the message tells the numbers', () => {
  assert.equal(
    admitPod(pod('a', asking('600m')), [pod('b', asking('500m'))], room)?.message,
    "Node didn't have enough resource: cpu, requested: 600, used: 500, capacity: 1000",
  );
});

test('requests: the largest init container, or all together with sidecars', () => {
  const of = (cpu: string, more: object = {}): Container => ({ name: cpu, resources: { requests: { cpu } }, ...more });
  const requests = (initContainers: Container[], overhead = '0'): number =>
    podRequests(
      testPod({ spec: { initContainers, containers: [of('100m'), of('100m')], overhead: { cpu: overhead } } }),
    ).cpu;
  assert.equal(requests([]), 200);
  assert.equal(requests([of('500m')]), 500);
  assert.equal(requests([of('50m', { restartPolicy: 'Always' })]), 250);
  assert.equal(requests([of('50m', { restartPolicy: 'Always' }), of('500m')]), 550);
  assert.equal(requests([], '10m'), 210);
});

const sysctls: readonly [string, object, readonly string[], string | undefined][] = [
  ['net.ipv4.ip_unprivileged_port_start', {}, [], undefined],
  ['net/ipv4/tcp_syncookies', {}, [], undefined],
  ['kernel.msgmax', {}, [], 'forbidden sysctl: "kernel.msgmax" not allowlisted'],
  ['kernel.msgmax', {}, ['kernel.msg*'], undefined],
  [
    'kernel.msgmax',
    { hostIPC: true },
    ['kernel.msg*'],
    'forbidden sysctl: "kernel.msgmax" not allowed with host ipc enabled',
  ],
  [
    'net.ipv4.tcp_rmem',
    { hostNetwork: true },
    [],
    'forbidden sysctl: "net.ipv4.tcp_rmem" not allowed with host net enabled',
  ],
];

for (const [name, spec, allowed, message] of sysctls) {
  test(`sysctl ${name} ${JSON.stringify(spec)} with ${allowed.join()}`, () => {
    const pod = testPod({ spec: { ...spec, securityContext: { sysctls: [{ name, value: '1' }] } } });
    const room = { milliCpu: 1, memoryBytes: 1, ephemeralStorageBytes: 1, pods: 5, allowedUnsafeSysctls: allowed };
    assert.deepEqual(
      admitPod(pod, [], room),
      message === undefined ? undefined : { reason: 'SysctlForbidden', message },
    );
  });
}

test('huge pages: as many as the machine has set aside', () => {
  const asking = (name: string, amount: string) =>
    pod(name, { resources: { limits: { 'hugepages-2Mi': amount }, requests: { 'hugepages-2Mi': amount } } });
  const with8 = { ...room, hugePages: [{ sizeBytes: 2 << 20, count: 4 }] };
  assert.equal(admitPod(asking('a', '4Mi'), [asking('b', '4Mi')], with8), undefined);
  assert.partialDeepStrictEqual(admitPod(asking('a', '6Mi'), [asking('b', '4Mi')], with8), {
    reason: 'OutOfhugepages-2Mi',
    message: "Node didn't have enough resource: hugepages-2Mi, requested: 6291456, used: 4194304, capacity: 8388608",
  });
  assert.equal(admitPod(asking('a', '2Mi'), [], room)?.reason, 'OutOfhugepages-2Mi', 'a machine without any');
});

const wanting = (name: string, count: string, more: object = {}) =>
  testPod({
    name,
    container: { resources: { limits: { 'a.test/x': count }, requests: { 'a.test/x': count } } },
    ...more,
  });
const mapped = {
  status: {
    extendedResourceClaimStatus: {
      resourceClaimName: 'c',
      requestMappings: [{ containerName: 'main', resourceName: 'a.test/x', requestName: 'r' }],
    },
  },
};
const extended: readonly [string, ReturnType<typeof testPod>, ReturnType<typeof testPod>[], string | undefined][] = [
  ['it fits', wanting('a', '2'), [wanting('b', '1')], undefined],
  [
    'not enough is left',
    wanting('a', '2'),
    [wanting('b', '2')],
    "Node didn't have enough resource: a.test/x, requested: 2, used: 2, capacity: 3",
  ],
  [
    'more than there is',
    wanting('a', '4'),
    [],
    "Node didn't have enough resource: a.test/x, requested: 4, used: 0, capacity: 3",
  ],
  ['it is a claim for devices', { ...wanting('a', '4'), ...mapped }, [], undefined],
  ['another one has a claim', wanting('a', '3'), [{ ...wanting('b', '4'), ...mapped }], undefined],
  ['none of it', wanting('a', '0'), [wanting('b', '4')], undefined],
];
for (const [name, wanted, others, message] of extended)
  test(`a resource that others told the API of: ${name}`, () => {
    const roomy = { ...room, extended: { 'a.test/x': '3' } };
    const refusal = admitPod(wanted, others, roomy);
    if (message === undefined) assert.equal(refusal, undefined);
    else assert.partialDeepStrictEqual(refusal, { reason: 'OutOfa.test/x', message, mayBeOld: true });
    assert.equal(admitPod(wanted, others, room), undefined, 'what the node does not tell of is in no way');
  });

const counted: readonly [resource: string, container: Partial<Container>, wanted: number][] = [
  ['pods', {}, 1],
  ['cpu', asking('1500m'), 1500],
  ['memory', asking('0', '1Ki'), 1024],
  ['ephemeral-storage', storing('1Ki'), 1024],
  ['hugepages-2Mi', { resources: { limits: { 'hugepages-2Mi': '4Mi' } } }, 4 << 20],
  ['a.test/x', { resources: { requests: { 'a.test/x': '3' } } }, 3],
  ['a.test/y', { resources: { requests: { 'a.test/x': '3' } } }, 0],
  ['cpu', {}, 0],
];
for (const [resource, container, wanted] of counted)
  test(`what a pod counts for of ${resource}: ${wanted}`, () =>
    assert.equal(requestOf(pod('a', container), resource), wanted));

test('what others told the API of: neither what is native nor what plugins of the node bring', () => {
  const allocatable = { cpu: '4', 'hugepages-2Mi': '0', 'a.test/x': '3', 'b.test/y': '1', constructor: '1' };
  const node = { metadata: {}, status: { allocatable } } as never;
  const own = [{ resource: 'b.test/y', capacity: 1, allocatable: 1 }];
  assert.deepEqual(extendedOf(node, own), { 'a.test/x': '3' });
  assert.deepEqual(extendedOf(undefined, own), {});
});
