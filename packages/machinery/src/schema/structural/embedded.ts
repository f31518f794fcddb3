/** Objects inside of objects (`x-kubernetes-embedded-resource`): they say what they are, and their metadata are right. */
import type { ObjectMeta } from '../../generated/meta-v1.ts';
import type { FieldError } from '../../status-error.ts';
import { child, index, invalid, invalidAll, key, required } from '../../validation/field.ts';
import type { FieldPath } from '../../validation/field.ts';
import { dns1035LabelErrors, pathSegmentErrors } from '../../validation/names.ts';
import { validateObjectMeta } from '../../validation/object-meta.ts';
import { isMap } from './node.ts';
import type { StructuralNode } from './node.ts';

/** Schemas in which such objects can stand: others are not walked for them. */
const holders = new WeakMap<StructuralNode, boolean>();

/** What is wrong with the objects inside of a value; the value itself counts where its place says that it is one. */
export function embeddedErrors(value: unknown, node: StructuralNode, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (holdsObjects(node))
    collect(value, { node, path, isInside: node.props['x-kubernetes-embedded-resource'] === true }, errors);
  return errors;
}

function holdsObjects(node: StructuralNode): boolean {
  let holds = holders.get(node);
  if (holds === undefined) {
    const parts = [node.additional, node.items, ...node.properties.values()].filter((part) => part !== undefined);
    holds = parts.some((part) => part.isResource || holdsObjects(part)) || isEmbedded(node);
    holders.set(node, holds);
  }
  return holds;
}

function isEmbedded(node: StructuralNode): boolean {
  return node.props['x-kubernetes-embedded-resource'] === true;
}

interface Place {
  readonly node: StructuralNode;
  readonly path: FieldPath;
  readonly isInside: boolean;
}

function collect(value: unknown, { node, path, isInside }: Place, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined || !holdsObjects(items)) return;
    for (const [i, item] of value.entries()) collect(item, below(items, index(path, i)), errors);
    return;
  }
  if (!isMap(value)) return;
  if (isInside) errors.push(...objectErrors(value, path));
  for (const name of Object.keys(value)) {
    const property = node.properties.get(name);
    const inner = property ?? node.additional;
    if (inner === undefined || !holdsObjects(inner)) continue;
    collect(value[name], below(inner, property === undefined ? key(path, name) : child(path, name)), errors);
  }
}

function below(node: StructuralNode, path: FieldPath): Place {
  return { node, path, isInside: isEmbedded(node) };
}

function objectErrors(object: { readonly [name: string]: unknown }, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(object, name)) errors.push(required(child(path, name)));
  }
  if (Object.hasOwn(object, 'apiVersion'))
    errors.push(...versionErrors(object['apiVersion'], child(path, 'apiVersion')));
  if (Object.hasOwn(object, 'kind')) errors.push(...kindErrors(object['kind'], child(path, 'kind')));
  const metadata = object['metadata'];
  if (!isMap(metadata)) return errors;
  const { name, namespace } = metadata as ObjectMeta;
  // Whoever makes the object later may name it.
  const named = { ...metadata, name: name || 'unnamed' } as ObjectMeta;
  const namespaced = Boolean(namespace);
  return [
    ...errors,
    ...validateObjectMeta(named, { namespaced, nameCheck: pathSegmentErrors, path: child(path, 'metadata') }),
  ];
}

function versionErrors(version: unknown, path: FieldPath): FieldError[] {
  if (typeof version !== 'string') return [invalid(path, version, 'must be a string')];
  if (version === '') return [invalid(path, version, 'must not be empty')];
  return version.split('/').length <= 2 ? [] : [invalid(path, version, `unexpected GroupVersion string: ${version}`)];
}

function kindErrors(kind: unknown, path: FieldPath): FieldError[] {
  if (typeof kind !== 'string') return [invalid(path, kind, 'must be a string')];
  if (kind === '') return [invalid(path, kind, 'must not be empty')];
  const errors = dns1035LabelErrors(kind.toLowerCase());
  const detail = `may have mixed case, but should otherwise match: ${errors.join(',')}`;
  return errors.length === 0 ? [] : invalidAll(path, kind, [detail]);
}
