/**
 * One pod's life on the node, as a state machine with one worker per pod UID:
 *
 *   waiting ──begin──► syncing ──┬─ deletion, removal, deadline, rejection, terminal phase ──► terminating
 *                       │   ▲    │                                                               │
 *                       └─wake───┘                                    all containers are dead ───▼
 *                                                                                           terminated
 *                       the object is deleted or its source forgot it: all is cleared away ─────▼
 *                                                                                            finished
 *
 * Level-triggered: `wake` says "look again"; a pass sees, decides (plan.ts), acts (actor.ts), and tells (status.ts).
 * Any number of wakes during a pass make one more pass. Nothing here polls: timers are back-offs and deadlines.
 */
import { type Timer, messageOf } from '@binnacle/base';
import type { Pod, PodStatus } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import { isStatic } from '../container/static-pod.ts';
import { type ActorOwner, NotWanted, PodActor } from './actor.ts';
import { graceSeconds, killPod, stopSignal } from './killing.ts';
import { podDirectory, terminationFile } from './mounts.ts';
import { decidePod } from './plan.ts';
import { RuntimeView } from './runtime-view.ts';
import { type PodSeen, type StartProblem } from './seen.ts';
import { allContainers } from '../container/pod-containers.ts';
import { type PodStatusInput, podStatus } from './status.ts';
import { readTerminationMessage } from './termination-message.ts';
import { type ResizeClaim } from '../resize/fit.ts';
import { allocationOf, asksOtherwise } from '../resize/allocation.ts';
import { PodResizing } from './resizing.ts';
import type { MountedVolumes } from '../volume/volumes.ts';
import { unsupportedAsks } from './unsupported.ts';
import type { PodWorld, Rejection } from './world.ts';

export type WorkerState = 'waiting' | 'syncing' | 'terminating' | 'terminated' | 'finished';

export interface WorkerOptions {
  readonly pod: Pod;
  readonly world: PodWorld;
  /** The runtime may hold something of it from before. */
  readonly adopted: boolean;
  /** Told of each container and sandbox id of the pod. */
  readonly known: (id: string) => void;
  /** Called once when nothing of the pod is left on the node. */
  readonly finished: () => void;
}

const RETRY_MS = 10_000;
const DEADLINE_MESSAGE = 'Pod was active on the node longer than the specified deadline';
const NO_PROBLEMS: ReadonlyMap<string, StartProblem> = new Map();
const NO_MESSAGES: ReadonlyMap<string, string> = new Map();

export class PodWorker implements ActorOwner {
  readonly uid: string;
  readonly view: RuntimeView;
  readonly #world: PodWorld;
  readonly #actor: PodActor;
  readonly #finished: () => void;
  readonly #seenAt: number;
  #messages: Map<string, string> | undefined;
  /** Ids that events were about since the last look. */
  #touched: Set<string> | undefined;
  /** As its source has it. */
  #asked: Pod;
  /** With what its containers were given. */
  #pod: Pod;
  #resizing: PodResizing | undefined;
  #isRecalled: boolean;
  #state: WorkerState = 'waiting';
  #removed = false;
  #relist: boolean;
  #dirty = false;
  #running = false;
  #closed = false;
  #timer: Timer | undefined;
  #timerAt = Infinity;
  #admitted = false;
  /** Seconds that it has to end, where it was told to go. */
  #evictionGrace: number | undefined;
  #refused = '';
  #verdict: PodStatusInput['verdict'];

