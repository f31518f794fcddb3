import { groupVersion } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { WholeReply } from '../catalogue/definition.ts';
import type { YamlConverter } from '../ports/yaml.ts';
import type { Rendering } from '../request/media.ts';
import { listMeta } from '../render/list-meta.ts';
import { allocateOwn } from '../storage/object-bytes.ts';
import type { Allocate } from '../storage/object-bytes.ts';
import { partialList, partialObject } from '../render/partial.ts';
import { tableOf } from '../render/table.ts';
import { encodingFor, encodingOf } from './encodings.ts';

const encoder = new TextEncoder();

/** The body of a reply in the form asked for: pieces to be written one after the other, never joined. */
export interface EncodedBody {
  readonly contentType: string;
  readonly pieces: Iterable<Uint8Array>;
  /** Bytes of all pieces, when known without making them. */
  readonly length: number | undefined;
}

/** Encodes what is answered whole; at once, but for YAML, whose library is loaded on first use. */
export function encodeBody(reply: WholeReply, at: EncodeOptions): EncodedBody | Promise<EncodedBody> {
  const { rendering, allocate = allocateOwn } = at;
  if (reply.kind === 'text') {
    return single(typeof reply.body === 'string' ? encoder.encode(reply.body) : reply.body, reply.contentType);
  }
  const encoding = encodingOf(rendering);
  const projected = rendering.as !== 'object' && codeIsSuccess(reply);
  if (rendering.format !== 'yaml' && !rendering.pretty && !projected) {
    const { contentType } = encoding;
    if (reply.kind === 'entry') return single(encoding.object(reply.served, reply.entry, allocate), contentType);
    if (reply.kind === 'list') {
      const pieces = encoding.list(reply.served, { items: reply.items, metadata: listMeta(reply) }, allocate);
      return { contentType, pieces, length: undefined };
    }
  }
  const value = kindFirst(projected ? project(reply, at) : valueOf(reply));
  if (rendering.format === 'yaml') return asYaml(value, at.yaml);
  const writing = encodingFor(rendering, value);
  return single(writing.value(value, { pretty: rendering.pretty }), writing.contentType);
}

export interface EncodeOptions {
  readonly rendering: Rendering;
  /** `Object`, `Metadata` (also '') or `None`: what rows of a Table carry. */
  readonly includeObject: string;
  /** Milliseconds since the epoch: ages in a Table count from here. */
  readonly now: number;
  /** Memory for bytes that are sent and forgotten. */
  readonly allocate?: Allocate;
  /** Takes large YAML off this thread. Absent: it is written here. */
  readonly yaml?: YamlConverter | undefined;
}

function single(bytes: Uint8Array, contentType: string): EncodedBody {
  return { contentType, pieces: [bytes], length: bytes.length };
}

type Structured = Exclude<WholeReply, { readonly kind: 'text' }>;

/** The reply as an object. Parts of it are shared: read only. */
export function valueOf(reply: Structured): object {
  if (reply.kind === 'object') return reply.object;
  if (reply.kind === 'entry') return reply.served.view(reply.entry);
  const { info } = reply.served;
  return {
    kind: info.listKind,
    apiVersion: groupVersion(info),
    metadata: listMeta(reply),
    items: reply.items.map((entry) => reply.served.view(entry)),
  };
}

/** What a list holds; undefined for one object. */
function itemsOf(reply: Structured): readonly KubeObject[] | undefined {
  if (reply.kind === 'list') return reply.items.map((entry) => reply.served.view(entry));
  return reply.kind === 'object' ? reply.items : undefined;
}

/** Of a list, or of rows: a single object tells its revision alone. */
function metadataOf(reply: Structured, value: object): object {
  if (reply.kind === 'list') return listMeta(reply);
  const { metadata = {} } = value as { readonly metadata?: { readonly resourceVersion?: string } };
  if (reply.kind === 'object' && reply.items !== undefined) return metadata;
  return metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion };
}

function codeIsSuccess(reply: WholeReply): boolean {
  return !('code' in reply) || reply.code < 400;
}

function project(reply: Structured, { rendering, includeObject, now }: EncodeOptions): object {
  const value = valueOf(reply);
  // A Status is answered as it is, whatever form was asked for.
  if ('kind' in value && value.kind === 'Status') return value;
  const items = itemsOf(reply);
  if (rendering.as === 'table') {
    const rows = { objects: items ?? [value as KubeObject], metadata: metadataOf(reply, value) };
    return tableOf(reply, { ...rows, metaVersion: rendering.metaVersion, includeObject, now });
  }
  return items === undefined
    ? partialObject(value as KubeObject, rendering.metaVersion)
    : partialList(items, metadataOf(reply, value), rendering.metaVersion);
}

/** So much is written at once: some ten milliseconds. */
const SMALL_YAML_BYTES = 32 * 1024;

async function asYaml(value: object, converter: YamlConverter | undefined): Promise<EncodedBody> {
  const json = encoder.encode(JSON.stringify(value));
  if (converter !== undefined && json.length > SMALL_YAML_BYTES) {
    return single(await converter.fromJson(json), 'application/yaml');
  }
  const { jsonToYaml } = await import('@binnacle/machinery/yaml-text');
  return single(jsonToYaml(json), 'application/yaml');
}

/** Kind and version lead every document, as Go writes them, wherever they came into the object. */
function kindFirst(object: object): object {
  if (!('kind' in object) || Object.keys(object)[0] === 'kind') return object;
  const { kind, apiVersion, ...rest } = object as { kind: unknown; apiVersion?: unknown };
  return { kind, apiVersion, ...rest };
}
