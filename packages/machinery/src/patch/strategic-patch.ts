/**
 * Strategic merge patch: a merge patch that knows from the schema table which lists are merged by a key, and that
 * carries orders (`$patch`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`, `$retainKeys`).
 */
import { isObject, memberOf, putMember } from '../schema/member.ts';
import type { SchemaRegistry } from '../schema/registry.ts';
import type { FieldSchema, TypeRef } from '../schema/table.ts';
import { badRequest, unprocessable } from '../status-error.ts';
import { orderList } from './list-order.ts';
import type { JsonObject } from './list-order.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const SET_ORDER = '$setElementOrder/';

/**
 * The document of the struct `type` after the patch; the input is not changed. Throws StatusError: 400 for a patch
 * or an order that is malformed, 422 for one that does not fit.
 */
export function applyStrategicPatch(registry: SchemaRegistry, type: string, input: StrategicInput): unknown {
  if (input.patch === null) return input.document;
  if (!isObject(input.patch)) throw badRequest('invalid JSON document');
  return new Merger(registry).object(input.document as JsonObject, input.patch, `#${type}`);
}

/** What is patched, and with what: both as parsed JSON. */
export interface StrategicInput {
  readonly document: unknown;
  readonly patch: unknown;
}

/** How one field is patched. */
interface FieldPlan {
  readonly type: TypeRef | undefined;
  readonly strategies: readonly string[];
  readonly mergeKey: string;
}

const NO_STRATEGIES: readonly string[] = [];

type Members = { [name: string]: unknown };

class Merger {
  readonly #registry: SchemaRegistry;

  constructor(registry: SchemaRegistry) {
    this.#registry = registry;
  }

  object(document: JsonObject, patch: JsonObject, type: TypeRef | undefined): JsonObject {
    const directive = patch[DIRECTIVE];
    if (directive !== undefined) return replaceOrDelete(directive, patch);
    const members: Members = { ...retained(document, patch) };
    const names = Object.keys(patch);
    // What an order has been obeyed with, and what is one; hardly any patch has one.
    const done = new Set([RETAIN_KEYS]);
    for (const key of names) {
      if (key.startsWith(SET_ORDER)) this.#orderedList(members, { patch, done }, { key, type });
    }
    for (const key of names) if (!done.has(key)) this.#member(members, { key, value: patch[key] }, type);
    return members;
  }

