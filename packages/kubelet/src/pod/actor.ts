import { isSidecar } from '@binnacle/api';
import { messageOf, utf8Prefix } from '@binnacle/base';
import type { Timer } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import { hasClaims } from '../claim/pod-claims.ts';
import { ContainerStartError, NotWanted, VolumeError, VolumesError } from '../errors.ts';
import type { ReferenceHolder } from '../ports.ts';
import type { MountedVolumes } from '../volume/volumes.ts';
import { beginAnew } from './begin-anew.ts';
import { removeTraces } from './clearing.ts';
import { pullProblems } from './image-volumes.ts';
import { graceSeconds, killContainer, killPod } from './killing.ts';
import type { PodPlan, StartOrder } from './plan.ts';
import type { RuntimeView } from './runtime-view.ts';
import { allContainers } from '../container/pod-containers.ts';
import { type StartProblem, podText } from './seen.ts';
import { startSandbox } from './sandbox.ts';
import { MESSAGE_BYTES_MAX } from './termination-message.ts';
import { type StartPlace, crashLoop, readyStarts, restartDelay, startContainer } from './starting.ts';
import { unsupportedAsks } from './unsupported.ts';
import type { PodWorld } from './world.ts';

/** What an actor asks of its worker. */
export interface ActorOwner extends ReferenceHolder {
  readonly pod: Pod;
  readonly view: RuntimeView;
  /** The pod is to end, or the kubelet stops. */
  readonly ending: () => boolean;
  /** Tells how the pod is, in the middle of something long. */
  publish(): void;
  wakeIn(ms: number): void;
  /** One more pass after this one. */
  again(): void;
}

const RETRY_MS = 10_000;
/** Of what passes by itself, as upstream's back-off on transient errors. */
const RETRY_SOON_MS = 1_000;
const NO_VOLUMES: MountedVolumes = new Map();
const NO_PROBLEMS: ReadonlyMap<string, StartProblem> = new Map();

/** Whether work on a pod stopped because the pod is to end, or to wait: nothing has failed. */
export function isNotWanted(error: unknown): boolean {
  return error instanceof NotWanted;
}

/** Carries out what was decided for one pod, and keeps why something could not be. */
export class PodActor {
  readonly #world: PodWorld;
  readonly #owner: ActorOwner;
  // Thousands of simulated pods live in one process: what most of them never need is made when needed.
  #problems: Map<string, StartProblem> | undefined;
  /** What each who waits for something long is woken by. */
  #interrupts: Set<(reason: NotWanted) => void> | undefined;
  #volumes: MountedVolumes | undefined;
  /** What they are made from may be another. */
  #volumesStale = true;
  /** By the monotonic clock: when those that failed, or are waited for, are looked at again; absent: none are. */
  #volumesRetryAt: number | undefined;
  #volumesTimer: Timer | undefined;
  /** Of containers whose volumes are images that could not be pulled, as it was told last. */
  #pullProblems = NO_PROBLEMS;
  /** Why it could not be joined to the network, as it was told last. */
  #unjoined: string | undefined;
  /** What was last told of that it asks for and nobody built. */
  #refused = '';

  constructor(world: PodWorld, owner: ActorOwner) {
    this.#world = world;
    this.#owner = owner;
  }

  get problems(): ReadonlyMap<string, StartProblem> {
    return this.#problems ?? NO_PROBLEMS;
  }

  /** As they were set up last. */
  get volumes(): MountedVolumes {
    return this.#volumes ?? NO_VOLUMES;
  }

