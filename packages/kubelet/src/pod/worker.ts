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
import type { Pod, PodStatus } from '@binnacle/api/core/v1';
import { isStatic } from '../container/static-pod.ts';
import { Admittance } from './admittance.ts';
import { type ActorOwner, PodActor, isNotWanted } from './actor.ts';
import { clearAway, discardDead } from './clearing.ts';
import { graceSeconds, hastenEnd, killPod } from './killing.ts';
import { EarlyEnd, type PodEnd } from './early-end.ts';
import { LastWords } from './last-words.ts';
import { PassLoop } from './pass-loop.ts';
import { decidePod } from './plan.ts';
import { RuntimeView, type ViewedIds } from './runtime-view.ts';
import type { PodSeen } from './seen.ts';
import { podStatus } from './status.ts';
import { differsInStatusAlone, sameForVolumes } from './pod-versions.ts';
import { type ResizeClaim } from '../resize/fit.ts';
import { ResizablePod } from './resizable-pod.ts';
import type { MountedVolumes } from '../volume/volumes.ts';
import type { PodWorld } from './world.ts';

export type WorkerState = 'waiting' | 'syncing' | 'terminating' | 'terminated' | 'finished';

export interface WorkerOptions {
  readonly pod: Pod;
  readonly world: PodWorld;
  /** The runtime may hold something of it from before. */
  readonly adopted: boolean;
  /** Told of each container and sandbox id of the pod. */
  readonly ids: ViewedIds;
  /** Called once when nothing of the pod is left on the node. */
  readonly finished: () => void;
}

const RETRY_MS = 10_000;

export class PodWorker implements ActorOwner {
  readonly uid: string;
  readonly view: RuntimeView;
  readonly #world: PodWorld;
  readonly #actor: PodActor;
  readonly #finished: () => void;
  readonly #seenAt: number;
  readonly #resizable: ResizablePod;
  readonly #admittance: Admittance;
  readonly #lastWords: LastWords;
  readonly #earlyEnd: EarlyEnd;
  readonly #loop: PassLoop;
  #state: WorkerState = 'waiting';
  #removed = false;
  #closed = false;
  readonly #cleared = Promise.withResolvers<void>();
  #isCleared = false;

  constructor(options: WorkerOptions) {
    this.uid = options.pod.metadata.uid ?? '';
    this.#world = options.world;
    this.#resizable = new ResizablePod(options.world, options.pod, !options.adopted);
    this.#lastWords = new LastWords(options.world);
    this.#earlyEnd = new EarlyEnd(options.world);
    this.#loop = new PassLoop(options.world.clock, {
      held: () => options.world.pass(this.#pod),
      pass: () => this.#pass(),
      failed: (error) => this.#failed(error),
    });
    this.#finished = options.finished;
    this.#admittance = new Admittance(options.world, options.adopted);
    this.#seenAt = options.world.clock.now();
    this.view = new RuntimeView(options.world.runtime, this.uid, options.ids);
    if (options.adopted) this.view.doubt();
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
    if (!this.#admittance.isGiven || this.#earlyEnd.verdict !== undefined) return false;
    return this.#state !== 'terminated' && this.#state !== 'finished';
  }

  /** With what its containers were given in place of what they ask for. */
  get pod(): Pod {
    return this.#resizable.given;
  }

  /** As its containers have them. */
  get volumes(): MountedVolumes {
    return this.#actor.volumes;
  }

  /** Its resize that waits for room. */
  get resizeClaim(): ResizeClaim | undefined {
    return this.ending() ? undefined : this.#resizable.claim;
  }

