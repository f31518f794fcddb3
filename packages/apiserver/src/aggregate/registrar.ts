import type { APIService } from '@binnacle/api/apiregistration/v1';
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import { DueNames, messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { CacheReader } from '../ports/reader.ts';
import type { OwnCalls } from '../ports/world.ts';
import { API_SERVICES } from './api-services.ts';
import { decideRegistration, wantedServices } from './registration.ts';
import type { RegistrationStep, WantedService } from './registration.ts';

export interface RegistrarWorld extends OwnCalls {
  readonly cache: CacheReader;
  readonly catalogue: Pick<Catalogue, 'infos'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const DEFINITIONS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
const RESOURCE = { ...API_SERVICES, version: 'v1' };
const RETRY_MS = { first: 1_000, longest: 60_000 };

/** Registers what this server serves itself: an APIService for each group and version. */
export class Registrar {
  readonly #world: RegistrarWorld;
  readonly #stops: (() => void)[] = [];
  readonly #due: DueNames;
  /** Names that the start looks after, and has not brought up to date yet. */
  readonly #starting = new Set<string>();
  /** As the definitions have it; undefined: they changed. */
  #wanted: ReadonlyMap<string, WantedService> | undefined;
  #isOver = false;

  constructor(world: RegistrarWorld) {
    this.#world = world;
    this.#due = new DueNames({
      clock: world.clock,
      bring: (name) => this.#bring(name),
      failed: (name, error) => this.#tell(name, error),
      retryMs: RETRY_MS,
    });
  }

  /** Brings all of them up to date, and those of custom kinds from then on. The caches stand. */
  async start(): Promise<void> {
    const { cache } = this.#world;
    for (const name of this.#services().keys()) this.#starting.add(name);
    for (const { metadata } of cache.list(API_SERVICES)) this.#starting.add(metadata.name ?? '');
    // Together, so that the store makes few commits of them.
    await Promise.all([...this.#starting].map((name) => this.#bringAtStart(name)));
    if (this.#isOver) return;
    this.#stops.push(
      cache.follow(DEFINITIONS, (before, after) => this.#definitionChanged(before, after)),
      cache.follow(API_SERVICES, (before, after) => this.#due.add((after ?? before)?.metadata.name ?? '')),
    );
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const stop of this.#stops) stop();
    await this.#due.stop();
  }

  #definitionChanged(before: KubeObject | undefined, after: KubeObject | undefined): void {
    this.#wanted = undefined;
    for (const definition of [before, after]) {
      if (definition === undefined) continue;
      const { spec } = definition as CustomResourceDefinition;
      for (const { name } of spec.versions) this.#due.add(`${name}.${spec.group}`);
    }
  }

  #services(): ReadonlyMap<string, WantedService> {
    const { catalogue, cache } = this.#world;
    this.#wanted ??= wantedServices(catalogue.infos, cache.list(DEFINITIONS) as readonly CustomResourceDefinition[]);
    return this.#wanted;
  }

  async #bringAtStart(name: string): Promise<void> {
    try {
      await this.#bring(name);
    } catch (error) {
      if (!this.#isOver && this.#tell(name, error)) this.#due.add(name);
    }
  }

  async #bring(name: string): Promise<void> {
    const atStart = this.#starting.has(name);
    const current = this.#world.cache.get(API_SERVICES, '', name) as APIService | undefined;
    const step = decideRegistration({ wanted: this.#services().get(name), current, atStart });
    if (step !== undefined) await this.#act(step);
    this.#starting.delete(name);
  }

  /** Whether it is to be tried again: where somebody was faster, that change is looked at in its turn. */
  #tell(name: string, error: unknown): boolean {
    if (status.isAlreadyExists(error) || status.isNotFound(error) || status.isConflict(error)) return false;
    this.#world.log.error(error, 'An APIService could not be registered', { name, reason: messageOf(error) });
    return true;
  }

  async #act(step: RegistrationStep): Promise<void> {
    const { loopback, update } = this.#world;
    switch (step.kind) {
      case 'create':
        await loopback.call({ verb: 'create', resource: RESOURCE, body: step.object });
        return;
      case 'delete': {
        const preconditions = { uid: step.uid };
        await loopback.call({ verb: 'delete', resource: RESOURCE, name: step.name, body: { preconditions } });
        return;
      }
      case 'update':
        await update({ resource: API_SERVICES, namespace: '', name: step.name }, (draft) => {
          Object.assign(draft, { spec: step.spec });
        });
    }
  }
}