  #member(
    members: Members,
    { key, value }: { readonly key: string; readonly value: unknown },
    type: TypeRef | undefined,
  ): void {
    const isDeletion = key.startsWith(DELETE_FROM);
    const name = isDeletion ? key.slice(DELETE_FROM.length) : key;
    if (value === null) {
      if (Object.hasOwn(members, name)) delete members[name];
      return;
    }
    const before = memberOf(members, name);
    if (before === undefined || before === null) {
      if (!isDeletion) putMember(members, name, withoutOrders(value));
      return;
    }
    putMember(members, name, this.#value(before, value, { plan: this.#plan(type, name), isDeletion }));
  }

  #value(before: unknown, value: unknown, how: { plan: FieldPlan; isDeletion: boolean }): unknown {
    const { plan, isDeletion } = how;
    if (isObject(before) && isObject(value)) {
      return plan.strategies.includes('replace') ? withoutOrders(value) : this.object(before, value, plan.type);
    }
    if (Array.isArray(before) && Array.isArray(value)) {
      if (isDeletion) return withoutItems(before, value);
      return plan.strategies.includes('merge') ? this.#list(before, value, plan) : withoutOrders(value);
    }
    if (isDeletion) throw badRequest('invalid patch format of primitive list');
    return withoutOrders(value);
  }

  #orderedList(
    members: Members,
    { patch: all, done }: { readonly patch: JsonObject; readonly done: Set<string> },
    from: { readonly key: string; readonly type: TypeRef | undefined },
  ): void {
    const left = (name: string): unknown => (done.has(name) ? undefined : memberOf(all, name));
    const order = all[from.key];
    done.add(from.key);
    const name = from.key.slice(SET_ORDER.length);
    if (!Array.isArray(order)) throw badRequest('invalid patch format of setElementOrder list');
    const before = memberOf(members, name) ?? undefined;
    const patch = left(name) ?? undefined;
    const deletion = left(DELETE_FROM + name);
    if (before !== undefined && !Array.isArray(before)) throw unprocessable(`${name} is no list`);
    if (patch !== undefined && !Array.isArray(patch)) throw badRequest('invalid patch format of setElementOrder list');
    const plan = this.#plan(from.type, name);
    checkOrder(patch ?? [], order, plan.mergeKey);
    done.add(name).add(DELETE_FROM + name);
    if (before === undefined && patch === undefined) return;
    const kept = Array.isArray(deletion) ? withoutItems(before ?? [], deletion) : (before ?? []);
    const merged = before === undefined ? (withoutOrders(patch) as unknown[]) : this.#list(kept, patch ?? [], plan);
    putMember(members, name, orderList(merged, { order, live: kept, mergeKey: plan.mergeKey }));
  }

  #list(before: readonly unknown[], patch: readonly unknown[], plan: FieldPlan): readonly unknown[] {
    if (before.length === 0 && patch.length === 0) return before;
    const merged = [...before, ...patch].some(isObject)
      ? this.#keyedList(before, patch, plan)
      : { items: [...new Set([...before, ...patch])], live: before };
    const order = patch.filter((item) => !isObject(item) || item[DIRECTIVE] === undefined);
    return orderList(merged.items, { order, live: merged.live, mergeKey: plan.mergeKey });
  }

  #keyedList(before: readonly unknown[], patch: readonly unknown[], plan: FieldPlan): KeyedList {
    if (plan.mergeKey === '') throw badRequest('cannot merge lists without merge key for type map');
    const { live, additions } = obeyOrders(before, patch, plan.mergeKey);
    const items = [...live];
    const elementType = plan.type?.slice(2);
    const places = new Map<unknown, number>();
    for (const [at, item] of items.entries()) {
      const key = keyOf(item, plan.mergeKey);
      if (!places.has(key)) places.set(key, at);
    }
    for (const addition of additions) {
      const key = keyOf(addition, plan.mergeKey);
      const at = places.get(key);
      if (at === undefined) {
        places.set(key, items.length);
        items.push(withoutOrders(addition));
        continue;
      }
      const found = items[at];
      items[at] = isObject(found) ? this.object(found, addition, elementType) : addition;
    }
    return { items, live };
  }

  #plan(type: TypeRef | undefined, name: string): FieldPlan {
    if (type?.startsWith('{}') === true) return { type: type.slice(2), strategies: NO_STRATEGIES, mergeKey: '' };
    const struct = type?.startsWith('#') === true ? this.#registry.struct(type.slice(1)) : undefined;
    const field: FieldSchema | undefined =
      struct !== undefined && Object.hasOwn(struct.fields, name) ? struct.fields[name] : undefined;
    return {
      type: field?.type,
      strategies: field?.patchStrategy?.split(',') ?? NO_STRATEGIES,
      mergeKey: field?.mergeKey ?? '',
    };
  }
}

interface KeyedList {
  readonly items: unknown[];
  /** What the document had, without what the patch deletes. */
  readonly live: readonly unknown[];
}

function replaceOrDelete(directive: unknown, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw badRequest(`unknown patch type: ${JSON.stringify(directive)} in map`);
  return Object.fromEntries(Object.entries(patch).filter(([key]) => key !== DIRECTIVE));
}

/** The document with only the members that `$retainKeys` names, when the patch has that order. */
function retained(document: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch[RETAIN_KEYS];
  if (keys === undefined) return document;
  if (!Array.isArray(keys)) throw badRequest('invalid patch format of retainKeys');
  const kept = new Set<unknown>(keys);
  for (const [key, value] of Object.entries(patch)) {
    const isOrder = key === RETAIN_KEYS || key.startsWith(DELETE_FROM) || key.startsWith(SET_ORDER);
    if (value !== null && !isOrder && !kept.has(key)) throw badRequest('invalid patch format of retainKeys');
  }
  return Object.fromEntries(Object.entries(document).filter(([key]) => kept.has(key)));
}

