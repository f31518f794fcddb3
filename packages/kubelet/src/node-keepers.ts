import { type EnforcementOptions, startEnforcement } from './cgroup/enforcement.ts';
import { DiskFigures } from './disk-figures.ts';
import { openLogs } from './logs/pod-log.ts';
import { LogRotation } from './logs/rotation.ts';
import { Eviction } from './eviction/eviction.ts';
import type { EvictablePod } from './eviction/eviction.ts';
import { ImageGarbage } from './image/garbage.ts';
import { type PullAccess, pullAccessOf } from './image/pull-access.ts';
import { NodeDisks } from './node-disks.ts';
import type { KubeletOptions } from './ports.ts';
import { tellNodeEvents } from './registration/node-events.ts';
import { HealthChecks } from './registration/health.ts';
import { PodNetworkState } from './registration/pod-network-state.ts';
import { type EndablePod, NodeShutdown } from './shutdown/node-shutdown.ts';

/** Who looks after a node: its disk and memory, where it has a disk of its own, and its end. */
export interface NodeKeepers {
  readonly disks: NodeDisks;
  readonly shutdown: NodeShutdown;
  readonly health: HealthChecks;
  readonly joins: PodNetworkState;
  readonly eviction?: Eviction;
  readonly images?: ImageGarbage;
  /** What pods have on its disk. */
  readonly podFiles?: DiskFigures;
  /** Who may have images that are there; absent: everybody. */
  readonly access?: PullAccess;
}

type Logged = Parameters<typeof openLogs>[0];

/** Who looks after a node. */
export function nodeKeepers(
  options: KubeletOptions,
  of: {
    readonly pods: () => readonly (EvictablePod & EndablePod)[];
    /** Its status is another now. */
    readonly nodeChanged: () => void;
  },
): NodeKeepers {
  const { config, files } = options;
  const { pods } = of;
  const shutdown = new NodeShutdown({ ...options, pods, changed: of.nodeChanged });
  const disks = new NodeDisks({ ...options, rootDirectory: config.rootDirectory });
  // Without a loop that could stand still: it is well until it ends.
  const health = new HealthChecks({ ping: () => true, log: () => true, syncloop: () => !options.scope.closing });
  const joins = new PodNetworkState(options.runtime, options.clock);
  if (files === undefined) return { disks, shutdown, health, joins };
  const warn = (reason: string, message: string): void =>
    tellNodeEvents(options.events, config.nodeName, [{ type: 'Warning', reason, message }]);
  const access = pullAccessOf({ ...options, files });
  const podFiles = new DiskFigures({ ...options, files });
  const images = new ImageGarbage({
    ...options,
    disks,
    warn,
    references: () =>
      pods().flatMap(({ pod }) => (pod.spec.volumes ?? []).flatMap(({ image }) => image?.reference ?? [])),
    known: (ids, at) => access.prune(ids, at),
    highPercent: config.imageGCHighPercent,
    lowPercent: config.imageGCLowPercent,
    minimumAgeMs: config.imageMinimumAgeMs,
    maximumAgeMs: config.imageMaximumAgeMs,
  });
  const eviction = new Eviction({ ...options, files, images, pods, disks, warn });
  return { disks, shutdown, health, joins, images, podFiles, access, eviction };
}

/** They look at times of their own, until the kubelet ends. */
export function startKeepers(
  options: KubeletOptions,
  keepers: NodeKeepers & Pick<EnforcementOptions, 'groups'>,
  pods: () => Logged,
): void {
  keepers.shutdown.start();
  startEnforcement({ ...options, groups: keepers.groups });
  if (keepers.eviction !== undefined) startEviction(options, keepers.eviction);
  if (keepers.images !== undefined) startImageGarbage(options, keepers.images);
  if (options.files !== undefined) startRotation(options, { files: options.files, pods });
}

function startRotation(
  options: KubeletOptions,
  of: { readonly files: NonNullable<KubeletOptions['files']>; readonly pods: () => Logged },
): void {
  const { runtime, clock, log, config } = options;
  const rotation = new LogRotation({
    ...{ runtime, clock, log, files: of.files },
    maxBytes: config.logMaxBytes,
    maxFiles: config.logMaxFiles,
  });
  options.scope.defer(() => rotation.close());
  // Never rejects: what cannot be rotated is told, log by log.
  every(options, config.logCheckPeriodMs, () => void rotation.look(openLogs(of.pods(), config)));
}

/** A look that takes long is not joined by another. */
function startEviction(options: KubeletOptions, eviction: Eviction): void {
  let checking = false;
  const check = (): void => {
    if (checking) return;
    checking = true;
    // Never rejects: what fails is told, and looked at again the next time.
    void eviction.check().finally(() => (checking = false));
  };
  check();
  every(options, options.config.sizeCheckPeriodMs, check);
}

function startImageGarbage(options: KubeletOptions, images: ImageGarbage): void {
  // Never rejects: what fails is told.
  every(options, options.config.imageGCPeriodMs, () => void images.look());
}

/** Acts again and again until the kubelet ends; 0: never. */
export function every(options: KubeletOptions, periodMs: number, act: () => void): void {
  const { clock, scope } = options;
  if (periodMs <= 0) return;
  const again = (): void => {
    if (scope.closing) return;
    act();
    timer = clock.after(periodMs, again, { background: true });
  };
  let timer = clock.after(periodMs, again, { background: true });
  scope.defer(() => timer.cancel());
}
