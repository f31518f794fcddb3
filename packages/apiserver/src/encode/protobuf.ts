import { schemaName, schemas } from '@binnacle/api';
import { assert } from '@binnacle/base';
import {
  bytesOfField,
  groupVersion,
  parseGroupVersion,
  protobufEnvelope,
  ProtoWriter,
  sealProtobuf,
} from '@binnacle/machinery';
import type { Enveloped } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import type { ServedResource } from '../catalogue/definition.ts';
import { withRevision } from '../storage/object-bytes.ts';
import { keptBytes } from './encoding.ts';
import type { EncodableList, Encoding } from './encoding.ts';

/** The length of what follows. */
const FRAME_HEAD_BYTES = 4;

/** The media type of Kubernetes' protobuf; on a watch with `;stream=watch`. */
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/**
 * Kubernetes' protobuf: a message in an envelope that says its kind. The message of an entry is kept with it, so that
 * it is made once for all lists, reads and events of a version. Only what the schema table has numbers for is written
 * so: the caller asks for it where `hasMessages` (the exchange) says yes, or `writes` does.
 */
export const PROTOBUF_ENCODING: Encoding = {
  name: 'protobuf',
  contentType: PROTOBUF_TYPE,
  streamType: `${PROTOBUF_TYPE};stream=watch`,
  isText: false,
  frameHeadBytes: FRAME_HEAD_BYTES,
  object: (served, entry) => sealProtobuf(typeOf(served), messageOf(served, entry, keyOf(served))),
  list: listPieces,
  frame(served, { type, entry, revision }) {
    // What is deleted shows another revision, once: that is not kept.
    const message =
      revision === entry.revision
        ? messageOf(served, entry, keyOf(served))
        : served.schemas.encodeProtobuf(served.info.schema, withRevision(served.view(entry), revision));
    return watchFrame(type, sealProtobuf(typeOf(served), message));
  },
  value: (value) => sealed(value),
  valueFrame: (type, value) => watchFrame(type, sealed(value)),
  writes: (value) => structOf(value) !== undefined,
};

function typeOf({ info }: ServedResource): Enveloped {
  return { apiVersion: groupVersion(info), kind: info.kind };
}

/** Under which an entry keeps its message. */
function keyOf(served: ServedResource): string {
  return served.native ? 'protobuf' : `protobuf ${groupVersion(served.info)}`;
}

function messageOf(served: ServedResource, entry: Entry, key: string): Uint8Array {
  return keptBytes(entry, key, () =>
    served.schemas.encodeProtobuf(served.info.schema, withRevision(served.view(entry), entry.revision)),
  );
}

/** The struct of an object that says its kind; undefined for what has no message. */
function structOf(value: object): string | undefined {
  const { kind, apiVersion } = value as { kind?: unknown; apiVersion?: unknown };
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return undefined;
  const { group, version } = parseGroupVersion(apiVersion);
  // What every group shares (Status) says the version of the core group.
  return [schemaName(group, version, kind), `meta.v1.${kind}`].find((struct) => schemas.hasMessage(struct));
}

function sealed(value: object): Uint8Array {
  const struct = structOf(value);
  assert(struct !== undefined, 'what is written as protobuf has a message', value as { kind?: string });
  return sealProtobuf(value as Enveloped, schemas.encodeProtobuf(struct, value));
}

/** Four bytes of length, and a WatchEvent with the enveloped object in it; the event itself has no envelope. */
function watchFrame(type: string, object: Uint8Array): Uint8Array {
  const writer = new ProtoWriter(object.length + 32);
  writer.string(1, type);
  const extension = writer.begin(2);
  writer.bytes(1, object);
  writer.end(extension);
  const event = writer.finish();
  const frame = new Uint8Array(FRAME_HEAD_BYTES + event.length);
  new DataView(frame.buffer).setUint32(0, event.length);
  frame.set(event, FRAME_HEAD_BYTES);
  return frame;
}

/** Small items are put together to pieces of about this size. */
const PIECE_BYTES = 64 * 1024;
const METADATA = 1;
const ITEMS = 2;

/** The length of all goes before the first item, so all are made (or kept already) before anything is sent. */
function* listPieces(served: ServedResource, { items, metadata }: EncodableList): Generator<Uint8Array> {
  const { info } = served;
  const key = keyOf(served);
  const messages = items.map((entry) => messageOf(served, entry, key));
  const meta = schemas.encodeProtobuf('meta.v1.ListMeta', metadata);
  let size = bytesOfField(METADATA, meta.length);
  for (const { length } of messages) size += bytesOfField(ITEMS, length);
  const { head, tail } = protobufEnvelope({ apiVersion: groupVersion(info), kind: info.listKind }, size);
  const writer = new ProtoWriter(Math.min(size, PIECE_BYTES) + head.length + tail.length);
  writer.raw(head);
  writer.bytes(METADATA, meta);
  for (const message of messages) {
    writer.bytes(ITEMS, message);
    if (writer.length < PIECE_BYTES) continue;
    yield writer.finish();
    writer.reset();
  }
  writer.raw(tail);
  yield writer.finish();
}
