import type { ResourceInfo } from '@binnacle/api';
import type { GroupVersionKind, KubeObject, UserInfo } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../ports/admission.ts';
import type { AdmissionMeter, Measures } from '../ports/measures.ts';
import { ChangeWatch } from '../recording/changed-fields.ts';
import type { AnyCall } from '../catalogue/definition.ts';
import { objectVersions } from './object-versions.ts';
import type { ObjectVersions } from './object-versions.ts';
import { writeOptions } from './write-options.ts';

/** One change on its way through the admission plugins. */
export interface AdmittedChange {
  readonly operation: AdmissionOperation;
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly name: string;
  /** Absent: the resource's own. */
  readonly kind?: GroupVersionKind;
  /** Absent: those of the query. */
  readonly options?: KubeObject;
}

/** The call that a change comes from; a connection is no write, so it says nothing of dry runs. */
export type AdmittedCall = Omit<AnyCall, 'query' | 'cause' | 'dryRun'> & Partial<Pick<AnyCall, 'dryRun'>>;

/** The Namespace of that name, as the cache has it. */
export type NamespaceReader = (name: string) => KubeObject | undefined;

/** Where a pass and its plugins are timed. */
export type AdmissionMetrics = Pick<Measures, 'now' | 'admissionMeter'>;

/** Who looks on. */
export interface AdmissionObserver {
  readonly metrics?: AdmissionMetrics | undefined;
  /** Whether calls are told which plugin changed what. */
  readonly isTraced?: boolean;
}

/** The admission plugins, in order: first those that change, then those that only look. */
export class AdmissionChain {
  readonly #passes: { readonly [type in PassType]: Pass };
  readonly #namespaces: NamespaceReader;
  readonly #now: () => number;

  constructor(plugins: readonly AdmissionPlugin[], namespaces: NamespaceReader, observer: AdmissionObserver = {}) {
    const { metrics } = observer;
    this.#passes = { admit: passOf('admit', plugins, observer), validate: passOf('validate', plugins, observer) };
    this.#namespaces = namespaces;
    this.#now = metrics === undefined ? () => 0 : () => metrics.now();
  }

  /**
   * Runs the plugins that change objects, in order. A promise only where one of them has to wait: of whether the object
   * was changed by somebody who may change anything in it.
   */
  admit(call: AdmittedCall, change: AdmittedChange): undefined | Promise<boolean> {
    const asked = new Attributes(call, change, this.#namespaces);
    const waiting = this.#pass('admit', asked);
    const again = waiting === undefined ? this.#anotherRound(asked) : waiting.then(() => this.#anotherRound(asked));
    return again?.then(() => asked.isRemade);
  }

  /** Runs the plugins that only look, after the object is valid. A promise only where one of them has to wait. */
  validate(call: AdmittedCall, change: AdmittedChange): void | Promise<void> {
    return this.#pass('validate', new Attributes(call, change, this.#namespaces));
  }

  #anotherRound(asked: Attributes): undefined | Promise<void> {
    return asked.startAnotherRound() ? this.#pass('admit', asked) || undefined : undefined;
  }

  #pass(type: PassType, asked: Attributes): void | Promise<void> {
    const started = this.#now();
    return this.#go(
      asked,
      { type, pass: this.#passes[type], steps: this.#stepsFor(type, asked), started },
      {
        at: 0,
        since: started,
      },
    );
  }

  /** Goes on with the step at `at`; comes back to itself where one has to wait. */
  #go(
    asked: Attributes,
    turn: PassTurn,
    { at: first, since: from }: { at: number; since: number },
  ): void | Promise<void> {
    const { type, steps, pass, started } = turn;
    const { operation } = asked;
    let at = first;
    // One plugin begins where the one before it ended: the clock is looked at once for each.
    let since = from;
    try {
      for (; at < steps.length; at++) {
        const step = steps[at];
        if (step === undefined || step.plugin.isIdle?.() === true) continue;
        const { watch } = step;
        const before = watch === undefined ? undefined : asked.lookAt(watch);
        const waiting = step.plugin[type]?.(asked);
        if (waiting !== undefined) return this.#wait(asked, turn, { at, since, before, waiting });
        if (watch !== undefined) asked.noteChanges(watch, before);
        const now = this.#now();
        const passing = (step.passing ??= step.meter?.passing(operation));
        passing?.observe(now - since);
        since = now;
      }
    } catch (error) {
      this.#failed(asked, turn, { at, since });
      throw error;
    }
    pass.meter?.took(operation, false, since - started);
  }

  async #wait(
    asked: Attributes,
    turn: PassTurn,
    {
      at,
      since,
      before,
      waiting,
    }: { readonly at: number; readonly since: number; readonly before: unknown; readonly waiting: Promise<void> },
  ): Promise<void> {
    const step = turn.steps[at];
    let now: number;
    try {
      await waiting;
      if (step?.watch !== undefined) asked.noteChanges(step.watch, before);
      now = this.#now();
      step?.meter?.took(asked.operation, false, now - since);
    } catch (error) {
      this.#failed(asked, turn, { at, since });
      throw error;
    }
    await this.#go(asked, turn, { at: at + 1, since: now });
  }

  #failed(asked: Attributes, { pass, steps, started }: PassTurn, { at, since }: { at: number; since: number }): void {
    const now = this.#now();
    steps[at]?.meter?.took(asked.operation, true, now - since);
    pass.meter?.took(asked.operation, true, now - started);
  }

  /** Which plugins have something to say of requests of this sort; found out at the first one. */
  #stepsFor(type: PassType, { info, operation, subresource }: Attributes): readonly Step[] {
    const pass = this.#passes[type];
    let sorts = pass.bySort.get(info);
    if (sorts === undefined) pass.bySort.set(info, (sorts = new Map<string, readonly Step[]>()));
    const sort = subresource === '' ? operation : `${operation} ${subresource}`;
    let steps = sorts.get(sort);
    if (steps === undefined) {
      steps = pass.steps
        .filter(({ plugin }) => plugin.handles(operation, info, subresource))
        .map((step) => ({ ...step, passing: undefined }));
      sorts.set(sort, steps);
    }
    return steps;
  }
}

