import { ProtoReader, ProtoWriter } from '@binnacle/machinery';
import type { SealedKey } from '../../ports/key-service.ts';
import { TransformError } from './errors.ts';

/** Bounds of what a key service may have kept with every object, in bytes (upstream's). */
const ANNOTATIONS_MAX = 32 * 1024;
const KEY_ID_MAX = 1024;
const SOURCE_MAX = 1024;
/** Labels with dots between them, two at the least. */
const DOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+$/;

/** How the key of an object is made of what the service unseals: it is that, or is derived from it. */
export type KeySource = 'key' | 'seed';
const SOURCES: readonly KeySource[] = ['key', 'seed'];

/** An object as it rests (upstream's `EncryptedObject`). */
export interface SealedObject {
  readonly data: Uint8Array;
  readonly key: SealedKey;
  readonly source: KeySource;
}

/** The bytes behind the prefix. */
export function encodeSealedObject({ data, key, source }: SealedObject): Uint8Array {
  const writer = new ProtoWriter(data.length + key.ciphertext.length + 256);
  writer.bytes(1, data);
  writer.string(2, key.keyId);
  writer.bytes(3, key.ciphertext);
  for (const [name, value] of key.annotations) {
    writer.message(4, () => {
      writer.string(1, name);
      writer.bytes(2, value);
    });
  }
  const type = SOURCES.indexOf(source);
  if (type > 0) writer.int(5, type);
  return writer.finish().slice();
}

/** Throws TransformError for what no server has written. */
export function decodeSealedObject(bytes: Uint8Array): SealedObject {
  const fields = { data: new Uint8Array(0), keyId: '', ciphertext: new Uint8Array(0), type: 0 };
  const annotations = new Map<string, Uint8Array>();
  const reader = new ProtoReader(bytes);
  while (reader.next()) {
    if (reader.field === 1) fields.data = reader.bytes().slice();
    else if (reader.field === 2) fields.keyId = reader.string();
    else if (reader.field === 3) fields.ciphertext = reader.bytes().slice();
    else if (reader.field === 4) readAnnotation(new ProtoReader(reader.bytes()), annotations);
    else if (reader.field === 5) fields.type = Number(reader.varint());
    else reader.skip();
  }
  const source = SOURCES[fields.type];
  if (source === undefined) throw new TransformError(`unknown encryptedDEKSourceType: ${fields.type}`);
  if (fields.data.length === 0) throw new TransformError('encrypted data is empty');
  const key = { keyId: fields.keyId, ciphertext: fields.ciphertext, annotations };
  checkSealedKey(key);
  return { data: fields.data, key, source };
}

function readAnnotation(reader: ProtoReader, into: Map<string, Uint8Array>): void {
  let [name, value] = ['', new Uint8Array(0)];
  while (reader.next()) {
    if (reader.field === 1) name = reader.string();
    else if (reader.field === 2) value = reader.bytes().slice();
    else reader.skip();
  }
  into.set(name, value);
}

/** What a service says must not grow with every object. Throws TransformError. */
export function checkSealedKey({ ciphertext, keyId, annotations }: SealedKey): void {
  if (ciphertext.length === 0) throw new TransformError('encrypted DEK source is empty');
  if (ciphertext.length > SOURCE_MAX) {
    throw new TransformError(
      `encrypted DEK source is ${ciphertext.length} bytes, which exceeds the max size of ${SOURCE_MAX}`,
    );
  }
  checkKeyId(keyId);
  let total = 0;
  for (const [name, value] of annotations) {
    if (!DOMAIN.test(name))
      throw new TransformError(`annotations: ${name}: should be a domain with at least two segments`);
    total += new TextEncoder().encode(name).length + value.length;
  }
  if (total > ANNOTATIONS_MAX) {
    throw new TransformError(`total size of annotations is ${total}, which exceeds the max size of ${ANNOTATIONS_MAX}`);
  }
}

/** Throws TransformError. */
export function checkKeyId(keyId: string): void {
  const bytes = new TextEncoder().encode(keyId).length;
  if (bytes === 0) throw new TransformError('keyID is empty');
  if (bytes > KEY_ID_MAX)
    throw new TransformError(`keyID is ${bytes} bytes, which exceeds the max size of ${KEY_ID_MAX}`);
}
