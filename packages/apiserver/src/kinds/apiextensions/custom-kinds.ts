/**
 * Serves custom kinds: follows their definitions, says which names each may have, puts what is established into the
 * catalogue, takes out what is gone, and empties what is being deleted. Works from the state there is: a definition
 * that was looked at twice comes to the same.
 */
import { setCondition } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '@binnacle/api/apiextensions/v1';
import { DueNames, formatTime, messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import { deepEqual, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { StoredDefinition } from '../../catalogue/definition.ts';
import { decideNames } from './accepted-names.ts';
import type { NameDecision } from './accepted-names.ts';
import type { CustomKindWorld, customDefinition } from './custom-kind.ts';
import { CLEANUP_FINALIZER } from './definition-strategy.ts';
import { hasRules } from './rules/has-rules.ts';
import type { CacheReader } from '../../ports/reader.ts';
import { UNMEASURED } from '../../ports/measures.ts';
import type { AdmissionMeasures } from '../../ports/measures.ts';
import { timedRules } from './timed-rules.ts';
import type { OwnCalls } from '../../ports/world.ts';

export const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

const RETRY_MS = { first: 200, longest: 60_000 };

export interface CustomKindsWorld extends CustomKindWorld, OwnCalls {
  readonly catalogue: Catalogue;
  readonly cache: CacheReader;
  readonly clock: Clock;
  readonly log: Logger;
  /** Who keeps score of expressions; absent: nobody. */
  readonly measures?: AdmissionMeasures;
}

type MakeDefinition = typeof customDefinition;

/** What is served of one definition, and what it was made of. */
interface Served {
  readonly made: StoredDefinition;
  readonly group: string;
  readonly of: unknown;
}

export class CustomKinds {
  readonly #world: CustomKindsWorld;
  /** One after the other: who comes first gets the name. */
  readonly #due: DueNames;
  readonly #served = new Map<string, Served>();
  /** Deletions of instances under way, and how to stop waiting for them. */
  readonly #emptying = new Map<string, () => void>();
  #make: MakeDefinition | undefined;
  #unfollow: () => void = () => undefined;

  constructor(world: CustomKindsWorld) {
    this.#world = world;
    this.#due = new DueNames({
      clock: world.clock,
      bring: (name) => this.#bring(name),
      failed: (name, error) => this.#tell(name, error),
      retryMs: RETRY_MS,
    });
  }

  /** Resolves when what was established before is served. The cache of definitions stands. */
  async start(): Promise<void> {
    this.#unfollow = this.#world.cache.follow(DEFINITIONS, (before, after) => {
      // What is told of an ending is told here: who heard of himself would try again at once what has just failed.
      if (before !== undefined && after !== undefined && differInEndingAlone(before, after)) return;
      const name = (after ?? before)?.metadata.name;
      if (name !== undefined) this.#due.add(name);
    });
    await this.settled();
  }

  /** Resolves when nothing is due: what came up to now is served, and is being deleted where it should be. */
  settled(): Promise<void> {
    return this.#due.settled();
  }

  /** Resolves when the definition that is looked at has been. */
  async stop(): Promise<void> {
    this.#unfollow();
    for (const stop of this.#emptying.values()) stop();
    await this.#due.stop();
  }

  #tell(name: string, error: unknown): boolean {
    if (status.isNotFound(error)) return false;
    const facts = { name, reason: messageOf(error) };
    this.#world.log.error(error, 'A custom kind could not be brought up to date', facts);
    return true;
  }

  #find(name: string): CustomResourceDefinition | undefined {
    return this.#world.cache.get(DEFINITIONS, '', name) as CustomResourceDefinition | undefined;
  }

  /** The definitions of a group. */
  #siblings(group: string, but: string): CustomResourceDefinition[] {
    const all = this.#world.cache.list(DEFINITIONS) as readonly CustomResourceDefinition[];
    return all.filter(({ metadata, spec }) => spec.group === group && metadata.name !== but);
  }

  async #bring(name: string): Promise<void> {
    const definition = this.#find(name);
    if (definition === undefined) {
      this.#release(name);
      return;
    }
    const decision = decideNames(definition, this.#siblings(definition.spec.group, name));
    // Served before it is called established: whoever waits for that may ask at once.
    if (decision.isEstablished) await this.#serve(name, definition, decision);
    await this.#report(name, definition, decision);
    await this.#empty(name);
  }

  /** A definition is gone: its kind too, and its names are free for others. */
  #release(name: string): void {
    this.#stopAwaiting(name);
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#withdraw(name);
    for (const sibling of this.#siblings(served.group, name)) this.#due.add(sibling.metadata.name ?? '');
  }

  #withdraw(name: string): void {
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    this.#world.catalogue.remove(served.made.name);
  }

  async #serve(name: string, definition: CustomResourceDefinition, { acceptedNames }: NameDecision): Promise<void> {
    const { spec } = definition;
    const isEnding = (definition.metadata.deletionTimestamp ?? '') !== '';
    const of = { spec, acceptedNames, isEnding };
    const known = this.#served.get(name);
    if (known !== undefined && deepEqual(known.of, of)) return;
    this.#make ??= (await import('./custom-kind.ts')).customDefinition;
    const made = this.#withoutTaken(this.#make(definition, acceptedNames, await this.#worldOf(spec)), known);
    if (made === undefined) {
      this.#withdraw(name);
      return;
    }
    const { catalogue } = this.#world;
    if (known === undefined) catalogue.add(made);
    else if (known.made.name === made.name) catalogue.replace(made);
    else {
      this.#withdraw(name);
      catalogue.add(made);
    }
    this.#served.set(name, { made, group: spec.group, of });
    this.#stopAwaiting(name);
  }

  /** What runs rules in CEL is loaded with the first kind that has some. */
  async #worldOf({ versions }: CustomResourceDefinition['spec']): Promise<CustomKindWorld> {
    if (!hasRules(versions)) return this.#world;
    const { piecesOfRules } = await import('./rules/evaluate-rules.ts');
    return { ...this.#world, compileRules: timedRules(piecesOfRules, this.#world.measures ?? UNMEASURED) };
  }

  /** Paths that Kubernetes' own kinds have are theirs, whatever a definition says. */
  #withoutTaken(made: StoredDefinition | undefined, known: Served | undefined): StoredDefinition | undefined {
    if (made === undefined) return undefined;
    const { catalogue } = this.#world;
    const standing = catalogue.definition(made.name);
    if (standing !== undefined && standing !== known?.made) return undefined;
    const isTaken = ({ info }: StoredDefinition['versions'][number]): boolean => {
      const { group, version, resource } = info;
      const owner =
        catalogue.find(group, version, resource)?.stored.definition ?? catalogue.findComputed(group, version, resource);
      return owner !== undefined && owner !== known?.made;
    };
    const versions = made.versions.filter((version) => !isTaken(version));
    return versions.length === 0 ? undefined : { ...made, versions };
  }

  async #report(name: string, definition: CustomResourceDefinition, decision: NameDecision): Promise<void> {
    const { status: old } = definition;
    const now = formatTime(this.#world.clock.now());
    const wanted = withConditions(old?.conditions, decision.conditions, now);
    if (wanted === old?.conditions && deepEqual(old.acceptedNames, decision.acceptedNames)) return;
    const namesBefore = old?.acceptedNames;
    await this.#change(name, (draft) => {
      draft.status = {
        ...draft.status,
        storedVersions: draft.status?.storedVersions ?? [],
        conditions: [...withConditions(draft.status?.conditions, decision.conditions, now)],
        acceptedNames: decision.acceptedNames as Draft<CustomResourceDefinition>['spec']['names'],
      };
    });
    // Names that were given up may be what others wait for.
    if (deepEqual(namesBefore, decision.acceptedNames)) return;
    for (const sibling of this.#siblings(definition.spec.group, name)) {
      if (!deepEqual(sibling.spec.names, sibling.status?.acceptedNames)) this.#due.add(sibling.metadata.name ?? '');
    }
  }

  /** A definition that is being deleted goes when its instances have gone. */
  async #empty(name: string): Promise<void> {
    const definition = this.#find(name);
    const { finalizers = [], deletionTimestamp = '' } = definition?.metadata ?? {};
    if (definition === undefined || deletionTimestamp === '' || !finalizers.includes(CLEANUP_FINALIZER)) return;
    const served = this.#served.get(name);
    if (served === undefined) return this.#finish(name, NEVER_ESTABLISHED);
    if (this.#emptying.has(name)) return undefined;
    await this.#mark(name, IN_PROGRESS);
    try {
      await this.#deleteInstances(served.made);
    } catch (error) {
      const message = `could not issue all deletes: ${messageOf(error)}`;
      await this.#mark(name, { ...IN_PROGRESS, reason: 'InstanceDeletionFailed', message });
      throw error;
    }
    return this.#awaitEmpty(name, served.made);
  }

  async #deleteInstances({ versions }: StoredDefinition): Promise<void> {
    const [version] = versions;
    if (version === undefined) return;
    const { group, version: name, resource, namespaced } = version.info;
    const stored = this.#world.catalogue.stored({ group, resource });
    if (stored === undefined) return;
    await stored.cache.start();
    const places = new Set(stored.cache.snapshot().flatMap((chunk) => chunk.map(({ namespace }) => namespace)));
    for (const namespace of places) {
      await this.#world.loopback.call({
        verb: 'deletecollection',
        resource: { group, version: name, resource },
        ...(namespaced ? { namespace } : {}),
      });
    }
  }

  /** Waits for the last instance: those with finalizers go when somebody takes them away. */
  async #awaitEmpty(name: string, { storage }: StoredDefinition): Promise<void> {
    const stored = this.#world.catalogue.stored(storage);
    if (stored === undefined || stored.cache.size === 0) return this.#finish(name, COMPLETED);
    const unfollow = stored.cache.follow((_, after) => {
      if (after !== undefined || stored.cache.size > 0) return;
      this.#stopAwaiting(name);
      this.#due.add(name);
    });
    this.#emptying.set(name, unfollow);
    return undefined;
  }

  #stopAwaiting(name: string): void {
    this.#emptying.get(name)?.();
    this.#emptying.delete(name);
  }

  /** By one write, and of the status as upstream does it: whatever the rest has become, it does not keep the definition. */
  async #finish(name: string, condition: CustomResourceDefinitionCondition): Promise<void> {
    await this.#mark(name, condition, ({ metadata }) => {
      metadata.finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    });
  }

  async #mark(
    name: string,
    condition: CustomResourceDefinitionCondition,
    more?: (draft: Draft<CustomResourceDefinition>) => void,
  ): Promise<void> {
    const now = formatTime(this.#world.clock.now());
    await this.#change(name, (draft) => {
      more?.(draft);
      if (draft.status === undefined) return;
      const conditions = [...setCondition(draft.status.conditions, condition, now)];
      draft.status = { ...draft.status, conditions };
    });
  }

  /** `change` replaces parts of the draft and writes into none: schemas may be large, and nothing here touches them. */
  async #change(name: string, change: (draft: Draft<CustomResourceDefinition>) => void): Promise<void> {
    await this.#world.update(
      { resource: DEFINITIONS, namespace: '', name },
      (draft: KubeObject) => change(draft as unknown as Draft<CustomResourceDefinition>),
      { subresource: 'status', shares: true },
    );
  }
}

/** Two states of a definition that are the same but for how its deletion goes. */
function differInEndingAlone(before: KubeObject, after: KubeObject): boolean {
  const [was, is] = [before, after].map((object) => {
    const { metadata, status: state, ...rest } = object as CustomResourceDefinition;
    const { resourceVersion: _version, managedFields: _managed, ...known } = metadata;
    const conditions = (state?.conditions ?? []).filter(({ type }) => type !== 'Terminating');
    return { ...rest, metadata: known, status: { ...state, conditions } };
  });
  return deepEqual(was, is);
}

function withConditions(
  conditions: NonNullable<CustomResourceDefinition['status']>['conditions'] | undefined,
  wanted: readonly CustomResourceDefinitionCondition[],
  now: string,
): readonly CustomResourceDefinitionCondition[] {
  return wanted.reduce((list, condition) => setCondition(list, condition, now), conditions ?? []);
}

const IN_PROGRESS: CustomResourceDefinitionCondition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const COMPLETED: CustomResourceDefinitionCondition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
const NEVER_ESTABLISHED: CustomResourceDefinitionCondition = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};
