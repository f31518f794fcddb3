import { deepEqual } from '@binnacle/machinery';
import type { APIService } from '@binnacle/api/apiregistration/v1';
import type { RemoteGroupVersion } from '../documents/discovery/remote-group.ts';
import type { RemoteDocuments } from '../documents/openapi/openapi.ts';
import { CALLER_QUESTIONS } from '../request/caller-questions.ts';
import type { RequestInfo } from '../request/info.ts';
import { Remote } from './remote.ts';
import type { FrontProxy, Heard } from './remote.ts';

/** `/apis/GROUP/VERSION`, its OpenAPI document, and the like of the group without a name. */
const DOCUMENT = /^(?:\/openapi\/v3)?\/(?:apis\/([^/]+)|api)\/([^/]+)\/?$/;

/** What other API servers serve: by group and version. */
export class Remotes {
  readonly #known = new Map<string, Remote>();
  #generation = 0;

  /** Grows with every change of what is shown of them. */
  get generation(): number {
    return this.#generation;
  }

  all(): readonly Remote[] {
    return [...this.#known.values()];
  }

  discovered(): readonly RemoteGroupVersion[] {
    return this.all().map((remote) => remote.asDiscovered());
  }

  published(): readonly RemoteDocuments[] {
    return this.all().map((remote) => remote.asPublished());
  }

  get(group: string, version: string): Remote | undefined {
    return this.#known.get(`${group}/${version}`);
  }

  /** Who answers a request; undefined: this server. Cheap where there are none. */
  find(info: RequestInfo): Remote | undefined {
    if (this.#known.size === 0) return undefined;
    if (info.isResource) {
      // Whoever serves the rest of the group.
      const isLocal = CALLER_QUESTIONS.has(`${info.group}/${info.resource}`);
      return isLocal ? undefined : this.get(info.group, info.version);
    }
    const document = DOCUMENT.exec(info.path);
    return document === null ? undefined : this.get(document[1] ?? '', document[2] ?? '');
  }

  /** From now on the APIService is served by its Service; what was heard of it before is kept. */
  put(service: APIService, frontProxy: FrontProxy | undefined): Remote {
    const key = keyOf(service);
    const before = this.#known.get(key);
    const isSame = before !== undefined && deepEqual(before.service.spec, service.spec);
    const remote = new Remote(service, frontProxy, isSame ? before.heard : undefined);
    this.#known.set(key, remote);
    if (!isSame) this.#generation++;
    return remote;
  }

  hear(service: APIService, heard: Heard, frontProxy: FrontProxy | undefined): void {
    const key = keyOf(service);
    const before = this.#known.get(key);
    if (before === undefined || deepEqual(before.heard, heard)) return;
    this.#known.set(key, new Remote(before.service, frontProxy, heard));
    this.#generation++;
  }

  drop(service: APIService): void {
    if (this.#known.delete(keyOf(service))) this.#generation++;
  }
}

function keyOf({ spec }: APIService): string {
  return `${spec.group ?? ''}/${spec.version ?? ''}`;
}
