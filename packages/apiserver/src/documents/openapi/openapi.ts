import type { ResourceInfo } from '@binnacle/api';
import { groupVersion } from '@binnacle/machinery';
import { hashText } from '../discovery/hash.ts';
import { documentV2, documentV3 } from './document.ts';
import type { OpenApiSource } from './document.ts';
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
/** Asked for with either mark; answered with the dot, as Go's media type parser knows no `@`. */
const ACCEPTS_GNOSTIC_V2 = /application\/com\.github\.proto-openapi\.spec\.v2[@.]v1\.0\+protobuf/;
const GNOSTIC_V2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** OpenAPI over a table of resources. Documents are made on first request and kept, one per path and form. */
export function createOpenApi(source: OpenApiSource): OpenApi {
  const replies = new Map<string, OpenApiReply>();
  return {
    serve(path, accept) {
      const form = path === '/openapi/v2' && ACCEPTS_GNOSTIC_V2.test(accept ?? '') ? GNOSTIC_V2 : JSON_TYPE;
      const key = `${form} ${path}`;
      const known = replies.get(key);
      if (known !== undefined) return known;
      const body = form === GNOSTIC_V2 ? encodeGnosticV2(documentV2(source)) : jsonOf(source, path);
      if (body === undefined) return undefined;
      const reply = { contentType: form, body, etag: etagOf(source, key) };
      replies.set(key, reply);
      return reply;
    },
  };
}

function jsonOf(source: OpenApiSource, path: string): string | undefined {
  if (path === '/openapi/v2') return JSON.stringify(documentV2(source));
  if (path === '/openapi/v3') return JSON.stringify(indexV3(source));
  const prefix = '/openapi/v3/';
  if (!path.startsWith(prefix)) return undefined;
  const resources = groupVersions(source.resources).get(path.slice(prefix.length));
  return resources === undefined ? undefined : JSON.stringify(documentV3({ ...source, resources }));
}

/** `/openapi/v3`: where each group and version is. The hash changes when the document may have changed. */
function indexV3(source: OpenApiSource): object {
  const entries = [...groupVersions(source.resources)].map(([name, resources]) => [
    name,
    { serverRelativeURL: `/openapi/v3/${name}?hash=${hashText(source.version + JSON.stringify(resources))}` },
  ]);
  return { paths: Object.fromEntries(entries) };
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

function etagOf(source: OpenApiSource, key: string): string {
  return `"${hashText(key + source.version + JSON.stringify(source.resources))}"`;
}
