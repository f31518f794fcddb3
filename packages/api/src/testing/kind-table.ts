import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { kindRules } from '../kinds.ts';
import { validateCreate, validateStatusUpdate, validateUpdate } from '../validate.ts';

// What the golden tables of validation share.

export type Kind = readonly [group: string, kind: string, namespaced: boolean];

export const texts = (errors: readonly { toString(): string }[]): string[] => errors.map((error) => error.toString());

/** An object named x (in the namespace d), after defaulting. */
export function objectOf([group, kind, namespaced]: Kind, fields: object): KubeObject {
  const { metadata, ...rest } = fields as { metadata?: object };
  const own = { name: 'x', resourceVersion: '1', ...(namespaced ? { namespace: 'd' } : {}), ...metadata };
  const draft = structuredClone({ ...rest, metadata: own }) as KubeObject;
  kindRules(group, kind).defaults?.(draft);
  return draft;
}

export function kindOf([group, kind, namespaced]: Kind): { group: string; kind: string; namespaced: boolean } {
  return { group, kind, namespaced };
}

export type CreateRow = [name: string, upstream: string, kind: Kind, fields: object, ...errors: string[]];
export type UpdateRow = [
  name: string,
  upstream: string,
  kind: Kind,
  before: object,
  after: object,
  ...errors: string[],
];

/** One test per row: the messages about a new object with those fields. */
export function checkCreate(title: string, rows: readonly CreateRow[]): void {
  describe(`validation of new ${title}`, () => {
    for (const [name, upstream, kind, fields, ...errors] of rows) {
      it(`${kind[1]}: ${name} (${upstream})`, () => {
        assert.deepEqual(texts(validateCreate(kindOf(kind), objectOf(kind, fields))), errors);
      });
    }
  });
}

/** One test per row: the messages about a change. */
export function checkUpdate(title: string, rows: readonly UpdateRow[]): void {
  describe(`validation of changed ${title}`, () => {
    for (const [name, upstream, kind, before, after, ...errors] of rows) {
      it(`${kind[1]}: ${name} (${upstream})`, () => {
        const errorsFound = validateUpdate(kindOf(kind), objectOf(kind, after), objectOf(kind, before));
        assert.deepEqual(texts(errorsFound), errors);
      });
    }
  });
}

/** One test per row: the messages about a change of the status. */
export function checkStatusUpdate(title: string, rows: readonly UpdateRow[]): void {
  describe(`validation of changed statuses of ${title}`, () => {
    for (const [name, upstream, kind, before, after, ...errors] of rows) {
      it(`${kind[1]}: ${name} (${upstream})`, () => {
        const errorsFound = validateStatusUpdate(kindOf(kind), objectOf(kind, after), objectOf(kind, before));
        assert.deepEqual(texts(errorsFound), errors);
      });
    }
  });
}
