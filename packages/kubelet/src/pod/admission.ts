import { isExtendedResource, isSidecar } from '@binnacle/api';
import { isMetByClaim } from '../claim/pod-claims.ts';
import { memberOf } from '@binnacle/machinery';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { podRequests } from '../container/requests.ts';
import { qosClass } from '../container/resources.ts';
import { podsMax } from '../config.ts';
import type { KubeletConfig } from '../config.ts';
import { type HugePages, hugePagesName, isHugePages } from '../huge-pages.ts';
import type { Machine, NodePressure } from '../ports.ts';
import { wholeValue } from '../container/amount.ts';
import { hugePagesOfPod, podWish } from '../container/pod-wish.ts';
import type { NodeAllocatable } from '../registration/allocatable.ts';
import type { DeviceCount } from '../registration/node-object.ts';
import { isCritical } from '../container/critical.ts';
import type { Rejection, Shortage } from './world.ts';

export interface NodeRoom extends NodeAllocatable {
  readonly pods: number;
  /** What presses on the node. */
  readonly pressure?: NodePressure;
  /** What the machine has set aside. */
  readonly hugePages?: readonly HugePages[] | undefined;
  /** Names, or prefixes that end in `*`. */
  readonly allowedUnsafeSysctls?: readonly string[];
  /** What the API says that the node has beside what it has by itself: amounts by resource. */
  readonly extended?: { readonly [resource: string]: string } | undefined;
}

/** Why a pod is not taken in beside those that are here already; undefined: it may be. Room goes before what no room mends. */
export function admitPod(pod: Pod, others: readonly Pod[], room: NodeRoom): Rejection | undefined {
  const pressed = pressedBy(pod, room.pressure);
  if (pressed !== '') return { reason: 'Evicted', message: `The node had condition: [${pressed}]. ` };
  const [first, ...more] = shortages(pod, others, room);
  if (first === undefined) return otherwiseRefused(pod, others, room);
  const isOld = [first, ...more].some(({ resource }) => memberOf(room.extended ?? {}, resource) !== undefined);
  return { ...short(first), short: [first, ...more], ...(isOld ? { mayBeOld: true } : {}) };
}

/** Why a pod is not taken in whatever room there is; undefined: it may be. */
export function otherwiseRefused(pod: Pod, others: readonly Pod[], room: NodeRoom): Rejection | undefined {
  const sysctl = forbiddenSysctl(pod, room.allowedUnsafeSysctls ?? []);
  if (sysctl !== '') return { reason: 'SysctlForbidden', message: sysctl };
  return portsClash(pod, others)
    ? {
        reason: 'NodePorts',
        message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
      }
    : undefined;
}

/** What there is too little of for a pod: number of pods, CPU, memory, disk, huge pages, what others told the API of. */
function shortages(pod: Pod, others: readonly Pod[], room: NodeRoom): Shortage[] {
  const capacities: [resource: string, capacity: number][] = [
    ['pods', room.pods],
    ['cpu', room.milliCpu],
    ['memory', room.memoryBytes],
    ['ephemeral-storage', room.ephemeralStorageBytes],
    ...hugePagesRoom(pod, room.hugePages ?? []),
    ...extendedRoom(pod, room.extended ?? {}),
  ];
  return capacities.flatMap(([resource, capacity]) => {
    const requested = requestOf(pod, resource);
    if (requested === 0) return [];
    const used = usedBy(others, resource);
    return requested + used > capacity ? [{ resource, requested, used, capacity }] : [];
  });
}

function usedBy(pods: readonly Pod[], resource: string): number {
  if (resource === 'pods') return pods.length;
  let sum = 0;
  for (const pod of pods) sum += requestOf(pod, resource);
  return sum;
}

/** What a pod counts for of a resource: thousandths of a CPU, bytes, or whole units. */
export function requestOf(pod: Pod, resource: string): number {
  if (resource === 'pods') return 1;
  if (resource === 'cpu') return podRequests(pod).cpu;
  if (resource === 'memory') return podRequests(pod).memory;
  if (resource === 'ephemeral-storage') return podRequests(pod).storage;
  return isHugePages(resource) ? hugePagesOfPod(pod, resource) : (extendedRequests(pod).get(resource) ?? 0);
}

/** Of the sizes that a pod asks for. */
function hugePagesRoom(pod: Pod, machine: readonly HugePages[]): [string, number][] {
  const all = pod.spec.containers.flatMap((c) => Object.keys(c.resources?.limits ?? {}));
  const asked = new Set([...all, ...Object.keys(pod.spec.resources?.limits ?? {})].filter(isHugePages));
  return [...asked].map((name) => {
    const there = machine.find(({ sizeBytes }) => hugePagesName(sizeBytes) === name);
    return [name, (there?.sizeBytes ?? 0) * (there?.count ?? 0)];
  });
}

