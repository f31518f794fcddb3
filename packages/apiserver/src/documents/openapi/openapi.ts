import type { ResourceInfo } from '@binnacle/api';
import { groupVersion } from '@binnacle/machinery';
import type { SchemaRegistry, SchemaTable } from '@binnacle/machinery';
import { hashText } from '../discovery/hash.ts';
import { editionOf } from './edition.ts';
import { documentV2, documentV3 } from './document.ts';
import type { OpenApiSource } from './document.ts';
import type { JsonObject } from './dialect.ts';
import { mergeV2 } from './merge-v2.ts';
import { encodeGnosticV2 } from './gnostic.ts';

/** A document as it is sent. `etag` is quoted; a request whose If-None-Match equals it gets 304. */
export interface OpenApiReply {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly etag: string;
}

export interface OpenApi {
  /**
   * The document of `/openapi/v2`, `/openapi/v3` or `/openapi/v3/<group version>` (the path without its query);
   * undefined when there is none (404). Reply with `Vary: Accept`. Version 3 is served as JSON only.
   */
  serve(path: string, accept: string | undefined): OpenApiReply | undefined;
}

const JSON_TYPE = 'application/json';
const V3 = '/openapi/v3/';
/** Asked for with either mark; answered with the dot, as Go's media type parser knows no `@`. */
const ACCEPTS_GNOSTIC_V2 = /application\/com\.github\.proto-openapi\.spec\.v2[@.]v1\.0\+protobuf/;
const GNOSTIC_V2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** What another API server publishes of one group and version. */
export interface RemoteDocuments {
  /** `/apis/GROUP/VERSION`. */
  readonly path: string;
  /** Its whole document of version 2; absent: it has none. */
  readonly v2?: JsonObject;
  /** Where its document of version 3 is, with its hash; absent: it has none. */
  readonly v3Url?: string;
}

/** Whose resources are shown, and the schemas of their kinds; what was made of an older generation is made anew. */
export interface OpenApiCatalogue {
  readonly infos: readonly ResourceInfo[];
  /** Groups and versions of other API servers; where they serve what is served here too, theirs counts. */
  readonly remotes: readonly RemoteDocuments[];
  readonly generation: number;
  readonly schemas: SchemaRegistry;
  /** Structs that came with a resource's definition: they may be others the next time. */
  structsOf(info: ResourceInfo): SchemaTable | undefined;
  /** Of the server: `v1.36.0`. */
  readonly version: string;
  /** That the server was built of; empty: not known. */
  readonly commit: string;
}

/**
 * OpenAPI over what is served now. Documents are made on first request and kept, one per path and form, until
 * something else is served.
 */
export function createOpenApi(catalogue: OpenApiCatalogue): OpenApi {
  const { schemas, version } = catalogue;
  let replies = new Map<string, OpenApiReply>();
  let generation = catalogue.generation;
  let edition: string | undefined;
  const hashOf = (resources: readonly ResourceInfo[], key = ''): string => {
    edition ??= editionOf({ table: schemas.table, commit: catalogue.commit });
    return contentHash(catalogue, resources, `${edition} ${key}`);
  };
  return {
    serve(path, accept) {
      if (generation !== catalogue.generation) replies = new Map();
      generation = catalogue.generation;
      const { remotes } = catalogue;
      const elsewhere = new Set(remotes.map((one) => one.path));
      const resources = catalogue.infos.filter((info) => !elsewhere.has(pathOf(info)));
      const source = { resources, schemas, version, remotes };
      const form = path === '/openapi/v2' && ACCEPTS_GNOSTIC_V2.test(accept ?? '') ? GNOSTIC_V2 : JSON_TYPE;
      const key = `${form} ${path}`;
      const known = replies.get(key);
      if (known !== undefined) return known;
      const body = form === GNOSTIC_V2 ? encodeGnosticV2(wholeV2(source)) : jsonOf(source, path, hashOf);
      if (body === undefined) return undefined;
      // A document of version 3 goes by the hash that the index gives it.
      const own = groupVersions(resources).get(path.slice(V3.length));
      const hash = path.startsWith(V3) && own !== undefined ? hashOf(own) : undefined;
      const reply = {
        contentType: form,
        body,
        etag: `"${hash ?? hashOf(resources, `${key} ${remotesText(remotes)}`)}"`,
      };
      replies.set(key, reply);
      return reply;
    },
  };
}

type HashOf = (resources: readonly ResourceInfo[]) => string;

interface WholeSource extends OpenApiSource {
  readonly remotes: readonly RemoteDocuments[];
}

/** Of this server and the others. */
function wholeV2(source: WholeSource): JsonObject {
  const others = source.remotes.flatMap(({ path, v2 }) => (v2 === undefined ? [] : [{ prefix: path, document: v2 }]));
  return mergeV2(documentV2(source), others);
}

function pathOf(info: ResourceInfo): string {
  return `/${info.group === '' ? 'api' : 'apis'}/${groupVersion(info)}`;
}

/** Changes with what others publish: of version 2 it is enough that its hash is another. */
function remotesText(remotes: readonly RemoteDocuments[]): string {
  return remotes
    .map(({ path, v2, v3Url = '' }) => `${path} ${v3Url} ${v2 === undefined ? '' : JSON.stringify(v2)}`)
    .join();
}

function jsonOf(source: WholeSource, path: string, hashOf: HashOf): string | undefined {
  if (path === '/openapi/v2') return JSON.stringify(wholeV2(source));
  if (path === '/openapi/v3') return JSON.stringify(indexV3(source, hashOf));
  if (!path.startsWith(V3)) return undefined;
  const resources = groupVersions(source.resources).get(path.slice(V3.length));
  return resources === undefined ? undefined : JSON.stringify(documentV3({ ...source, resources }));
}

/** `/openapi/v3`: where each group and version is. The hash changes when the document may have changed. */
function indexV3(source: WholeSource, hashOf: HashOf): object {
  const entries = [...groupVersions(source.resources)].map(([name, resources]) => [
    name,
    { serverRelativeURL: `/openapi/v3/${name}?hash=${hashOf(resources)}` },
  ]);
  const others = source.remotes.flatMap(({ path, v3Url }) =>
    v3Url === undefined ? [] : [[path.slice(1), { serverRelativeURL: v3Url }]],
  );
  return { paths: Object.fromEntries([...entries, ...others]) };
}

/** Resources by `api/v1` and `apis/<group>/<version>`. */
function groupVersions(resources: readonly ResourceInfo[]): Map<string, ResourceInfo[]> {
  const out = new Map<string, ResourceInfo[]>();
  for (const info of resources) {
    const name = `${info.group === '' ? 'api' : 'apis'}/${groupVersion(info)}`;
    out.set(name, [...(out.get(name) ?? []), info]);
  }
  return out;
}

/** Changes with what is shown of these resources; `key`: with what else. */
function contentHash(catalogue: OpenApiCatalogue, resources: readonly ResourceInfo[], key: string): string {
  const shown = resources.map((info) => [info, catalogue.structsOf(info)]);
  return hashText(key + catalogue.version + JSON.stringify(shown));
}
