/** How lists and maps are merged: by keys, as sets, or as a whole. */
import type { JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';
import { asSchema } from './schema-parts.ts';

const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];
const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_TYPE = 'x-kubernetes-map-type';
const KEYS = 'x-kubernetes-list-map-keys';
const AS_ITEM_OF_SET = 'must be atomic as item of a list with x-kubernetes-list-type=set';

export function validateMapType(schema: JSONSchemaProps, path: FieldPath, report: Report): void {
  const mapType = schema[MAP_TYPE];
  if (mapType === undefined) return;
  mustBe('object', { schema, path, because: `if ${MAP_TYPE} is specified` }, report);
  if (!MAP_TYPES.includes(mapType)) report.unsupported(path.child(MAP_TYPE), mapType, MAP_TYPES);
}

export function validateListType(schema: JSONSchemaProps, path: FieldPath, report: Report): void {
  const listType = schema[LIST_TYPE];
  const items = asSchema(schema.items);
  if (listType !== undefined && schema.type !== 'array') {
    mustBe('array', { schema, path, because: `if ${LIST_TYPE} is specified` }, report);
  } else if (listType === 'set' && items !== undefined) validateItemOfSet(items, path.child('items'), report);
  if (listType !== undefined && !LIST_TYPES.includes(listType)) {
    report.unsupported(path.child(LIST_TYPE), listType, LIST_TYPES);
  }
  const keys = schema[KEYS] ?? [];
  if (keys.length > 0 && listType !== 'map') {
    const detail = `must be map if ${KEYS} is non-empty`;
    if (listType === undefined) report.required(path.child(LIST_TYPE), detail);
    else report.invalid(path.child(LIST_TYPE), listType, detail);
  }
  if (listType === 'map') validateKeys(schema, path, report);
  if ((listType === 'map' || listType === 'set') && items !== undefined) {
    validateItemsThere({ items, listType, keys }, path.child('items'), report);
  }
}

function mustBe(
  type: string,
  { schema, path, because }: { schema: JSONSchemaProps; path: FieldPath; because: string },
  report: Report,
): void {
  const detail = `must be ${type} ${because}`;
  if (!schema.type) report.required(path.child('type'), detail);
  else if (schema.type !== type) report.invalid(path.child('type'), schema.type, detail);
}

function validateItemOfSet(items: JSONSchemaProps, path: FieldPath, report: Report): void {
  const inner = items[LIST_TYPE];
  if (items.type === 'array' && inner !== undefined && inner !== 'atomic') {
    report.invalid(path.child(LIST_TYPE), inner, AS_ITEM_OF_SET);
  }
  if (items.type === 'object' && items[MAP_TYPE] !== 'atomic') {
    // What is shown is the type of the list, as upstream has it.
    report.invalid(path.child(MAP_TYPE), inner ?? null, AS_ITEM_OF_SET);
  }
}

function validateKeys(schema: JSONSchemaProps, path: FieldPath, report: Report): void {
  const keys = schema[KEYS] ?? [];
  if (keys.length === 0) report.required(path.child(KEYS), 'must not be empty if x-kubernetes-list-type is map');
  const itemsPath = path.child('items');
  if (schema.items === undefined || schema.items === null) {
    return report.required(itemsPath, 'must have a schema if x-kubernetes-list-type is map');
  }
  const items = asSchema(schema.items);
  if (items === undefined) {
    return report.invalid(itemsPath, schema.items, 'must only have a single schema if x-kubernetes-list-type is map');
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return report.invalid(itemsPath.child('type'), items.type ?? '', detail);
  }
  const seen = new Set<string>();
  const known = items.properties ?? {};
  for (const key of keys) {
    const property = Object.hasOwn(known, key) ? known[key] : undefined;
    if (property === undefined) report.invalid(path.child(KEYS), keys, 'entries must all be names of item properties');
    else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      report.invalid(itemsPath.child('properties').key(key).child('type'), items.type, detail);
    }
    if (seen.has(key)) report.invalid(path.child(KEYS), keys, 'must not contain duplicate entries');
    seen.add(key);
  }
  return undefined;
}

/** Items of sets and keyed lists are there, and so is what they are known by. */
function validateItemsThere(
  { items, listType, keys }: { items: JSONSchemaProps; listType: string; keys: readonly string[] },
  path: FieldPath,
  report: Report,
): void {
  if (items.nullable === true) {
    report.forbidden(path.child('nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`);
  }
  if (listType !== 'map') return;
  const known = items.properties ?? {};
  const required = new Set(items.required ?? []);
  for (const key of keys) {
    const property = Object.hasOwn(known, key) ? known[key] : undefined;
    if (property === undefined) continue;
    const place = path.child('properties').key(key);
    if (!required.has(key) && property.default === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      report.required(place.child('default'), detail);
    }
    if (property.nullable === true) {
      report.forbidden(
        place.child('nullable'),
        'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
      );
    }
  }
}