  setProblem(name: string, problem: StartProblem | undefined): void {
    if (problem === undefined) this.#problems?.delete(name);
    // Engines, registries and hooks say what they like, and everybody who watches pods gets it.
    else
      (this.#problems ??= new Map()).set(name, { ...problem, message: utf8Prefix(problem.message, MESSAGE_BYTES_MAX) });
  }

  /** The content of volumes may be another now. */
  volumesChanged(): void {
    this.#volumesStale = true;
  }

  /** Ends the waiting for what takes long: a pull, a hook. */
  interrupt(): void {
    for (const interrupt of this.#interrupts ?? []) interrupt(new NotWanted());
  }

  close(): void {
    this.#volumesTimer?.cancel();
    this.interrupt();
  }

  /** Whether the pod asks for what is not built: visible, and held. */
  refuses(): boolean {
    const { pod } = this.#owner;
    const asks = unsupportedAsks(pod, this.#world.config.featureGates).join('; ');
    if (asks === this.#refused) return asks !== '';
    this.#refused = asks;
    const problem = { reason: 'Unsupported', message: `not supported by this kubelet: ${asks}` };
    for (const { name } of allContainers(pod)) this.setProblem(name, asks === '' ? undefined : problem);
    if (asks !== '') this.#world.events.pod(pod, 'Warning', problem);
    this.#owner.publish();
    return asks !== '';
  }

  /** Throws NotWanted when the pod is to end meanwhile, or has to wait for its volumes. */
  async carryOut(plan: PodPlan): Promise<void> {
    if (plan.restartAll) return this.#beginAnew();
    if (plan.createSandbox !== undefined) await this.#whenJoinable();
    await this.#refreshVolumes();
    const { pod, view } = this.#owner;
    const world = this.#world;
    // Newest first: of one name, the newest stays.
    const exits = new Map(
      view.containers
        .filter((c) => c.state === 'exited')
        .toReversed()
        .map((c) => [c.name, c]),
    );
    if (plan.sandboxChanged) {
      const message = 'Pod sandbox changed, it will be killed and re-created.';
      world.events.pod(pod, 'Normal', { reason: 'SandboxChanged', message });
    }
    if (plan.killPod) await killPod(world, { pod, view, graceSeconds: graceSeconds(pod) });
    await Promise.all(plan.kill.map((order) => this.#kill(order)));
    const place = await this.#sandboxed(this.#place(exits), plan);
    if (plan.start.length > 0) await this.#whenHeld();
    for (const order of plan.start) await this.#start(place, order);
  }

  async #beginAnew(): Promise<void> {
    const { pod, view } = this.#owner;
    await beginAnew(this.#world, pod, view);
    this.#problems?.clear();
    this.#owner.again();
  }

  /** The place with a sandbox, and with what could be done for the containers meanwhile. */
  async #sandboxed(place: StartPlace, plan: PodPlan): Promise<StartPlace> {
    if (plan.createSandbox === undefined) return place;
    await this.#prepareClaims();
    const containers = plan.start.map((order) => order.container);
    // Neither goes on by itself.
    const [made, readied] = await Promise.allSettled([
      startSandbox(this.#world, place, plan.createSandbox),
      readyStarts(this.#world, place, containers),
    ]);
    if (made.status === 'rejected') throw made.reason;
    await this.#pruneSandboxes();
    return readied.status === 'fulfilled' ? { ...place, readied: readied.value } : place;
  }

  /** Throws NotWanted where the pod cannot be joined to the network yet. */
  async #whenJoinable(): Promise<void> {
    const { joins, events } = this.#world;
    const { pod } = this.#owner;
    if (pod.spec?.hostNetwork === true) return;
    const trouble = await joins.trouble();
    const isTold = trouble === this.#unjoined;
    this.#unjoined = trouble;
    if (trouble === undefined) return;
    const message = `network is not ready: ${trouble}`;
    if (!isTold) events.pod(pod, 'Warning', { reason: 'NetworkNotReady', message });
    this.#owner.wakeIn(RETRY_SOON_MS);
    this.#owner.publish();
    throw new NotWanted();
  }

  /** Nothing of a pod runs before policies hold it back. */
  async #whenHeld(): Promise<void> {
    const { policies, events } = this.#world;
    const { pod, view } = this.#owner;
    if (policies === undefined || pod.spec?.hostNetwork === true) return;
    try {
      await this.orInterrupted(policies.whenHeld(pod, view.sandboxes[0]?.ips ?? []));
    } catch (error) {
      if (error instanceof NotWanted) throw error;
      const message = `network policies do not hold the pod yet: ${messageOf(error)}`;
      events.pod(pod, 'Warning', { reason: 'NetworkNotReady', message });
      this.#owner.wakeIn(RETRY_MS);
      this.#owner.publish();
      throw new NotWanted();
    }
  }

  /** Devices by claims are ready before anything of the pod is there. Throws NotWanted where they cannot be. */
  async #prepareClaims(): Promise<void> {
    const { claims, events } = this.#world;
    const { pod } = this.#owner;
    if (claims === undefined || !hasClaims(pod)) return;
    try {
      await claims.prepare(pod);
    } catch (error) {
      const message = `Failed to prepare dynamic resources: ${messageOf(error)}`;
      events.pod(pod, 'Warning', { reason: 'FailedPrepareDynamicResources', message });
      this.#owner.wakeIn(RETRY_MS);
      this.#owner.publish();
      throw new NotWanted();
    }
  }

  async #refreshVolumes(): Promise<void> {
    const isNew = this.#volumesStale;
    const now = this.#world.clock.monotonic();
    if (!isNew && this.#volumesRetryAt === undefined) return;
    if (!isNew && now < (this.#volumesRetryAt ?? 0)) return this.#withoutVolumes();
    this.#volumesStale = false;
    this.#volumesRetryAt = undefined;
    const { pod } = this.#owner;
    try {
      const { volumes, refreshAt } = await this.#world.volumes.setUp(pod, {
        holder: this.#owner,
        orInterrupted: (work) => this.orInterrupted(work),
        isNew,
        hadBefore: this.#volumes !== undefined,
      });
      this.#volumes = volumes;
      this.#tellPulls(NO_PROBLEMS);
      const { namespace = '', name = '' } = pod.metadata;
      const names = [...volumes.keys()];
      if (names.length > 0)
        this.#world.log.info(4, 'Volumes are set up', { pod: `${namespace}/${name}`, volumes: names });
      if (refreshAt !== undefined) this.#refreshVolumesAt(refreshAt);
    } catch (error) {
      if (!(error instanceof VolumeError)) {
        this.#volumesStale = true;
        throw error;
      }
      const { told, retryMs, pulls } =
        error instanceof VolumesError ? error : { told: [], retryMs: RETRY_MS, pulls: new Map() };
      for (const message of told) this.#world.events.pod(pod, 'Warning', { reason: 'FailedMount', message });
      this.#volumesRetryAt = this.#world.clock.monotonic() + retryMs;
      this.#owner.wakeIn(retryMs);
      if (this.#volumes === undefined) this.#tellPulls(pullProblems(pod, pulls));
      this.#withoutVolumes();
    }
  }

  /** Who waits for the image of a volume, in the place of those who did. */
  #tellPulls(problems: ReadonlyMap<string, StartProblem>): void {
    for (const name of this.#pullProblems.keys()) this.setProblem(name, undefined);
    for (const [name, problem] of problems) this.setProblem(name, problem);
    this.#pullProblems = problems;
  }

  /** What is mounted stays as it is; only a pod that has nothing yet must wait. */
  #withoutVolumes(): void {
    if (this.#volumes !== undefined) return;
    this.#owner.publish();
    throw new NotWanted();
  }

  #refreshVolumesAt(at: number): void {
    const { clock } = this.#world;
    this.#volumesTimer?.cancel();
    const wait = Math.max(1_000, at - clock.now());
    this.#volumesTimer = clock.after(wait, () => this.#owner.changed(), { background: true });
  }

  async #kill(order: PodPlan['kill'][number]): Promise<void> {
    const { pod, view } = this.#owner;
    const container = view.container(order.id);
    if (container?.state !== 'running') return;
    const grace = order.graceSeconds ?? graceSeconds(pod);
    await killContainer(this.#world, container, { pod, view, graceSeconds: grace, message: order.message });
  }

  #place(exits: ReadonlyMap<string, ContainerStatus>): StartPlace {
    const owner = this.#owner;
    return {
      pod: owner.pod,
      view: owner.view,
      volumes: this.#volumes ?? NO_VOLUMES,
      holder: owner,
      lastExit: (name) => exits.get(name) ?? takenAway(owner.view, name),
      pulling: () => owner.publish(),
      orInterrupted: (work) => this.orInterrupted(work),
      stillWanted: () => {
        if (!owner.ending()) return;
        owner.again();
        throw new NotWanted();
      },
    };
  }

  /** Waits for work that may take long; throws NotWanted as soon as the pod is to end. The work goes on by itself then. */
  async orInterrupted<T>(work: Promise<T>): Promise<T> {
    const { promise: interrupted, reject } = Promise.withResolvers<never>();
    const interrupts = (this.#interrupts ??= new Set());
    interrupts.add(reject);
    // Its end may have been asked for before anybody waited here: nobody asks again.
    if (this.#owner.ending()) {
      this.#owner.again();
      reject(new NotWanted());
    }
    try {
      return await Promise.race([interrupted, work]);
    } finally {
      interrupts.delete(reject);
    }
  }

  async #start(place: StartPlace, order: StartOrder): Promise<void> {
    const { container } = order;
    place.stillWanted();
    const delay = restartDelay(this.#world, place, container);
    try {
      if (delay > 0) this.#backOff(container);
      await startContainer(this.#world, place, container);
      this.setProblem(container.name, undefined);
      // The next init container waits for no event.
      if (order.role === 'init' && isSidecar(container as Container)) this.#owner.again();
      if (place.lastExit(container.name) !== undefined) await this.#prune(container.name);
    } catch (error) {
      if (!(error instanceof ContainerStartError) || error instanceof NotWanted) throw error;
      // One that never starts leaves one at each try.
      if (delay === 0) await this.#prune(container.name);
      this.setProblem(container.name, { reason: error.reason, message: error.message });
      const pull = this.#world.images.retryIn(place.pod, container);
      this.#owner.wakeIn(Math.max(1, delay > 0 ? delay : pull > 0 ? pull : RETRY_MS));
    }
  }

  #backOff(container: Container): never {
    const { pod } = this.#owner;
    const error = crashLoop(this.#world, pod, container);
    if (this.#problems?.get(container.name)?.message !== error.message) {
      const message = `Back-off restarting failed container ${container.name} in pod ${podText(pod)}`;
      this.#world.events.pod(pod, 'Warning', { reason: 'BackOff', message, container: container.name });
    }
    throw error;
  }

  /** Of each container one dead predecessor is kept, for its state and log; and no sandbox that holds nothing. */
  async #prune(name: string): Promise<void> {
    const { view, pod } = this.#owner;
    const { runtime } = this.#world;
    for (const container of outlived(view.containers.filter((c) => c.name === name))) {
      await view.remove(container.id, () => runtime.removeContainer(container.id));
      await removeTraces(this.#world, pod, container);
    }
    await this.#pruneSandboxes();
  }

  async #pruneSandboxes(): Promise<void> {
    const { view } = this.#owner;
    for (const sandbox of view.sandboxes.slice(1)) {
      if (sandbox.state === 'ready' || view.containers.some((c) => c.sandboxId === sandbox.id)) continue;
      await view.remove(sandbox.id, () => this.#world.runtime.removeSandbox(sandbox.id));
    }
  }
}

/** What was there before all began anew, as long as nothing has come in its place. */
function takenAway(view: RuntimeView, name: string): ContainerStatus | undefined {
  const taken = view.takenAway?.get(name);
  return taken === undefined || view.containers.some((c) => c.name === name) ? undefined : taken;
}

/** Those of one name, newest first, that nobody asks for any more: all that ended but the last, and what was made and never began. */
function outlived(containers: readonly ContainerStatus[]): readonly ContainerStatus[] {
  const [newest] = containers;
  const last = containers.find(({ state }) => state === 'exited');
  return containers.filter(
    (one) => one !== newest && one !== last && (one.state === 'exited' || one.state === 'created'),
  );
}
