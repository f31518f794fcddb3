import type { CountFigure, FigureMeasures } from '@binnacle/base';
import { parseCsiVolumeName } from '@binnacle/api';
import { holdsVolumes, isManaged } from './volumes.ts';
import type { AttachableVolumes, VolumeCaches } from './volumes.ts';

/** Volumes that were taken from nodes which did not let them go: their time was up, or they are out of service. */
export function forcedDetaches(figures: FigureMeasures): CountFigure {
  return figures.counter({
    name: 'attach_detach_controller_attachdetach_controller_forced_detaches',
    help: 'Volumes that were taken from nodes which did not let them go.',
    labels: ['reason'],
  });
}

/** Counts volumes of drivers whenever somebody asks (pkg/controller/volume/attachdetach/metrics). Answers how to end that. */
export function showAttachable(figures: FigureMeasures, caches: VolumeCaches, volumes: AttachableVolumes): () => void {
  const total = figures.gauge({
    name: 'attachdetach_controller_total_volumes',
    help: 'Volumes on nodes, as they are and as they should be.',
    labels: ['plugin_name', 'state'],
  });
  const inUse = figures.gauge({
    name: 'storage_count_attachable_volumes_in_use',
    help: 'Volumes that pods of a node use.',
    labels: ['node', 'volume_plugin'],
  });
  return figures.beforeShown(() => {
    total.clear();
    inUse.clear();
    const [used, totals] = [new Tally(), new Tally()];
    const wanted = new Set<string>();
    for (const pod of caches.pods.list()) {
      const { nodeName = '' } = pod.spec;
      if (nodeName === '') continue;
      const node = caches.nodes.get(nodeName);
      const mayAttach = node !== undefined && isManaged(node) && holdsVolumes(pod);
      for (const name of volumes.ofPod(pod)) {
        used.add([nodeName, pluginOf(name)]);
        if (mayAttach && attaches(name, caches)) wanted.add(`${nodeName} ${name}`);
      }
    }
    for (const one of wanted) totals.add([pluginOf(one.slice(one.indexOf(' ') + 1)), 'desired_state_of_world']);
    for (const one of caches.attachments.list()) {
      const name = one.status?.attached === true ? volumes.ofAttachment(one) : undefined;
      if (name !== undefined) totals.add([pluginOf(name), 'actual_state_of_world']);
    }
    used.each((values, count) => inUse.set(values, count));
    totals.each((values, count) => total.set(values, count));
  });
}

class Tally {
  readonly #counts = new Map<string, { readonly values: readonly string[]; count: number }>();

  add(values: readonly string[]): void {
    const key = values.join(' ');
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { values, count: 1 });
    else known.count++;
  }

  each(tell: (values: readonly string[], count: number) => void): void {
    for (const { values, count } of this.#counts.values()) tell(values, count);
  }
}

function attaches(volume: string, { drivers }: VolumeCaches): boolean {
  return drivers.get(parseCsiVolumeName(volume)?.driver ?? '')?.spec.attachRequired !== false;
}

function pluginOf(volume: string): string {
  return `kubernetes.io/csi:${parseCsiVolumeName(volume)?.driver ?? ''}`;
}
