import { coalesced } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { Runtime, RuntimeEvent } from '@binnacle/runtime';
import { hasClaims } from '../claim/pod-claims.ts';
import { isPodUid } from '../container/pod-uid.ts';
import { isStatic } from '../container/static-pod.ts';
import { SharedCpus } from '../cpu/shared-cpus.ts';
import { leftPods, removeFolders } from './left-folders.ts';
import { clearOrphan, listRuntimePods } from './orphans.ts';
import type { RuntimePod } from './orphans.ts';
import type { PodWorld } from './world.ts';
import { resizeOrder } from '../resize/fit.ts';
import { podGroups } from '../container/resources.ts';
import { PodWorker } from './worker.ts';

export interface PodsOptions {
  readonly world: PodWorld;
  readonly runtime: Runtime;
  readonly log: Logger;
}

/** The workers of one node: brings pods from the sources and events from the runtime to them. */
export class Pods {
  readonly #options: PodsOptions;
  readonly #workers = new Map<string, PodWorker>();
  readonly #owners = new Map<string, PodWorker>();
  /** What was in the runtime before, not claimed by a pod yet. */
  readonly #found = new Map<string, RuntimePod>();
  readonly #shared: SharedCpus | undefined;
  #sourcesReady = false;
  readonly #clearing = coalesced(() => this.#clearAllLost());

  constructor(options: PodsOptions) {
    this.#options = options;
    const { world, runtime, log } = options;
    const { cpus } = world.given;
    this.#shared = cpus === undefined ? undefined : new SharedCpus({ cpus, runtime, log, pods: () => this.all });
  }