  /** The status as of now; computed anew at each call. */
  get status(): PodStatus {
    const { verdict } = this.#earlyEnd;
    const terminal = this.#state === 'terminated' || this.#state === 'finished';
    return podStatus({
      seen: this.#seen(),
      runtimeName: this.#world.runtimeName(),
      terminationMessages: this.#lastWords.messages,
      terminal,
      nowMs: this.#world.clock.now(),
      hostIPs: this.#world.hostIPs,
      seenAtMs: this.#seenAt,
      ...(verdict === undefined ? {} : { verdict }),
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
    const isEcho = this.#isEcho(pod);
    if (!sameForVolumes(this.#pod, pod)) this.#actor.volumesChanged();
    this.#resizable.take(pod, this.#admittance.isGiven);
    const hasten = this.#state === 'terminating' && this.#grace < before;
    if (hasten) hastenEnd(this.#world, this.view, this.#grace);
    if (this.ending()) this.#actor.interrupt();
    if (!isEcho) this.wake();
  }

  /** What we told comes back, and nothing else is new: a pass over it would see, decide and tell what the last one did. */
  #isEcho(pod: Pod): boolean {
    const { phase } = pod.status ?? {};
    if (this.#state !== 'syncing' || (phase !== 'Running' && phase !== 'Pending')) return false;
    if (!differsInStatusAlone(this.#resizable.asked, pod)) return false;
    return this.#world.statuses.acknowledge(pod, () => this.wake());
  }

  /** It takes what it must not have, or the node has too little: it is ended for good, at once if nothing is said. */
  evict(message: string, graceSeconds = 1): void {
    this.end({ reason: 'Evicted', message, graceSeconds });
  }

  /** The node ends it for good; what ends anyway goes on as it is. */
  end(end: PodEnd): void {
    if (this.ending()) return;
    this.#earlyEnd.end(this.#pod, end);
    this.#actor.interrupt();
    this.wake();
  }

  /** Makes room by what is dead of it; its status stays. What ended by itself, and is not told yet, only its containers know. */
  async discardDead(): Promise<number> {
    if (this.#state === 'finished') return 0;
    const isOver = this.#state === 'terminated' && this.publish().ended && this.#isKnown;
    return discardDead(this.#world, { pod: this.#pod, view: this.view, isOver });
  }

  /** Resolves when its containers are gone and its volumes are off the node. */
  get cleared(): Promise<void> {
    return this.#cleared.promise;
  }

  get isCleared(): boolean {
    return this.#isCleared;
  }

  /** The source has it no more. */
  remove(pod: Pod): void {
    const before = this.#grace;
    this.#removed = true;
    if (this.#state === 'terminating' && this.#grace < before) hastenEnd(this.#world, this.view, this.#grace);
    this.update(pod);
  }

  /** There may be room for what it asks for. */
  reconsiderResize(): void {
    this.#resizable.decide();
    this.wake();
  }

  /** An event about one of its containers or sandboxes. */
  touch(id: string): void {
    this.view.touch(id);
    this.wake();
  }

  /** Events may have been lost. */
  relist(): void {
    this.view.doubt();
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
    this.#loop.close();
    this.#actor.close();
    this.#world.objects?.release(this);
  }

  wake(): void {
    if (this.#state !== 'waiting') this.#loop.wake();
  }

  again(): void {
    this.#loop.again();
  }

  wakeIn(ms: number): void {
    this.#loop.wakeIn(ms);
  }

  ending(): boolean {
    const { metadata, status } = this.#pod;
    if (this.#closed || this.#removed || metadata.deletionTimestamp !== undefined) return true;
    if (this.#earlyEnd.verdict !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed')
      return true;
    const leftMs = this.#earlyEnd.checkDeadline(this.#pod, this.#seenAt);
    if (leftMs > 0 && leftMs < Infinity) this.wakeIn(leftMs);
    return leftMs === 0;
  }

  /**
   * Hands the status to the writer, which tells the API what differs. While the last words of a container that ended are
   * not read it waits for the next pass: who sees the end of a pod sees its message too.
   */
  publish(): { readonly ended: boolean } {
    if (this.#lastWords.areMissing(this.view.containers)) {
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
    return Math.min(this.#earlyEnd.graceSeconds, graceSeconds(this.#pod));
  }

  /** How it ended does not have to be asked of its containers again. */
  get #isKnown(): boolean {
    const { statuses, apiTwin } = this.#world;
    return this.#earlyEnd.verdict !== undefined || statuses.isTold(apiTwin(this.#pod)?.metadata.uid ?? '');
  }

  get #pod(): Pod {
    return this.#resizable.given;
  }

  #seen(): PodSeen {
    const resize = this.#resizable.seen(this.view);
    return {
      pod: this.#pod,
      sandboxes: this.view.sandboxes,
      containers: this.view.containers,
      verdicts: this.#world.prober.verdicts(this.uid),
      problems: this.#actor.problems,
      ...(resize === undefined ? {} : { resize }),
      ...(this.view.takenAway === undefined ? {} : { takenAway: this.view.takenAway }),
    };
  }

  #failed(error: unknown): void {
    if (isNotWanted(error)) return;
    const { name } = this.#pod.metadata;
    this.#world.log.error(error, 'Error syncing pod, skipping', { pod: name, uid: this.uid });
    this.view.doubt();
    this.wakeIn(RETRY_MS);
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
    await this.view.look();
    if (!this.#resizable.isRecalled) {
      await this.#resizable.recall(this.view);
      if (this.view.sandboxes[0]?.state === 'ready') await this.#world.groups.apply(this.#pod);
    }
    await this.#lastWords.hear(this.#pod, this.view.containers);
  }

  async #sync(): Promise<void> {
    if (this.ending() || !(await this.#admit())) return this.#become('terminating');
    this.#resizable.decide();
    if (this.publish().ended) return this.#become('terminating');
    if (this.#actor.refuses()) return undefined;
    this.#followProbes(false);
    await this.#resizable.actuate(this.view);
    await this.#actor.carryOut(decidePod(this.#seen()));
    if ((await this.#resizable.settle(this.view)) === 'again') this.wakeIn(RETRY_MS);
    this.#followProbes(false);
    await this.#lastWords.hear(this.#pod, this.view.containers);
    this.publish();
    return undefined;
  }

  #become(state: WorkerState): void {
    const { namespace = '', name = '' } = this.#pod.metadata;
    const pod = `${namespace}/${name}`;
    this.#world.log.info(4, 'Pod worker changes state', { pod, uid: this.uid, from: this.#state, to: state });
    this.#world.stateChanged(this.#pod, this.#state, state);
    this.#state = state;
    this.again();
  }

  async #admit(): Promise<boolean> {
    const refusal = await this.#admittance.refusal(this.#pod, (work) => this.#actor.orInterrupted(work));
    if (refusal !== undefined) this.#earlyEnd.reject(this.#pod, refusal);
    return refusal === undefined;
  }

  async #terminate(): Promise<void> {
    this.#followProbes(true);
    this.publish();
    await killPod(this.#world, { pod: this.#pod, view: this.view, graceSeconds: this.#grace });
    this.#world.policies?.released(this.#pod);
    await this.#look();
    this.#world.prober.forget(this.uid);
    // Before anybody hears that it has ended: who gives devices out may give them to the next one then.
    await this.#world.claims?.release(this.uid);
    this.#become('terminated');
    this.#world.given.alignment?.release(this.uid);
    this.#world.roomChanged();
  }

  /** Frees what the pod held; when its object is deleted, nothing of it stays and the object goes too. */
  async #clear(): Promise<void> {
    this.publish();
    await this.#world.volumes.tearDown(this.uid);
    await this.#world.given.users.release(this.uid);
    this.#isCleared = true;
    this.#cleared.resolve();
    this.#world.objects?.release(this);
    if (!this.#removed && this.#pod.metadata.deletionTimestamp === undefined) return;
    await clearAway(this.#world, this.#pod, this.view);
    if (!this.#removed) await this.#world.deleteApiPod(this.#pod);
    this.#become('finished');
    this.#loop.close();
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
