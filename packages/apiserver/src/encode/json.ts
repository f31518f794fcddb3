import { joinBytes } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { ServedResource } from '../catalogue/definition.ts';
import { encodeWrapped } from '../storage/object-bytes.ts';
import type { Allocate } from '../storage/object-bytes.ts';
import type { EncodableList, Encoding } from './encoding.ts';

const encoder = new TextEncoder();
const JSON_TYPE = 'application/json';
const CLOSE = '}\n';
const OPEN = {
  ADDED: '{"type":"ADDED","object":',
  MODIFIED: '{"type":"MODIFIED","object":',
  DELETED: '{"type":"DELETED","object":',
} as const;

/** JSON: stored bytes with the revision spliced in, where the version is the stored one. Keeps nothing beside them. */
export const JSON_ENCODING: Encoding = {
  name: 'json',
  contentType: JSON_TYPE,
  streamType: JSON_TYPE,
  isText: true,
  frameHeadBytes: 0,
  object(served, entry, allocate) {
    // A newline as upstream ends every body.
    const wrap = { before: '', after: '\n', allocate };
    if (served.native) return served.bytes.served(entry, entry.revision, wrap);
    return encodeWrapped(served.view(entry), entry.revision, wrap);
  },
  list: listPieces,
  frame(served, { type, entry, revision }) {
    const wrap = { before: OPEN[type], after: CLOSE };
    return served.native
      ? served.bytes.served(entry, revision, wrap)
      : encodeWrapped(served.view(entry), revision, wrap);
  },
  value: (value, { pretty }) => encoder.encode(`${JSON.stringify(value, null, pretty ? 2 : undefined)}\n`),
  valueFrame: (type, object) => encoder.encode(`${JSON.stringify({ type, object })}\n`),
};

/** Small items are put together to pieces of about this size. */
const PIECE_BYTES = 64 * 1024;

function* listPieces(
  served: ServedResource,
  { items, metadata }: EncodableList,
  allocate: Allocate,
): Generator<Uint8Array> {
  const { info } = served;
  const head = `{"kind":${JSON.stringify(info.listKind)},"apiVersion":${JSON.stringify(groupVersion(info))},"metadata":${JSON.stringify(metadata)},"items":[`;
  let batch: Uint8Array[] = [encoder.encode(head)];
  let size = batch[0]?.length ?? 0;
  let first = true;
  for (const entry of items) {
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