  constructor(options: WorkerOptions) {
    this.uid = options.pod.metadata.uid ?? '';
    this.#asked = options.pod;
    this.#pod = options.pod;
    this.#isRecalled = !options.adopted;
    this.#world = options.world;
    this.#finished = options.finished;
    this.#relist = options.adopted;
    // What ran here before was taken in before the kubelet restarted.
    this.#admitted = options.adopted;
    this.#seenAt = options.world.clock.now();
    this.view = new RuntimeView(options.world.runtime, this.uid, options.known);
    this.#actor = new PodActor(options.world, this);
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** Its source has it no more. */
  get removed(): boolean {
    return this.#removed;
  }

  /** It was taken in, or ran here before: new pods have to fit beside it. */
  get takesRoom(): boolean {
    return this.#admitted && this.#verdict === undefined && this.#state !== 'terminated' && this.#state !== 'finished';
  }

  /** With what its containers were given in place of what they ask for. */
  get pod(): Pod {
    return this.#pod;
  }

  /** As its containers have them. */
  get volumes(): MountedVolumes {
    return this.#actor.volumes;
  }

  /** Some of its volumes are made by programs of others. */
  get asksOthersForVolumes(): boolean {
    const { volumes = [] } = this.#pod.spec;
    return volumes.some(
      (v) => v.csi !== undefined || v.persistentVolumeClaim !== undefined || v.ephemeral !== undefined,
    );
  }

  /** Its resize that waits for room. */
  get resizeClaim(): ResizeClaim | undefined {
    return this.ending() ? undefined : this.#resizing?.claim(this.#asked);
  }

  /** The status as of now; computed anew at each call. */
  get status(): PodStatus {
    const terminal = this.#state === 'terminated' || this.#state === 'finished';
    return podStatus({
      seen: this.#seen(),
      runtimeName: this.#world.runtimeName(),
      terminationMessages: this.#messages ?? NO_MESSAGES,
      terminal,
      nowMs: this.#world.clock.now(),
      hostIPs: this.#world.hostIPs,
      seenAtMs: this.#seenAt,
      ...(this.#verdict === undefined ? {} : { verdict: this.#verdict }),
    });
  }

  begin(): void {
    if (this.#state === 'waiting') {
      this.#world.stateChanged(this.#pod, 'waiting', 'syncing');
      this.#state = 'syncing';
    }
    this.wake();
  }

  /** The source has a newer object. */
  update(pod: Pod): void {
    const before = this.#grace;
    // The downward API shows labels and annotations in files.
    if (!sameNotes(this.#pod, pod)) this.#actor.volumesChanged();
    this.#take(pod);
    const hasten = this.#state === 'terminating' && this.#grace < before;
    if (hasten) this.#hasten();
    if (this.ending()) this.#actor.interrupt();
    this.wake();
  }

  /** It takes what it must not have, or the node has too little: it is ended for good, at once if nothing is said. */
  evict(message: string, graceSeconds = 1): void {
    if (this.ending()) return;
    this.#evictionGrace = graceSeconds;
    this.#verdict = { phase: 'Failed', reason: 'Evicted', message, isDisruption: true };
    this.#world.events.pod(this.#pod, 'Warning', { reason: 'Evicted', message });
    this.#actor.interrupt();
    this.wake();
  }

  /** The source has it no more. */
  remove(pod: Pod): void {
    const before = this.#grace;
    this.#removed = true;
    if (this.#state === 'terminating' && this.#grace < before) this.#hasten();
    this.update(pod);
  }

  /** There may be room for what it asks for. */
  reconsiderResize(): void {
    this.#decideResize();
    this.wake();
  }

  /** An event about one of its containers or sandboxes. */
  touch(id: string): void {
    (this.#touched ??= new Set()).add(id);
    this.wake();
  }

  /** Events may have been lost. */
  relist(): void {
    this.#relist = true;
    this.wake();
  }

  /** An object that it refers to has changed. */
  changed(): void {
    this.#actor.volumesChanged();
    this.wake();
  }

  /** The kubelet stops: nothing is acted on any more, nothing is undone. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#actor.close();
    this.#world.objects?.release(this);
  }

  wake(): void {
    this.#dirty = true;
    if (this.#running || this.#closed || this.#state === 'waiting' || this.#state === 'finished') return;
    this.#running = true;
    // Never rejects: a step that fails is told and tried again.
    void this.#run();
  }

  again(): void {
    this.#dirty = true;
  }

  wakeIn(ms: number): void {
    const at = this.#world.clock.monotonic() + ms;
    if (at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#world.clock.after(ms, () => {
      this.#timerAt = Infinity;
      this.wake();
    });
  }

  ending(): boolean {
    const { metadata, status } = this.#pod;
    if (this.#closed || this.#removed || metadata.deletionTimestamp !== undefined) return true;
    if (this.#verdict !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
    return this.#deadlinePassed();
  }

  /**
   * Hands the status to the writer, which tells the API what differs. While the last words of a container that ended are
   * not read it waits for the next pass: who sees the end of a pod sees its message too.
   */
  publish(): { readonly ended: boolean } {
    if (this.view.containers.some((container) => this.#isUnheard(container))) {
      this.wake();
      return { ended: false };
    }
    const { status } = this;
    const twin = this.#world.apiTwin(this.#pod);
    if (twin !== undefined && !this.#removed) this.#world.statuses.publish(twin, status);
    return { ended: status.phase === 'Succeeded' || status.phase === 'Failed' };
  }

  /** An object of the API that is gone while its pod is here was deleted by force: nobody waits for it. */
  get #grace(): number {
    if (this.#removed && !isStatic(this.#pod)) return 1;
    return Math.min(this.#evictionGrace ?? Infinity, graceSeconds(this.#pod));
  }

  #seen(): PodSeen {
    return {
      pod: this.#pod,
      sandboxes: this.view.sandboxes,
      containers: this.view.containers,
      verdicts: this.#world.prober.verdicts(this.uid),
      problems: this.#actor.problems ?? NO_PROBLEMS,
      ...(this.#resizing === undefined ? {} : { resize: this.#resizing.seen(this.#pod, this.view) }),
    };
  }

  async #run(): Promise<void> {
    while (this.#dirty && !this.#closed && this.#state !== 'finished') {
      const held = this.#world.pass(this.#pod);
      if (held !== undefined) await held;
      if (this.#closed) break;
      this.#dirty = false;
      try {
        await this.#pass();
      } catch (error) {
        if (this.#closed) break;
        if (error instanceof NotWanted) continue;
        const { name } = this.#pod.metadata;
        this.#world.log.error(error, 'Error syncing pod, skipping', { pod: name, uid: this.uid });
        this.#relist = true;
        this.wakeIn(RETRY_MS);
      }
    }
    this.#running = false;
  }

  async #pass(): Promise<void> {
    await this.#look();
    switch (this.#state) {
      case 'syncing':
        return this.#sync();
      case 'terminating':
        return this.#terminate();
      case 'terminated':
        return this.#clear();
      case 'waiting':
      case 'finished':
        return undefined;
    }
  }

  /** Brings the view up to date, and reads the last words of containers that ended. */
  async #look(): Promise<void> {
    const touched = [...(this.#touched ?? [])];
    this.#touched = undefined;
    if (this.#relist) {
      this.#relist = false;
      await this.view.relist();
    } else {
      await Promise.all(touched.map((id) => this.view.refresh(id)));
    }
    if (!this.#isRecalled) await this.#recall();
    await this.#hear();
  }

  /** What it knew of the pod's resources before it started again. */
  async #recall(): Promise<void> {
    this.#resizing = await PodResizing.recall(this.#world, this.#asked, this.view);
    this.#isRecalled = true;
    this.#take(this.#asked);
    if (this.view.sandboxes[0]?.state === 'ready') await this.#world.groups.apply(this.#pod);
  }

  /** A definition, and from the first on that asks for other resources what they are given. */
  #take(asked: Pod): void {
    if (this.#resizing === undefined && this.#admitted && this.#isRecalled) {
      const given = allocationOf(this.#pod);
      if (asksOtherwise(asked, given)) this.#resizing = new PodResizing(this.#world, given);
    }
    this.#asked = asked;
    this.#pod = this.#resizing?.given(asked) ?? asked;
  }

  /** Synchronous: of two that ask for the same room one comes first. */
  #decideResize(): void {
    if (this.#resizing?.decide(this.#asked) !== true) return;
    this.#pod = this.#resizing.given(this.#asked);
    this.#world.roomChanged();
  }

  async #hear(): Promise<void> {
    for (const container of this.view.containers) {
      if (this.#isUnheard(container))
        (this.#messages ??= new Map()).set(container.id, await this.#lastWords(container));
    }
  }

  #isUnheard(container: ContainerStatus): boolean {
    return container.state === 'exited' && this.#messages?.has(container.id) !== true;
  }

  async #lastWords(container: ContainerStatus): Promise<string> {
    const spec = allContainers(this.#pod).find((c) => c.name === container.name);
    if (this.#world.files === undefined || spec === undefined) return '';
    const path = terminationFile(this.#world, this.#pod, container);
    return readTerminationMessage(this.#world.files, { path, spec, container });
  }

  async #sync(): Promise<void> {
    if (this.ending() || !(await this.#admit())) return this.#become('terminating');
    this.#decideResize();
    if (this.publish().ended) return this.#become('terminating');
    if (this.#refuses()) return undefined;
    this.#followProbes(false);
    await this.#resizing?.actuate(this.#pod, this.view);
    await this.#actor.carryOut(decidePod(this.#seen()));
    if ((await this.#resizing?.settle(this.#pod, this.view)) === 'again') this.wakeIn(RETRY_MS);
    this.#followProbes(false);
    await this.#hear();
    this.publish();
    return undefined;
  }

  #become(state: WorkerState): void {
    const { namespace = '', name = '' } = this.#pod.metadata;
    const pod = `${namespace}/${name}`;
    this.#world.log.info(4, 'Pod worker changes state', { pod, uid: this.uid, from: this.#state, to: state });
    this.#world.stateChanged(this.#pod, this.#state, state);
    this.#state = state;
    this.#dirty = true;
  }

  #deadlinePassed(): boolean {
    const { status, spec } = this.#pod;
    const deadline = spec.activeDeadlineSeconds;
    if (deadline === undefined) return false;
    const began = status?.startTime === undefined ? this.#seenAt : Date.parse(status.startTime);
    const left = began + deadline * 1000 - this.#world.clock.now();
    if (left > 0) {
      this.wakeIn(left);
      return false;
    }
    this.#verdict = { phase: 'Failed', reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE };
    this.#world.events.pod(this.#pod, 'Normal', { reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE });
    return true;
  }

  async #admit(): Promise<boolean> {
    if (this.#admitted) return true;
    // Its room is taken before anything is waited for: of two pods that want the same one comes first.
    const rejection = this.#world.admit(this.#pod);
    if (rejection !== undefined) return this.#reject(rejection);
    this.#admitted = true;
    const refusal = await this.#world.devices?.give(this.#pod);
    return refusal === undefined ? true : this.#reject(refusal);
  }

  #reject(rejection: Rejection): false {
    this.#verdict = { phase: 'Failed', ...rejection };
    this.#world.events.pod(this.#pod, 'Warning', rejection);
    return false;
  }

  /** Whether it asks for what is not built: visible, and held. */
  #refuses(): boolean {
    const asks = unsupportedAsks(this.#pod).join('; ');
    if (asks === this.#refused) return asks !== '';
    this.#refused = asks;
    const problem = { reason: 'Unsupported', message: `not supported by this kubelet: ${asks}` };
    for (const { name } of allContainers(this.#pod)) this.#actor.setProblem(name, asks === '' ? undefined : problem);
    if (asks !== '') this.#world.events.pod(this.#pod, 'Warning', problem);
    this.publish();
    return asks !== '';
  }

  async #terminate(): Promise<void> {
    this.#followProbes(true);
    this.publish();
    await killPod(this.#world, { pod: this.#pod, view: this.view, graceSeconds: this.#grace });
    await this.#look();
    this.#world.prober.forget(this.uid);
    this.#become('terminated');
    this.#world.devices?.release(this.uid);
    this.#world.roomChanged();
  }

  /** A shorter grace was asked for while containers are being stopped. */
  #hasten(): void {
    for (const container of this.view.containers) {
      if (container.state !== 'running') continue;
      this.#world.runtime.stopContainer(container.id, this.#grace, stopSignal(container)).catch((error: unknown) => {
        this.#world.log.warn('Failed to hasten the end of a container', { id: container.id, reason: messageOf(error) });
      });
    }
  }

  /** Frees what the pod held; when its object is deleted, nothing of it stays and the object goes too. */
  async #clear(): Promise<void> {
    this.publish();
    await this.#world.volumes.tearDown(this.uid);
    this.#world.objects?.release(this);
    if (!this.#removed && this.#pod.metadata.deletionTimestamp === undefined) return;
    const { runtime, files, statuses } = this.#world;
    await Promise.all(this.view.containers.map((c) => runtime.removeContainer(c.id)));
    await Promise.all(this.view.sandboxes.map((s) => runtime.removeSandbox(s.id)));
    await this.#world.removeRemains(this.#pod);
    await files?.remove(podDirectory(this.#world, this.#pod));
    await this.#world.groups.forget(this.#pod);
    const twin = this.#world.apiTwin(this.#pod);
    if (twin !== undefined) await statuses.flush(twin.metadata.uid ?? '');
    if (!this.#removed) await this.#world.deleteApiPod(this.#pod);
    this.#become('finished');
    this.#timer?.cancel();
    this.#actor.close();
    this.#finished();
  }

  #followProbes(ending: boolean): void {
    const { view } = this;
    const hostNetwork = this.#pod.spec.hostNetwork === true;
    const podIP = (hostNetwork ? this.#world.hostIPs[0] : view.sandboxes[0]?.ips[0]) ?? '';
    const changed = (): void => this.wake();
    this.#world.prober.follow({ pod: this.#pod, containers: view.containers, podIP, ending, changed });
  }
}

/** Whether two versions of a pod have the same labels and annotations. */
function sameNotes(before: Pod, after: Pod): boolean {
  return (
    sameEntries(before.metadata.labels, after.metadata.labels) &&
    sameEntries(before.metadata.annotations, after.metadata.annotations)
  );
}

function sameEntries(
  before: Readonly<Record<string, string>> = {},
  after: Readonly<Record<string, string>> = {},
): boolean {
  if (before === after) return true;
  const keys = Object.keys(before);
  return (
    keys.length === Object.keys(after).length &&
    keys.every((key) => Object.hasOwn(after, key) && before[key] === after[key])
  );
}
