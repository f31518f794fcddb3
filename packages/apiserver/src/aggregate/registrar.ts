import type { APIService } from '@binnacle/api/apiregistration/v1';
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import { messageOf } from '@binnacle/base';
import type { Clock, Logger, Timer } from '@binnacle/base';
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
const RETRY_MS = 5_000;

/** Registers what this server serves itself: an APIService for each group and version. */
export class Registrar {
  readonly #world: RegistrarWorld;
  readonly #stops: (() => void)[] = [];
  /** Names to look at. */
  readonly #due = new Set<string>();
  #working: Promise<void> | undefined;
  #retry: Timer | undefined;
  #isOver = false;

  constructor(world: RegistrarWorld) {
    this.#world = world;
  }

  /** Brings all of them up to date, and those of custom kinds from then on. The caches stand. */
  async start(): Promise<void> {
    const { cache } = this.#world;
    const wanted = this.#wanted();
    const known = (cache.list(API_SERVICES) as readonly APIService[]).map(({ metadata }) => metadata.name ?? '');
    // Together, so that the store makes few commits of them.
    await Promise.all([...new Set([...wanted.keys(), ...known])].map((name) => this.#bring(name, wanted, true)));
    if (this.#isOver) return;
    this.#stops.push(
      cache.follow(DEFINITIONS, (before, after) => this.#definitionChanged(before, after)),
      cache.follow(API_SERVICES, (before, after) => this.#look((after ?? before)?.metadata.name ?? '')),
    );
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const stop of this.#stops) stop();
    this.#retry?.cancel();
    await this.#working;
  }

  #definitionChanged(before: KubeObject | undefined, after: KubeObject | undefined): void {
    for (const definition of [before, after]) {
      if (definition === undefined) continue;
      const { spec } = definition as CustomResourceDefinition;
      for (const { name } of spec.versions) this.#look(`${name}.${spec.group}`);
    }
  }

  #look(name: string): void {
    if (this.#isOver) return;
    this.#due.add(name);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    // A turn later, so that changes that come together are seen together.
    await Promise.resolve();
    while (this.#due.size > 0 && !this.#isOver) {
      const names = [...this.#due];
      this.#due.clear();
      const wanted = this.#wanted();
      for (const name of names) await this.#bring(name, wanted, false);
    }
  }

  #wanted(): ReadonlyMap<string, WantedService> {
    const { catalogue, cache } = this.#world;
    return wantedServices(catalogue.infos, cache.list(DEFINITIONS) as readonly CustomResourceDefinition[]);
  }

  async #bring(name: string, wanted: ReadonlyMap<string, WantedService>, atStart: boolean): Promise<void> {
    const { cache, log, clock } = this.#world;
    const current = cache.get(API_SERVICES, '', name) as APIService | undefined;
    const step = decideRegistration({ wanted: wanted.get(name), current, atStart });
    if (step === undefined) return;
    try {
      await this.#act(step);
    } catch (error) {
      // Somebody was faster: the change is looked at in its turn.
      if (status.isAlreadyExists(error) || status.isNotFound(error) || status.isConflict(error) || this.#isOver) return;
      log.error(error, 'An APIService could not be registered', { name, reason: messageOf(error) });
      this.#retry?.cancel();
      this.#retry = clock.after(RETRY_MS, () => this.#look(name), { background: true });
    }
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
