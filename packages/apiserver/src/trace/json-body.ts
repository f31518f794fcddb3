import { DecodeError, limitValues, status } from '@binnacle/machinery';
import type { AnyCall } from '../catalogue/definition.ts';
import { readBytes } from '../verbs/body.ts';

const TEXT_MAX = 512;

/** The members of an object of JSON, and nothing that an object inherits. */
export type Members = { readonly [name: string]: unknown };

/** The body of a request of the group. Throws 400 for what is no JSON. */
export async function readJsonBody({ request }: AnyCall): Promise<unknown> {
  const { body } = request;
  if (body.kind === 'value') return body.value;
  const bytes = await readBytes(request);
  limitValues(bytes);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new DecodeError('the body is no JSON', error);
  }
}

/** Throws 400 for what is no object. */
export function membersOf(value: unknown, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw status.badRequest(`${what}: expected an object`);
  }
  return Object.assign(Object.create(null) as object, value) as Members;
}

/** A text of a member, its beginning where it is long; absent: empty. Throws 400 for anything else. */
export function textOf(members: Members, name: string): string {
  const value = members[name] ?? '';
  if (typeof value !== 'string') throw status.badRequest(`${name}: expected a text`);
  return value.slice(0, TEXT_MAX);
}
