import { SERVICES, setCondition, wellknown } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { APIService, APIServiceCondition } from '@binnacle/api/apiregistration/v1';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { formatTime, messageOf } from '@binnacle/base';
import type { Clock, Logger, Timer } from '@binnacle/base';
import { DecodeError, membersOf, parseDocument, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { readResourceList } from '../documents/discovery/remote-group.ts';
import { LOCAL_CONDITION } from '../kinds/apiregistration/api-service-strategy.ts';
import type { JsonObject } from '../documents/openapi/dialect.ts';
import type { AvailabilityMeasures } from '../ports/measures.ts';
import type { GuaranteedUpdate } from '../ports/guaranteed-update.ts';
import { askRemote } from './ask-remote.ts';
import type { AskWorld } from './ask-remote.ts';
import { RemoteError } from './remote-error.ts';
import type { FrontProxy, Remote } from './remote.ts';
import type { Remotes } from './remotes.ts';
import { checkService, unavailable } from './service-check.ts';

export const API_SERVICES = { group: 'apiregistration.k8s.io', resource: 'apiservices' };
const SLICES = { group: 'discovery.k8s.io', resource: 'endpointslices' };
/** Servers that are well are asked again after so long, as upstream does; others sooner. */
const AGAIN_MS = 30_000;
const RETRY_MS_FIRST = 500;
/** So many times before a server counts as gone: one of its endpoints may be. */
const ATTEMPTS = 5;
const LIST_BYTES_MAX = 8 << 20;
const DOCUMENT_BYTES_MAX = 32 << 20;
/** Several times what Kubernetes' own document has. */
const DOCUMENT_VALUES_MAX = 1 << 20;

export interface ApiServicesWorld extends AskWorld {
  readonly clock: Clock;
  readonly log: Logger;
  readonly update: GuaranteedUpdate;
  /** Absent: other servers are asked without a certificate. */
  readonly frontProxy: FrontProxy | undefined;
  readonly remotes: Remotes;
  /** Absent: nobody keeps score. */
  readonly measures?: AvailabilityMeasures;
}

/** How one APIService stands. */
interface Watched {
  /** `namespace/name` of its Service; empty: local. */
  service: string;
  working: boolean;
  again: boolean;
  failures: number;
  timer: Timer | undefined;
}

/**
 * Keeps the condition Available of APIServices, and what is known of the servers behind them: by their Services and
 * endpoints when these change, and by asking them, at once and every half minute.
 */
export class ApiServices {
  readonly #world: ApiServicesWorld;
  readonly #watched = new Map<string, Watched>();
  readonly #stops: (() => void)[] = [];
  #isOver = false;

  constructor(world: ApiServicesWorld) {
    this.#world = world;
  }

  /** The caches stand. */
  start(): void {
    const { cache } = this.#world;
    this.#stops.push(
      cache.follow(API_SERVICES, (before, after) => this.#changed(before as APIService, after as APIService)),
      cache.follow(SERVICES, (before, after) => this.#serviceChanged((after ?? before)?.metadata, 'name')),
      cache.follow(SLICES, (before, after) => this.#serviceChanged((after ?? before)?.metadata, 'label')),
    );
  }

  stop(): void {
    this.#isOver = true;
    for (const stop of this.#stops) stop();
    for (const { timer } of this.#watched.values()) timer?.cancel();
  }

  #changed(before: APIService | undefined, after: APIService | undefined): void {
    const name = (after ?? before)?.metadata.name ?? '';
    const { remotes, frontProxy } = this.#world;
    if (after === undefined) {
      if (before !== undefined) remotes.drop(before);
      this.#watched.get(name)?.timer?.cancel();
      this.#watched.delete(name);
      this.#world.measures?.gone(name);
      return;
    }
    const { service } = after.spec;
    const watched = this.#watchedOf(name);
    watched.service = service === undefined || service === null ? '' : `${service.namespace}/${service.name}`;
    // Requests go there from now on.
    if (watched.service === '') remotes.drop(after);
    else remotes.put(after, frontProxy);
    this.#look(name);
  }

  #serviceChanged(metadata: KubeObject['metadata'] | undefined, by: 'name' | 'label'): void {
    if (metadata === undefined) return;
    const name = by === 'name' ? metadata.name : metadata.labels?.[wellknown.LABEL_SERVICE_NAME];
    const key = `${metadata.namespace ?? ''}/${name ?? ''}`;
    for (const [apiService, { service }] of this.#watched) if (service === key) this.#look(apiService);
  }

  #watchedOf(name: string): Watched {
    let watched = this.#watched.get(name);
    if (watched === undefined) {
      watched = { service: '', working: false, again: false, failures: 0, timer: undefined };
      this.#watched.set(name, watched);
    }
    return watched;
  }

  /** Once more when it is being looked at already. */
  #look(name: string): void {
    const watched = this.#watched.get(name);
    if (watched === undefined || this.#isOver) return;
    if (watched.working) {
      watched.again = true;
      return;
    }
    watched.timer?.cancel();
    watched.working = true;
    // Never rejects: what fails is tried again.
    void this.#work(name, watched);
  }

  async #work(name: string, watched: Watched): Promise<void> {
    let isWell = false;
    do {
      watched.again = false;
      isWell = await this.#sync(name).catch((error: unknown) => this.#failed(name, error));
    } while (watched.again && !this.#isOver);
    watched.working = false;
    if (this.#isOver || watched.service === '' || this.#watched.get(name) !== watched) return;
    watched.failures = isWell ? 0 : watched.failures + 1;
    const after = isWell ? AGAIN_MS : Math.min(AGAIN_MS, RETRY_MS_FIRST * 2 ** (watched.failures - 1));
    watched.timer = this.#world.clock.after(after, () => this.#look(name), { background: true });
  }

  #failed(name: string, error: unknown): false {
    if (status.isNotFound(error)) return false;
    this.#world.log.error(error, 'An APIService could not be brought up to date', { name, reason: messageOf(error) });
    return false;
  }

  /** Whether the server is there. */
  async #sync(name: string): Promise<boolean> {
    const { cache, remotes } = this.#world;
    const service = cache.get(API_SERVICES, '', name) as APIService | undefined;
    if (service === undefined) return false;
    const { group = '', version = '' } = service.spec;
    const remote = remotes.get(group, version);
    const condition = remote === undefined ? LOCAL_CONDITION : await this.#check(service, remote);
    this.#world.measures?.found(name, condition);
    await this.#report(service, condition);
    return condition.status === 'True';
  }

  async #check(service: APIService, remote: Remote): Promise<APIServiceCondition> {
    const { cache, remotes, frontProxy } = this.#world;
    const { name, namespace } = remote.address;
    const slices = (cache.list(SLICES, namespace) as readonly EndpointSlice[]).filter(
      ({ metadata }) => metadata.labels?.[wellknown.LABEL_SERVICE_NAME] === name,
    );
    const found = cache.get(SERVICES, namespace, name) as Service | undefined;
    const problem = checkService(service, { service: found, slices }) ?? (await this.#ask(service, remote));
    if (problem === undefined) {
      return { type: 'Available', status: 'True', reason: 'Passed', message: 'all checks passed' };
    }
    // What it served is shown, as it was.
    const { heard } = remotes.get(service.spec.group ?? '', service.spec.version ?? '') ?? remote;
    remotes.hear(service, { ...heard, freshness: 'Stale' }, frontProxy);
    return problem;
  }

  /** Asks for the list of resources, which shows that the server is there, and what it serves. */
  async #ask(service: APIService, remote: Remote): Promise<APIServiceCondition | undefined> {
    let last = '';
    for (let attempt = 0; attempt < ATTEMPTS && !this.#isOver; attempt++) {
      try {
        const asked = { path: remote.path, accept: 'application/json', bytesMax: LIST_BYTES_MAX };
        await this.#heard(service, remote, (await askRemote(this.#world, remote, asked)).text);
        return undefined;
      } catch (error) {
        if (!(error instanceof RemoteError)) throw error;
        last = error.message;
      }
    }
    return unavailable('FailedDiscoveryCheck', last);
  }

  async #heard(service: APIService, remote: Remote, text: string): Promise<void> {
    const { remotes, frontProxy, log } = this.#world;
    const { group = '', version = '' } = service.spec;
    const resources = readResourceList(documentOf(text), { group, version });
    if (resources === undefined) {
      log.warn('An API server lists its resources in no JSON', { name: service.metadata.name });
      return;
    }
    const documents = await readDocuments(this.#world, remote);
    remotes.hear(service, { resources, freshness: 'Current', documents }, frontProxy);
  }

  async #report(service: APIService, condition: APIServiceCondition): Promise<void> {
    const { clock, update } = this.#world;
    const now = formatTime(clock.now());
    const before = service.status?.conditions;
    if (setCondition(before, condition, now) === before) return;
    await update(
      { resource: API_SERVICES, namespace: '', name: service.metadata.name ?? '' },
      (object) => {
        const draft = object as unknown as Draft<APIService>;
        // The status of others stays: only the one condition is this server's.
        draft.status = { ...draft.status, conditions: [...setCondition(draft.status?.conditions, condition, now)] };
      },
      { subresource: 'status' },
    );
  }
}