type PassType = 'admit' | 'validate';

/** The plugins that have something to do in a pass, in order. */
interface Pass {
  readonly steps: readonly PluginStep[];
  readonly meter: AdmissionMeter | undefined;
  /** By the resource, then by what is done to it: as many as are served. */
  readonly bySort: WeakMap<ResourceInfo, Map<string, readonly Step[]>>;
}

/** One pass of one request. */
interface PassTurn {
  readonly type: PassType;
  readonly pass: Pass;
  readonly steps: readonly Step[];
  readonly started: number;
}

interface PluginStep {
  readonly plugin: AdmissionPlugin;
  readonly meter: AdmissionMeter | undefined;
  /** What of the object to look at before and after; undefined: nobody wants to know, or it changes nothing. */
  readonly watch: ChangeWatch | undefined;
}

/** The same for requests of one sort. */
interface Step extends PluginStep {
  /** Its figures of those that pass; from the first one that has. */
  passing: ReturnType<AdmissionMeter['passing']>;
}

function passOf(
  type: PassType,
  plugins: readonly AdmissionPlugin[],
  { metrics, isTraced = false }: AdmissionObserver,
): Pass {
  const steps = plugins
    .filter((plugin) => plugin[type] !== undefined)
    .map((plugin) => ({
      plugin,
      meter: metrics?.admissionMeter(type, plugin.name),
      // Of plugins that only look there is nothing to find out.
      watch:
        isTraced && type === 'admit' && plugin.changes !== undefined
          ? new ChangeWatch(plugin.name, plugin.changes)
          : undefined,
    }));
  return { steps, meter: metrics?.admissionMeter(type), bySort: new WeakMap() };
}

/** Made once for each pass; what is seldom asked for is found when it is. */
class Attributes implements AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly info: ResourceInfo;
  readonly subresource: string;
  readonly namespace: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly #call: AdmittedCall;
  readonly #change: AdmittedChange;
  readonly #namespaces: NamespaceReader;
  #versions: ObjectVersions | undefined;
  #round: 0 | 1 = 0;
  #another = false;

  constructor(call: AdmittedCall, change: AdmittedChange, namespaces: NamespaceReader) {
    this.operation = change.operation;
    this.object = change.object;
    this.before = change.before;
    this.name = change.name;
    this.info = call.served.info;
    this.kind = change.kind ?? call.served.info;
    this.subresource = call.info.subresource;
    this.namespace = call.info.namespace;
    this.user = call.user;
    this.dryRun = call.dryRun === true;
    this.#call = call;
    this.#change = change;
    this.#namespaces = namespaces;
  }

  get options(): KubeObject | undefined {
    if (this.operation === 'CONNECT') return undefined;
    return this.#change.options ?? writeOptions(this.#call.info.verb, this.#call.request.query);
  }

  get namespaceObject(): KubeObject | undefined {
    return this.info.namespaced ? this.#namespaces(this.namespace) : undefined;
  }

  get round(): 0 | 1 {
    return this.#round;
  }

  requestAnotherRound(): void {
    this.#another = true;
  }

  /** Whether a plugin asked for another round, as it changed the object. */
  get isRemade(): boolean {
    return this.#another;
  }

  /** What a plugin may change, as it is now. */
  lookAt(watch: ChangeWatch): unknown {
    return this.object === undefined ? undefined : watch.lookAt(this.object);
  }

  noteChanges(watch: ChangeWatch, before: unknown): void {
    if (this.object === undefined) return;
    const changed = watch.changed(before, this.object);
    if (changed.length > 0) this.#call.admittedBy?.(watch.plugin, changed);
  }

  /** Whether there is to be another round, which begins now. */
  startAnotherRound(): boolean {
    if (this.#another) this.#round = 1;
    return this.#another;
  }

  get versions(): readonly ResourceInfo[] {
    return this.#inVersions().versions;
  }

  inVersion(object: KubeObject, version: ResourceInfo): Promise<KubeObject> {
    return this.#inVersions().inVersion(object, version);
  }

  rebuild(value: unknown, version: ResourceInfo): Promise<KubeObject> {
    return this.#inVersions().rebuild(value, version);
  }

  layOver(object: KubeObject, configuration: object, version: ResourceInfo): object {
    return this.#inVersions().layOver(object, configuration, version);
  }

  #inVersions(): ObjectVersions {
    return (this.#versions ??= objectVersions(this.#call, this.kind));
  }

  get signal(): AbortSignal | undefined {
    return this.#call.request.signal;
  }

  warn(message: string): void {
    this.#call.warn(message);
  }

  annotate(key: string, value: string): void {
    this.#call.annotate(key, value);
  }

  waited(seconds: number): void {
    this.#call.waited(seconds);
  }
}
