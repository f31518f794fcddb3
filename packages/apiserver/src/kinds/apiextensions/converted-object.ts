import { field as paths, validateAnnotations, validateLabels } from '@binnacle/machinery';
import type { FieldError, KubeObject } from '@binnacle/machinery';
import { ConversionAnswerError } from './conversion-review.ts';

type Value = { readonly [field: string]: unknown };

/**
 * What a webhook made of an object, with the metadata that the object had: of it only labels and annotations are the
 * webhook's to change. Throws ConversionAnswerError in upstream's words for what is another object.
 */
export function acceptConverted(original: KubeObject, converted: unknown, apiVersion: string): Value {
  if (!isRecord(converted)) throw new ConversionAnswerError(`invalid type ${goType(converted)}`);
  checkSame(original, converted, apiVersion);
  const { metadata } = converted;
  if (metadata === undefined) throw new ConversionAnswerError('missing metadata in converted object');
  if (!isRecord(metadata)) {
    throw new ConversionAnswerError(`invalid metadata of type ${goType(metadata)} in converted object`);
  }
  const { labels: _labels, annotations: _annotations, ...kept } = original.metadata;
  const labels = mapOf(metadata, 'labels', original);
  const annotations = mapOf(metadata, 'annotations', original);
  const restored = {
    ...kept,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { ...converted, metadata: restored };
}

function checkSame(original: KubeObject, converted: Value, apiVersion: string): void {
  const got = text(converted['apiVersion']);
  if (got !== apiVersion) {
    throw new ConversionAnswerError(`invalid groupVersion (expected ${apiVersion}, received ${got})`);
  }
  const kind = text(converted['kind']);
  if (kind !== original.kind) {
    throw new ConversionAnswerError(`invalid kind (expected ${original.kind}, received ${kind})`);
  }
  const metadata = isRecord(converted['metadata']) ? converted['metadata'] : {};
  for (const [field, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const wanted = original.metadata[field] ?? '';
    const found = text(metadata[field]);
    if (found !== wanted) throw new ConversionAnswerError(`must have the same ${name}: ${wanted} != ${found}`);
  }
}

/** Labels or annotations as the webhook wants them; undefined: none. */
function mapOf(metadata: Value, field: 'labels' | 'annotations', original: KubeObject): Value | undefined {
  const value = metadata[field];
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) {
    throw new ConversionAnswerError(`invalid metadata.${field} of type ${goType(value)} in converted object`);
  }
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry === 'string') continue;
    const type = goType(entry);
    throw new ConversionAnswerError(`metadata.${field}[${key}] must be a string, but is ${type} in converted object`);
  }
  const texts = value as { readonly [key: string]: string };
  if (!isSame(texts, original.metadata[field] ?? {})) refuseInvalid(field, texts);
  return texts;
}

/** What was wrong before stays; what is new must be right. */
function refuseInvalid(field: 'labels' | 'annotations', texts: { readonly [key: string]: string }): void {
  const errors =
    field === 'labels'
      ? validateLabels(texts, paths.child('metadata', 'labels'))
      : validateAnnotations(texts, paths.child('metadata', 'annotation'));
  if (errors.length > 0) throw new ConversionAnswerError(together(errors));
}

function together(errors: readonly FieldError[]): string {
  const messages = errors.map(String);
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
}

function isSame(a: { readonly [key: string]: string }, b: { readonly [key: string]: string }): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}

function isRecord(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What Go calls a value of JSON. */
function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'object':
      return 'map[string]interface {}';
    default:
      return Number.isInteger(value) ? 'int64' : 'float64';
  }
}