/** As upstream: what the node does not tell of is asked of the cluster as a whole, and is in no pod's way. */
function extendedRoom(pod: Pod, allocatable: { readonly [resource: string]: string }): [string, number][] {
  return [...extendedRequests(pod).keys()].flatMap((name) => {
    const there = memberOf(allocatable, name);
    return there === undefined ? [] : [[name, wholeValue(there)] as [string, number]];
  });
}

/** Without those that are claims for devices. */
function extendedRequests(pod: Pod): ReadonlyMap<string, number> {
  return podWish(pod, ({ name: container, resources }) => {
    const all = Object.entries(resources?.requests ?? {}).filter(
      ([name]) => isExtendedResource(name) && !isMetByClaim(pod, container, name),
    );
    return new Map(all.map(([name, amount]) => [name, wholeValue(amount)]));
  });
}

const MEMORY_TAINT = 'node.kubernetes.io/memory-pressure';

/** The condition of the node that keeps a pod out; empty: none. The node's own pods come in whatever presses. */
function pressedBy(pod: Pod, pressure: NodePressure | undefined): string {
  if (pressure === undefined || isCritical(pod)) return '';
  if (pressure.disk === true) return 'DiskPressure';
  if (pressure.pid === true) return 'PIDPressure';
  if (pressure.memory !== true || qosClass(pod) !== 'BestEffort') return '';
  const tolerates = (pod.spec.tolerations ?? []).some(
    ({ key, effect, operator }) =>
      (key === MEMORY_TAINT || (key === undefined && operator === 'Exists')) &&
      (effect === undefined || effect === 'NoSchedule'),
  );
  return tolerates ? '' : 'MemoryPressure';
}

/** Those that reach no further than their pod. */
const SAFE_SYSCTLS: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
]);

/** Sysctls of these belong to a namespace of the pod's own, unless it shares the node's. */
const IPC_SYSCTL = /^(?:kernel\.(?:shm|msg|sem$)|fs\.mqueue\.)/;

/** Why a sysctl that the pod sets is not let through; empty: all are. */
function forbiddenSysctl(pod: Pod, allowed: readonly string[]): string {
  const { securityContext, hostNetwork, hostIPC } = pod.spec;
  for (const { name: given } of securityContext?.sysctls ?? []) {
    const name = given.replaceAll('/', '.');
    const unsafe = allowed.some((a) => (a.endsWith('*') ? name.startsWith(a.slice(0, -1)) : name === a));
    if (!SAFE_SYSCTLS.has(name) && !unsafe) return `forbidden sysctl: "${given}" not allowlisted`;
    if (hostNetwork === true && name.startsWith('net.'))
      return `forbidden sysctl: "${given}" not allowed with host net enabled`;
    if (hostIPC === true && IPC_SYSCTL.test(name))
      return `forbidden sysctl: "${given}" not allowed with host ipc enabled`;
  }
  return '';
}

function short({ resource, requested, used, capacity }: Shortage): Rejection {
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}

function portsClash(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return false;
  const taken = others.flatMap(hostPorts);
  return wanted.some((w) =>
    taken.some((t) => t.port === w.port && t.protocol === w.protocol && (t.ip === w.ip || t.ip === '' || w.ip === '')),
  );
}

function hostPorts(pod: Pod): { readonly ip: string; readonly port: number; readonly protocol: string }[] {
  const { containers, initContainers = [] } = pod.spec;
  return [...containers, ...initContainers.filter(isSidecar)].flatMap((container) =>
    (container.ports ?? [])
      .filter((p) => Boolean(p.hostPort))
      .map((p) => ({
        ip: p.hostIP === undefined || p.hostIP === '0.0.0.0' ? '' : p.hostIP,
        port: p.hostPort ?? 0,
        protocol: p.protocol ?? 'TCP',
      })),
  );
}

/** What the API says that a node has, but for what its own plugins bring: they are asked before they give any away. */
export function extendedOf(node: Node | undefined, own: readonly DeviceCount[]): NonNullable<NodeRoom['extended']> {
  const names = new Set(own.map(({ resource }) => resource));
  const all = Object.entries(node?.status?.allocatable ?? {});
  return Object.fromEntries(all.filter(([name]) => isExtendedResource(name) && !names.has(name)));
}

/** What of the node there is for pods. */
export function roomOf(
  config: KubeletConfig,
  {
    allocatable,
    machine,
  }: { readonly allocatable: NodeAllocatable; readonly machine: Pick<Machine, 'cpus' | 'hugePages'> },
  pressure: NodePressure | undefined,
): NodeRoom {
  const { allowedUnsafeSysctls } = config;
  return {
    ...allocatable,
    pods: podsMax(config, machine.cpus),
    hugePages: machine.hugePages,
    allowedUnsafeSysctls,
    ...(pressure === undefined ? {} : { pressure }),
  };
}