/** Carries out `$patch` orders among the items of a list. */
function obeyOrders(
  before: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string,
): { readonly live: readonly unknown[]; readonly additions: readonly JsonObject[] } {
  let replace = false;
  const deleted = new Set<unknown>();
  const additions: JsonObject[] = [];
  for (const item of patch) {
    if (!isObject(item)) throw badRequest('a list of maps holds something else');
    const directive = item[DIRECTIVE];
    if (directive === 'replace') {
      replace = true;
      continue;
    }
    const key = requireKey(item, mergeKey);
    if (directive === 'delete') deleted.add(key);
    else if (directive === undefined) additions.push(item);
    else if (directive === 'merge') throw badRequest('merging lists cannot yet be specified in the patch');
    else throw badRequest(`unknown patch type: ${JSON.stringify(directive)} in map`);
  }
  // As it is: what has one key twice (a node's two addresses of a type) is not merged with itself.
  if (replace) return { live: additions.map(withoutOrders), additions: [] };
  const live = deleted.size === 0 ? before : before.filter((item) => !deleted.has(keyOf(item, mergeKey)));
  return { live, additions };
}

function keyOf(item: unknown, mergeKey: string): unknown {
  return isObject(item) ? item[mergeKey] : undefined;
}

function requireKey(item: JsonObject, mergeKey: string): unknown {
  const key = item[mergeKey];
  if (key === undefined) throw badRequest(`map: ${showMap(item)} does not contain declared merge key: ${mergeKey}`);
  return key;
}

/** As Go prints a map. */
function showMap(item: JsonObject): string {
  const members = Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([key, value]) => `${key}:${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ')}]`;
}

/** Items of the patch must come in the order that they are to have. */
function checkOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  let at = 0;
  for (const item of patch) {
    if (isObject(item) && item[DIRECTIVE] !== undefined) continue;
    while (at < order.length && !sameItem(item, order[at], mergeKey)) at++;
    if (at === order.length) {
      throw badRequest(
        `The order in patch list:\n${JSON.stringify(patch)}\n doesn't match $setElementOrder list:\n${JSON.stringify(order)}\n`,
      );
    }
    at++;
  }
}

function sameItem(a: unknown, b: unknown, mergeKey: string): boolean {
  return mergeKey === '' ? a === b : keyOf(a, mergeKey) === keyOf(b, mergeKey);
}

function withoutItems(list: readonly unknown[], items: readonly unknown[]): unknown[] {
  const unwanted = new Set(items);
  return list.filter((item) => !unwanted.has(item));
}

/**
 * A value that goes in whole: nulls mean nothing there, and orders have nobody to obey them. Nearly no value holds any: it is
 * the same one then.
 */
function withoutOrders(value: unknown): unknown {
  if (Array.isArray(value)) return itemsWithoutOrders(value);
  if (!isObject(value)) return value;
  let isSame = true;
  const kept: [key: string, member: unknown][] = [];
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === null || isOrder(key)) {
      isSame = false;
      continue;
    }
    const clean = withoutOrders(member);
    if (clean !== member) isSame = false;
    kept.push([key, clean]);
  }
  return isSame ? value : Object.fromEntries(kept);
}

function itemsWithoutOrders(items: readonly unknown[]): readonly unknown[] {
  const kept = items.filter((item) => !isObject(item) || item[DIRECTIVE] === undefined).map(withoutOrders);
  return kept.length === items.length && kept.every((item, at) => item === items[at]) ? items : kept;
}

function isOrder(key: string): boolean {
  return key === DIRECTIVE || key === RETAIN_KEYS || key.startsWith(DELETE_FROM) || key.startsWith(SET_ORDER);
}
