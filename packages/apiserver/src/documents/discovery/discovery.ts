import type { ResourceInfo } from '@binnacle/api';
import {
  aggregatedDocument,
  groupDocument,
  groupListDocument,
  resourceListDocument,
  versionsDocument,
} from './documents.ts';
import type { ServedGroups } from './documents.ts';
import type { RemoteGroupVersion } from './remote-group.ts';
import { hashText } from './hash.ts';

/** A document as it is sent. `etag` is quoted; a request whose If-None-Match equals it gets 304. */
export interface DiscoveryReply {
  readonly contentType: string;
  readonly body: string;
  readonly etag: string;
}

export interface Discovery {
  /**
   * The document of `/api`, `/apis` or anything below that is no resource; undefined when there is none (404).
   * `accept` decides between the plain and the aggregated form of the two roots; reply with `Vary: Accept`.
   */
  serve(path: string, accept: string | undefined): DiscoveryReply | undefined;
}

/** Whose resources are shown; what was made of an older generation is made anew. */
export interface DiscoverySource {
  readonly infos: readonly ResourceInfo[];
  /** Served by other API servers; where they serve what is served here too, theirs counts. */
  readonly remotes: readonly RemoteGroupVersion[];
  readonly generation: number;
}

/**
 * Discovery over what is served now. Documents are made on first request and kept, one per path and form, until
 * something else is served. `address` says what clients should connect to (`host:port`).
 */
export function createDiscovery(source: DiscoverySource, address: () => string): Discovery {
  let replies = new Map<string, DiscoveryReply>();
  let generation = source.generation;
  let serverAddress = address();
  return {
    serve(path, accept) {
      if (generation !== source.generation || serverAddress !== address()) replies = new Map();
      generation = source.generation;
      serverAddress = address();
      const served = servedGroups(source);
      const at = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
      const form = at === '/api' || at === '/apis' ? chooseForm(accept) : 'plain';
      const key = `${form} ${at}`;
      const known = replies.get(key);
      if (known !== undefined) return known;
      const document = form === 'plain' ? plain(served, at, serverAddress) : aggregated(served, at, form);
      if (document === undefined) return undefined;
      const body = `${JSON.stringify(document)}\n`;
      const reply = { contentType: CONTENT_TYPES[form], body, etag: `"${hashText(body)}"` };
      replies.set(key, reply);
      return reply;
    },
  };
}

function servedGroups({ infos, remotes }: DiscoverySource): ServedGroups {
  if (remotes.length === 0) return { resources: infos, remotes };
  const elsewhere = new Set(remotes.map(({ group, version }) => `${group}/${version}`));
  return { resources: infos.filter(({ group, version }) => !elsewhere.has(`${group}/${version}`)), remotes };
}

type Form = 'plain' | 'v2' | 'v2beta1';

const CONTENT_TYPES: { readonly [form in Form]: string } = {
  plain: 'application/json',
  v2: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  v2beta1: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
};

/** The first form of an Accept header that is served here; clients list the one they like best first. */
export function chooseForm(accept: string | undefined): Form {
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (type !== 'application/json') continue;
    if (!parameters.includes('as=apigroupdiscoverylist')) return 'plain';
    if (parameters.includes('v=v2')) return 'v2';
    if (parameters.includes('v=v2beta1')) return 'v2beta1';
  }
  return 'plain';
}

function aggregated(served: ServedGroups, path: string, form: 'v2' | 'v2beta1'): object {
  return aggregatedDocument(served, path === '/api' ? '/api' : '/apis', form);
}

function plain(served: ServedGroups, path: string, serverAddress: string): object | undefined {
  if (path === '/api') return versionsDocument(serverAddress);
  if (path === '/apis') return groupListDocument(served);
  const [, root, first = '', second, ...rest] = path.split('/');
  if (rest.length > 0) return undefined;
  if (root === 'api') return second === undefined ? resourceListDocument(served.resources, '', first) : undefined;
  if (root !== 'apis') return undefined;
  return second === undefined ? groupDocument(served, first) : resourceListDocument(served.resources, first, second);
}
