/** When a node has too little of something, as its configuration says it. Pure. */
import { parseQuantity, quantityValue } from '@binnacle/machinery';
import { KubeletConfigError } from '../errors.ts';
import type { DiskLayout, Disks } from '../node-disks.ts';
import type { FilesystemUsage, GroupUsage, NodeUsage } from '../figures.ts';

/** What is measured: memory of the machine and of all pods' group; of disks that of pods, that of images, and that of what containers write into their own layers. */
export const SIGNALS = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
] as const;
export type Signal = (typeof SIGNALS)[number];

/** Part of what there is, or so much of it. */
type Amount = { readonly part: number } | { readonly value: number };

/** Less than this of a resource is too little, when it lasts so long. */
export interface Threshold {
  readonly signal: Signal;
  readonly amount: Amount;
  /** As it was written: `10%`, `100Mi`. */
  readonly text: string;
  /** 0: at once. */
  readonly graceMs: number;
  /** How much more than the threshold there has to be before it counts as past. */
  readonly reclaim: Amount;
}

/** The fields of KubeletConfiguration that say so, as they are written there. */
export interface EvictionSettings {
  readonly hard: { readonly [signal: string]: string };
  readonly soft: { readonly [signal: string]: string };
  /** By signal, in milliseconds. */
  readonly softGraceMs: { readonly [signal: string]: number };
  readonly minimumReclaim: { readonly [signal: string]: string };
}

const NOTHING: Amount = { value: 0 };

/** Reads the settings. Throws KubeletConfigError for signals that there are not, amounts that are none, missing graces. */
export function readThresholds({ hard, soft, softGraceMs, minimumReclaim }: EvictionSettings): readonly Threshold[] {
  for (const name of Object.keys(minimumReclaim)) signalOf(name);
  const one = (name: string, text: string, graceMs: number): Threshold[] => {
    const signal = signalOf(name);
    const amount = amountOf(name, text);
    // Upstream's way to switch one off.
    if ('part' in amount && (amount.part === 0 || amount.part === 1)) return [];
    const reclaim = Object.hasOwn(minimumReclaim, name) ? amountOf(name, minimumReclaim[name] ?? '') : NOTHING;
    return [{ signal, amount, text, graceMs, reclaim }];
  };
  return [
    ...Object.entries(hard).flatMap(([name, text]) => one(name, text, 0)),
    ...Object.entries(soft).flatMap(([name, text]) => {
      const graceMs = Object.hasOwn(softGraceMs, name) ? softGraceMs[name] : undefined;
      if (graceMs === undefined)
        throw new KubeletConfigError(
          'evictionSoft',
          `grace period must be specified for the soft eviction threshold ${name}`,
        );
      return one(name, text, graceMs);
    }),
  ];
}

function signalOf(name: string): Signal {
  const found = SIGNALS.find((signal) => signal === name);
  if (found === undefined) throw new KubeletConfigError('eviction', `unsupported eviction signal ${name}`);
  return found;
}

function amountOf(name: string, text: string): Amount {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined && Number(percent) <= 100) return { part: Number(percent) / 100 };
  try {
    const value = percent === undefined ? quantityValue(parseQuantity(text)) : -1;
    if (value >= 0) return { value };
  } catch {
    // Said below, with what it was about.
  }
  throw new KubeletConfigError(
    'eviction',
    `eviction threshold ${name} must be a percentage or a positive quantity, not "${text}"`,
  );
}

/** The thresholds with those of all pods together: what must be left of the machine must be left of what pods may use. */
export function withPodsMemory(thresholds: readonly Threshold[]): readonly Threshold[] {
  const hard = thresholds.filter((one) => one.signal === 'memory.available' && one.graceMs === 0);
  return [...thresholds, ...hard.map((one): Threshold => ({ ...one, signal: 'allocatableMemory.available' }))];
}

const LAYERS: readonly (readonly [of: Signal, nodefs: Signal, imagefs: Signal])[] = [
  ['containerfs.available', 'nodefs.available', 'imagefs.available'],
  ['containerfs.inodesFree', 'nodefs.inodesFree', 'imagefs.inodesFree'],
];

/** Whether somebody says when layers have too little room: nobody may, they have what lies with them. */
export function namesLayers(thresholds: readonly Threshold[]): boolean {
  return thresholds.some(({ signal }) => LAYERS.some(([layers]) => layers === signal));
}

/** The thresholds with those of layers: those of images where both lie together apart from pods, else those of pods. */
export function withLayers(thresholds: readonly Threshold[], layout: DiskLayout): readonly Threshold[] {
  const others = thresholds.filter((one) => !namesLayers([one]));
  const derived = LAYERS.flatMap(([signal, nodefs, imagefs]) =>
    others
      .filter((one) => one.signal === (layout === 'images' ? imagefs : nodefs))
      .map((one): Threshold => ({ ...one, signal })),
  );
  return [...others, ...derived];
}

/** What there is of something, and what there could be. */
export interface Supply {
  readonly available: number;
  readonly capacity: number;
}

/** What is left of everything that is measured. `pods`: of the group of all of them, where there is one. */
export function suppliesOf(
  usage: NodeUsage,
  of: {
    readonly memoryBytes: number;
    readonly disks: Disks;
    readonly pods?: Pick<GroupUsage['memory'], 'workingSetBytes' | 'limitBytes'> | undefined;
  },
): ReadonlyMap<Signal, Supply> {
  const { memoryBytes, disks, pods } = of;
  const supplies = new Map<Signal, Supply>([
    // What is not in use, and what the kernel gives back when it is asked.
    ['memory.available', { available: Math.max(0, memoryBytes - usage.memoryWorkingSetBytes), capacity: memoryBytes }],
    ['pid.available', { available: Math.max(0, usage.maxPids - usage.pids), capacity: usage.maxPids }],
  ]);
  if (pods !== undefined && pods.limitBytes >= 0) {
    const available = Math.max(0, pods.limitBytes - pods.workingSetBytes);
    supplies.set('allocatableMemory.available', { available, capacity: pods.limitBytes });
  }
  const disk = (name: 'nodefs' | 'imagefs' | 'containerfs', of: FilesystemUsage | undefined): void => {
    if (of === undefined) return;
    supplies.set(`${name}.available`, { available: of.availableBytes, capacity: of.capacityBytes });
    // File systems that make inodes as they need them tell of none.
    if (of.inodes > 0) supplies.set(`${name}.inodesFree`, { available: of.inodesFree, capacity: of.inodes });
  };
  disk('nodefs', usage.filesystem);
  disk('imagefs', disks.images);
  disk('containerfs', disks.layers);
  return supplies;
}

export function valueOf(amount: Amount, capacity: number): number {
  return 'part' in amount ? amount.part * capacity : amount.value;
}