  /** Looks at what is in the runtime from before; comes before any source is followed. */
  async adopt(): Promise<void> {
    for (const [uid, pod] of await listRuntimePods(this.#options.runtime)) this.#found.set(uid, pod);
  }

  get all(): readonly PodWorker[] {
    return [...this.#workers.values()];
  }

  /**
   * What a new pod has to fit beside, but for one of them: in one pass. As upstream: who comes after a deletion by force does not
   * hear of what is still being stopped.
   */
  takingRoom(except?: string): readonly Pod[] {
    const others: Pod[] = [];
    for (const worker of this.#workers.values()) {
      if (!worker.takesRoom || worker.removed) continue;
      const { pod } = worker;
      if (pod.metadata.uid !== except) others.push(pod);
    }
    return others;
  }

  /** The worker that a container or a sandbox belongs to. */
  owner(id: string): PodWorker | undefined {
    return this.#owners.get(id);
  }

  worker(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  /** By `namespace/name`; the newest where an older one of that name is still ending. */
  find(namespace: string, name: string): PodWorker | undefined {
    return this.all.findLast((w) => w.pod.metadata.namespace === namespace && w.pod.metadata.name === name);
  }

  upsert(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const worker = this.#workers.get(uid);
    if (worker !== undefined) return worker.update(pod);
    const made = this.#make(pod);
    this.#workers.set(uid, made);
    // A static pod that replaces another waits until that one is gone.
    if (this.#namesake(made) === undefined) made.begin();
    return undefined;
  }

  remove(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const worker = this.#workers.get(uid);
    if (worker === undefined) return;
    if (worker.state === 'finished' || worker.state === 'waiting') this.#drop(worker);
    else worker.remove(pod);
  }

  /** All sources have said what they have: what nobody claimed is an orphan, and may be ended. */
  sourcesReady(): void {
    if (this.#sourcesReady) return;
    this.#sourcesReady = true;
    const claimed = new Set([...this.#workers.keys(), ...this.#found.keys()]);
    this.#found.clear();
    this.sharedCpusChanged();
    this.#options.world.given.retain(claimed);
    this.#clearLost();
  }

  /**
   * Ends what nobody knows any more, and clears away what pods left that ended while no kubelet was here: a runtime may
   * finish a sandbox whose kubelet was killed after the next one has looked.
   */
  #clearLost(): void {
    // Never rejects: what fails is told, and tried again with the next relist.
    if (this.#sourcesReady) void this.#clearing();
  }

  async #clearAllLost(): Promise<void> {
    const { world, runtime, log } = this.#options;
    try {
      const running = await listRuntimePods(runtime);
      const folders = world.files === undefined ? [] : await leftPods(world, world.files);
      const prepared = world.claims?.pods ?? [];
      const lost = [...new Set([...running.keys(), ...folders, ...prepared])].filter(
        (uid) => isPodUid(uid) && !this.#workers.has(uid),
      );
      await Promise.all(lost.map((uid) => this.#clearOne(uid, running.get(uid))));
    } catch (error) {
      log.error(error, 'Failed to look for what pods left');
    }
  }

  event(event: RuntimeEvent): void {
    const worker = this.#owners.get(event.containerId);
    if (worker === undefined) {
      // A container of one of our pods that we did not make, or whose making has not been answered yet.
      if (event.podUid !== undefined && event.type === 'stopped') this.#workers.get(event.podUid)?.relist();
      return;
    }
    // What we did ourselves is known already.
    if ((event.type === 'created' || event.type === 'started') && worker.view.foresees(event.containerId)) return;
    worker.touch(event.containerId);
  }

  /** Volumes and devices that could not be made ready, or not cleared away, may be by now. */
  pluginCame(): void {
    for (const worker of this.#workers.values()) if (asksPlugins(worker.pod)) worker.changed();
    this.#clearLost();
  }

  /** Containers without CPUs of their own have others now. */
  sharedCpusChanged(): void {
    // Never rejects: what cannot be moved is told.
    void this.#shared?.changed();
  }

  relistAll(): void {
    for (const worker of this.#workers.values()) worker.relist();
    this.#clearLost();
  }

  /** Ends a pod for one that the node cannot do without, in upstream's words. Resolves when it is off the node. */
  async preempt(pod: Pod): Promise<void> {
    const worker = this.#workers.get(pod.metadata.uid ?? '');
    worker?.end({
      reason: 'Preempting',
      message: 'Preempted in order to admit critical pod',
      disruption: 'Pod was preempted by Kubelet to accommodate a critical pod.',
      graceSeconds: Infinity,
    });
    await worker?.cleared;
  }

  /** Resizes that wait for room are looked at again, one after the other. */
  reconsiderResizes(): void {
    const waiting = this.all.flatMap((worker) => {
      const claim = worker.resizeClaim;
      return claim === undefined ? [] : [{ worker, claim }];
    });
    for (const { worker } of waiting.toSorted((a, b) => resizeOrder(a.claim, b.claim))) worker.reconsiderResize();
  }

  close(): void {
    for (const worker of this.#workers.values()) worker.close();
  }

  #make(pod: Pod): PodWorker {
    const uid = pod.metadata.uid ?? '';
    const adopted = this.#found.delete(uid);
    const worker: PodWorker = new PodWorker({
      pod,
      world: this.#options.world,
      adopted,
      ids: { known: (id) => this.#owners.set(id, worker), gone: (id) => this.#owners.delete(id) },
      finished: () => this.#finished(worker),
    });
    return worker;
  }

  #finished(worker: PodWorker): void {
    for (const id of worker.view.ids) this.#owners.delete(id);
    if (worker.removed) this.#drop(worker);
    const { namespace, name } = worker.pod.metadata;
    const next = this.all.find(
      (w) => w.state === 'waiting' && w.pod.metadata.namespace === namespace && w.pod.metadata.name === name,
    );
    if (next !== undefined && this.#namesake(next) === undefined) next.begin();
  }

  #drop(worker: PodWorker): void {
    worker.close();
    this.#workers.delete(worker.uid);
    this.#options.world.statuses.forget(worker.uid);
  }

  /** Another pod of the same name that still has something here; names of static pods are all that may clash. */
  #namesake(worker: PodWorker): PodWorker | undefined {
    if (!isStatic(worker.pod)) return undefined;
    const { namespace, name } = worker.pod.metadata;
    return this.all.find(
      (w) =>
        w !== worker &&
        w.state !== 'finished' &&
        w.state !== 'waiting' &&
        w.pod.metadata.namespace === namespace &&
        w.pod.metadata.name === name,
    );
  }

  /** Its folders go last: while they are there it is known that there is something to clear away. */
  async #clearOne(uid: string, pod: RuntimePod | undefined): Promise<void> {
    const { runtime, log, world } = this.#options;
    try {
      if (pod !== undefined) {
        log.info(2, 'Ending a pod that nobody knows any more', { uid });
        await clearOrphan(runtime, pod);
      }
      await world.claims?.release(uid);
      await world.volumes.tearDown(uid);
      for (const group of podGroups(world.config.cgroupRoot, uid)) await world.machine.removeCgroup(group);
      await world.given.users.release(uid);
      if (world.files !== undefined) await removeFolders(world, world.files, uid);
    } catch (error) {
      log.error(error, 'Failed to clear away a pod that nobody knows any more', { uid });
    }
  }
}

/** Some of its volumes, or devices, are made ready by programs of others. */
function asksPlugins(pod: Pod): boolean {
  const { volumes = [] } = pod.spec;
  return (
    hasClaims(pod) ||
    volumes.some((v) => v.csi !== undefined || v.persistentVolumeClaim !== undefined || v.ephemeral !== undefined)
  );
}
