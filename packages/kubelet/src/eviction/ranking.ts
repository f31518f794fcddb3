/** Who has to go, and what he is told. Pure. */
import { isSidecar } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { formatQuantity, quantityOf } from '@binnacle/machinery';
import { wholeValue } from '../container/amount.ts';
import { allContainers } from '../container/pod-containers.ts';
import { isCritical } from '../container/critical.ts';
import type { DiskLayout } from '../node-disks.ts';
import type { LocalPart } from './local-storage.ts';
import { type Pressure, pressureOf } from './pressure.ts';
import { type Signal, type Supply, type Threshold, valueOf } from './thresholds.ts';

/** A pod with what it uses of the scarce resource: as a whole, and by container. */
export interface Candidate {
  readonly pod: Pod;
  readonly used: number;
  readonly containers: ReadonlyMap<string, number>;
}

/** What there is too little of, as a pod would request it, and as it is told. */
export type ScarceResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

const RESOURCES: { readonly [what in Pressure]: ScarceResource } = {
  memory: 'memory',
  disk: 'ephemeral-storage',
  pid: 'pids',
};

/** What a signal is about: a disk may run out of room, or of inodes. */
export function scarceResource(signal: Signal): ScarceResource {
  return signal.endsWith('inodesFree') ? 'inodes' : RESOURCES[pressureOf(signal)];
}

/** What of a pod's files a signal is about, by what lies on which disk. */
export function localParts(signal: Signal, layout: DiskLayout): readonly LocalPart[] {
  if (layout === 'one') return ['logs', 'volumes', 'layers'];
  const isOfImages = signal.startsWith('imagefs');
  if (layout === 'split') return isOfImages ? [] : ['logs', 'volumes', 'layers'];
  return isOfImages || signal.startsWith('containerfs') ? ['layers'] : ['logs', 'volumes'];
}

/** Whether images that nobody uses take the room that a signal is about. */
export function freesImages(signal: Signal, layout: DiskLayout): boolean {
  if (pressureOf(signal) !== 'disk') return false;
  if (layout === 'one' || signal.startsWith('imagefs')) return true;
  return layout === 'images' && signal.startsWith('containerfs');
}

/** Whether dead containers take the room that a signal is about. */
export function freesLayers(signal: Signal, layout: DiskLayout): boolean {
  return pressureOf(signal) === 'disk' && localParts(signal, layout).includes('layers');
}

/**
 * Those who may go, the first to go first: who uses more than he asked for, then who matters less, then who uses the most
 * beyond his request. Of inodes and processes nobody asks for a number: there it is who matters less, then who has more.
 */
export function evictionOrder(candidates: readonly Candidate[], resource: ScarceResource): readonly Candidate[] {
  const excess = ({ pod, used }: Candidate): number => used - requestOf(pod, resource);
  return candidates
    .filter(({ pod }) => !isCritical(pod))
    .toSorted(
      (a, b) =>
        Number(excess(b) > 0) - Number(excess(a) > 0) ||
        (a.pod.spec.priority ?? 0) - (b.pod.spec.priority ?? 0) ||
        excess(b) - excess(a),
    );
}

/** In upstream's words. */
export function evictionMessage(candidate: Candidate, threshold: Threshold, supply: Supply): string {
  const resource = scarceResource(threshold.signal);
  const limit = quantity(valueOf(threshold.amount, supply.capacity));
  const head = `The node was low on resource: ${resource}. Threshold quantity: ${limit}, available: ${quantity(supply.available)}. `;
  if (resource === 'pids' || resource === 'inodes') return head;
  const larger = allContainers(candidate.pod).flatMap(({ name, resources }) => {
    const used = candidate.containers.get(name) ?? 0;
    const request = resources?.requests?.[resource] ?? '0';
    if (used <= wholeValue(request)) return [];
    return `Container ${name} was using ${quantity(used)}, request is ${request}, has larger consumption of ${resource}. `;
  });
  return head + larger.join('');
}

function requestOf({ spec }: Pod, resource: string): number {
  const containers = [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers];
  return containers.reduce((sum, { resources }) => sum + wholeValue(resources?.requests?.[resource]), 0);
}

/** Whole kibibytes where it is one, as sizes are read. */
function quantity(value: number): string {
  const whole = Math.floor(value);
  const kibi = whole >= 1024 ? Math.ceil(whole / 1024) * 1024 : whole;
  return formatQuantity(quantityOf(kibi, kibi >= 1024 ? 'BinarySI' : 'DecimalSI'));
}
