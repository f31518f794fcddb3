import { groupVersion } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import type { ListReply, WholeReply, ServedResource } from '../catalogue/definition.ts';
import type { Rendering } from '../request/media.ts';
import { listMeta } from '../render/list-meta.ts';
import { allocateOwn, encodeWrapped } from '../storage/object-bytes.ts';
import type { Allocate } from '../storage/object-bytes.ts';
import { partialList, partialObject } from '../render/partial.ts';
import { tableOf } from '../render/table.ts';

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
  const plain = rendering.format === 'json' && !rendering.pretty;
  const projected = rendering.as !== 'object' && codeIsSuccess(reply);
  if (plain && !projected) {
    if (reply.kind === 'entry') return single(entryBytes(reply.served, reply.entry, allocate), JSON_TYPE);
    if (reply.kind === 'list')
      return { contentType: JSON_TYPE, pieces: listPieces(reply, allocate), length: undefined };
  }
  return asText(projected ? project(reply, at) : valueOf(reply), rendering);
}

export interface EncodeOptions {
  readonly rendering: Rendering;
  /** `Object`, `Metadata` (also '') or `None`: what rows of a Table carry. */
  readonly includeObject: string;
  /** Milliseconds since the epoch: ages in a Table count from here. */
  readonly now: number;
  /** Memory for bytes that are sent and forgotten. */
  readonly allocate?: Allocate;
}

const JSON_TYPE = 'application/json';

function single(bytes: Uint8Array, contentType: string): EncodedBody {
  return { contentType, pieces: [bytes], length: bytes.length };
}

/** The bytes of one entry in its served version, with a newline as upstream ends every body. */
function entryBytes(served: ServedResource, entry: Entry, allocate: Allocate): Uint8Array {
  const wrap = { before: '', after: '\n', allocate };
  if (served.native) return served.bytes.served(entry, entry.revision, wrap);
  return encodeWrapped(served.view(entry), entry.revision, wrap);
}

/** Small items are put together to pieces of about this size. */
const PIECE_BYTES = 64 * 1024;

function* listPieces(reply: ListReply, allocate: Allocate): Generator<Uint8Array> {
  const { served } = reply;
  const { info } = served;
  const head = `{"kind":${JSON.stringify(info.listKind)},"apiVersion":${JSON.stringify(groupVersion(info))},"metadata":${JSON.stringify(listMeta(reply))},"items":[`;
  let batch: Uint8Array[] = [encoder.encode(head)];
  let size = batch[0]?.length ?? 0;
  let first = true;
  for (const entry of reply.items) {
    const wrap = { before: first ? '' : ',', after: '', allocate };
    first = false;
    const bytes = served.native
      ? served.bytes.item(entry, wrap)
      : encodeWrapped(withoutKind(served.view(entry)), entry.revision, wrap);
    batch.push(bytes);
    size += bytes.length;
    if (size < PIECE_BYTES) continue;
    yield joinBytes(batch, size);
    batch = [];
    size = 0;
  }
  const tail = encoder.encode(']}\n');
  batch.push(tail);
  yield joinBytes(batch, size + tail.length);
}

function withoutKind(object: KubeObject): KubeObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}

function joinBytes(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
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

function codeIsSuccess(reply: WholeReply): boolean {
  return !('code' in reply) || reply.code < 400;
}

function project(reply: Structured, { rendering, includeObject, now }: EncodeOptions): object {
  const value = valueOf(reply);
  // A Status is answered as it is, whatever form was asked for.
  if ('kind' in value && value.kind === 'Status') return value;
  if (rendering.as === 'table')
    return tableOf(reply, { value, metaVersion: rendering.metaVersion, includeObject, now });
  const items = reply.kind === 'list' ? reply.items.map((entry) => reply.served.view(entry)) : undefined;
  return items === undefined || reply.kind !== 'list'
    ? partialObject(value as KubeObject, rendering.metaVersion)
    : partialList(items, listMeta(reply), rendering.metaVersion);
}

function asText(object: object, { format, pretty }: Rendering): EncodedBody | Promise<EncodedBody> {
  const value = kindFirst(object);
  if (format === 'yaml') return asYaml(value);
  return single(encoder.encode(`${JSON.stringify(value, null, pretty ? 2 : undefined)}\n`), JSON_TYPE);
}

async function asYaml(value: object): Promise<EncodedBody> {
  const { dump } = await import('js-yaml');
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return single(encoder.encode(dump(plain, { sortKeys: true })), 'application/yaml');
}

/** Kind and version lead every document, as Go writes them, wherever they came into the object. */
function kindFirst(object: object): object {
  if (!('kind' in object) || Object.keys(object)[0] === 'kind') return object;
  const { kind, apiVersion, ...rest } = object as { kind: unknown; apiVersion?: unknown };
  return { kind, apiVersion, ...rest };
}