/** What a server publishes in OpenAPI; it need not. */
async function readDocuments(world: AskWorld, remote: Remote): Promise<Remote['heard']['documents']> {
  const read = async (path: string): Promise<{ readonly [field: string]: unknown }> => {
    try {
      const asked = {
        path,
        accept: 'application/json',
        bytesMax: DOCUMENT_BYTES_MAX,
        valuesMax: DOCUMENT_VALUES_MAX,
      };
      return membersOf(documentOf((await askRemote(world, remote, asked)).text));
    } catch (error) {
      if (error instanceof RemoteError) return {};
      throw error;
    }
  };
  const [index, whole] = await Promise.all([read('/openapi/v3'), read('/openapi/v2')]);
  const { serverRelativeURL: v3Url } = membersOf(membersOf(index['paths'])[remote.path.slice(1)]);
  return {
    ...(typeof whole['swagger'] === 'string' ? { v2: whole as JsonObject } : {}),
    ...(isOwnDocument(v3Url, remote) ? { v3Url } : {}),
  };
}

/** Of the group and version: what clients ask there is passed on to the server that says so. */
function isOwnDocument(url: unknown, { path }: Remote): url is string {
  const own = `/openapi/v3${path}`;
  return typeof url === 'string' && (url === own || url.startsWith(`${own}?`));
}

/** Undefined for what is no JSON, and for what is nested deeper than anybody reads: it is shown, and compared, again. */
function documentOf(text: string): unknown {
  try {
    return parseDocument(text);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
