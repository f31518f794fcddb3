/** Functions and operators: what they take, what they answer, what they cost. */
import { EvaluationError } from '../errors.ts';
import type { Meter } from '../compare.ts';
import type { CostRule } from '../cost/rules.ts';
import { UNIT } from '../cost/rules.ts';
import { readType } from '../types.ts';
import type { Type } from '../types.ts';
import { MapValue, typeNameOf } from '../values.ts';
import type { Value } from '../values.ts';

/** Answers a call; the receiver is the first argument. Throws EvaluationError. */
export type Run = (args: readonly Value[], meter: Meter) => Value;

export interface Overload {
  readonly name: string;
  /** Called on its first parameter: `text.size()`. */
  readonly isMember: boolean;
  readonly parameters: readonly Type[];
  readonly result: Type;
  readonly run: Run;
  readonly cost: CostRule;
}

/** Overloads by name. */
export type Library = ReadonlyMap<string, readonly Overload[]>;

const SIGNATURE = /^(?:\[(.+)\]\.)?([\w.@!?<>=+\-*/%[\]:&|]+)\((.*)\): (.+)$/;

/** `[string].startsWith(string): bool` — the receiver in brackets, where there is one — and what does it. */
export function overload(signature: string, run: Run, cost: CostRule = UNIT): Overload {
  const [, receiver, name = '', parameters = '', result = ''] = SIGNATURE.exec(signature) ?? [];
  const own = receiver === undefined ? [] : [readType(receiver)];
  return {
    name,
    isMember: receiver !== undefined,
    parameters: [...own, ...splitParameters(parameters).map(readType)],
    result: readType(result),
    run,
    cost,
  };
}

/** At the commas that are in no parentheses. */
function splitParameters(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if (char === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
      continue;
    }
    if (char === '(') depth++;
    if (char === ')') depth--;
    part += char;
  }
  return part.trim() === '' ? parts : [...parts, part.trim()];
}

/** Puts tables of overloads together. */
export function libraryOf(...tables: readonly (readonly Overload[])[]): Library {
  return Map.groupBy(tables.flat(), ({ name }) => name);
}

/** Of several overloads, the one that takes these values. Throws `no such overload`. */
export function choose(candidates: readonly Overload[], args: readonly Value[]): Overload {
  for (const one of candidates) {
    if (one.parameters.every((wanted, i) => takes(wanted, args[i] as Value))) return one;
  }
  throw new EvaluationError('no such overload');
}

function takes(type: Type, value: Value): boolean {
  switch (type.kind) {
    case 'list':
      return Array.isArray(value);
    case 'map':
      return value instanceof MapValue;
    case 'optional':
      return typeNameOf(value) === 'optional_type';
    case 'type':
      return typeNameOf(value) === 'type';
    case 'plain':
      return typeNameOf(value) === type.name;
    default:
      return true;
  }
}
