/** What can be done with texts. Positions and lengths are in code points. */
import { CONTAINS, JOIN, match, REPLACE, SAME_SIZE, SPLIT, UNIT, walk, EACH_ITEM } from '../cost/rules.ts';
import type { CostRule } from '../cost/rules.ts';
import type { Meter } from '../compare.ts';
import { EvaluationError } from '../errors.ts';
import type { Value } from '../values.ts';
import { formatText } from './format-text.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';
import type { Pattern } from '@binnacle/machinery/pattern';
import { PatternShelf } from './pattern.ts';
import { quoteText } from './quote.ts';

type Work = (text: string, rest: readonly Value[], meter: Meter) => Value;

/** Texts are walked over without a word in the cost of some functions: the meter hears of it. */
function text(signature: string, work: Work, cost: CostRule = UNIT): Overload {
  return overload(
    `[string].${signature}`,
    ([given, ...rest], meter) => {
      meter.work((given as string).length);
      return work(given as string, rest, meter);
    },
    cost,
  );
}

const index = (value: Value | undefined): number => Number(value as bigint);

function outOfRange(at: number): EvaluationError {
  return new EvaluationError(`index out of range: ${at}`);
}

function charAt(given: string, at: number): string {
  const points = Array.from(given);
  if (at < 0 || at > points.length) throw outOfRange(at);
  return points[at] ?? '';
}

function part(given: string, from: number, to?: number): string {
  const points = Array.from(given);
  const end = to ?? points.length;
  if (to !== undefined && from > to) throw new EvaluationError(`invalid substring range. start: ${from}, end: ${to}`);
  if (from < 0 || from > points.length) throw outOfRange(from);
  if (end < 0 || end > points.length) throw outOfRange(end);
  return points.slice(from, end).join('');
}

/** Where a text is found at or after a position. Nothing is found at any position, as cel-go has it. */
function find(given: string, what: string, from: bigint): bigint {
  if (what === '') return from;
  const at = Number(from);
  if (at < 0) throw outOfRange(at);
  const points = Array.from(given);
  if (at >= points.length) return -1n;
  const skipped = points.slice(0, at).join('').length;
  return pointsBefore(given, given.indexOf(what, skipped));
}

/** Where the last one is that begins at a position or before; beyond the end nothing is found. */
function findLast(given: string, what: string, from?: bigint): bigint {
  const points = Array.from(given);
  if (what === '') return from ?? BigInt(points.length);
  if (from === undefined) return pointsBefore(given, given.lastIndexOf(what));
  const at = Number(from);
  if (at < 0) throw outOfRange(at);
  if (at >= points.length) return -1n;
  return pointsBefore(given, given.lastIndexOf(what, points.slice(0, at).join('').length));
}

function pointsBefore(given: string, unit: number): bigint {
  return unit < 0 ? -1n : BigInt(Array.from(given.slice(0, unit)).length);
}

/** No answer of a function is longer. */
const ANSWER_MAX = 16 * 1024 * 1024;

/** Characters of an answer that is far longer than what it is made of, and is not paid for, as one unit of work. */
const MADE_PER_WORK = 4;

function replace(given: string, [what, by, count]: readonly Value[], meter: Meter): string {
  const limit = count === undefined ? -1 : index(count);
  if (limit === 0) return given;
  const parts = what === '' ? ['', ...Array.from(given), ''] : given.split(what as string);
  const changed = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  const length = given.length + changed * (by as string).length;
  if (length > ANSWER_MAX) throw new EvaluationError('string is too long');
  meter.work(length / MADE_PER_WORK);
  const rest = parts.slice(changed + 1).map((one) => (what as string) + one);
  return parts.slice(0, changed + 1).join(by as string) + rest.join('');
}

function split(given: string, [by, count]: readonly Value[]): readonly string[] {
  const limit = count === undefined ? -1 : index(count);
  if (limit === 0) return [];
  const parts = by === '' ? Array.from(given) : given.split(by as string);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(by as string)];
}

function join(items: readonly Value[], between: string): string {
  if (!items.every((item) => typeof item === 'string')) throw new EvaluationError('join: invalid input');
  const length = items.reduce((sum: number, item) => sum + item.length + between.length, 0);
  if (length > ANSWER_MAX) throw new EvaluationError('string is too long');
  return items.join(between);
}

/** Only letters of ASCII change. */
function cased(given: string, isUpper: boolean): string {
  return given.replaceAll(/[A-Za-z]+/g, (letters) => (isUpper ? letters.toUpperCase() : letters.toLowerCase()));
}

const WALK_SAME = walk({ size: SAME_SIZE });
const BLANK = '\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const BLANKS_BEFORE = new RegExp(`^[${BLANK}]+`);

function trim(given: string): string {
  const start = given.replace(BLANKS_BEFORE, '');
  let end = start.length;
  while (end > 0 && BLANKS_BEFORE.test(start[end - 1] ?? '')) end--;
  return start.slice(0, end);
}

/** Functions on texts; those on patterns keep the patterns that they have read. */
export function textFunctions(): readonly Overload[] {
  return [...PLAIN, ...SHAPED, ...patternFunctions(new PatternShelf())];
}

const PLAIN: readonly Overload[] = [
  text('contains(string): bool', (given, [what]) => given.includes(what as string), CONTAINS),
  text('startsWith(string): bool', (given, [what]) => given.startsWith(what as string), walk({ at: 1, countedAt: 0 })),
  text('endsWith(string): bool', (given, [what]) => given.endsWith(what as string), walk({ at: 1, countedAt: 0 })),
  text('charAt(int): string', (given, [at]) => charAt(given, index(at))),
  text('indexOf(string): int', (given, [what]) => find(given, what as string, 0n), EACH_ITEM),
  text('indexOf(string, int): int', (given, [what, from]) => find(given, what as string, from as bigint), EACH_ITEM),
  text('lastIndexOf(string): int', (given, [what]) => findLast(given, what as string), EACH_ITEM),
  text(
    'lastIndexOf(string, int): int',
    (given, [what, from]) => findLast(given, what as string, from as bigint),
    EACH_ITEM,
  ),
  text('lowerAscii(): string', (given) => cased(given, false), WALK_SAME),
  text('upperAscii(): string', (given) => cased(given, true), WALK_SAME),
  text('trim(): string', (given) => trim(given), WALK_SAME),
];

const SHAPED: readonly Overload[] = [
  text('replace(string, string): string', replace, REPLACE),
  text('replace(string, string, int): string', replace, REPLACE),
  text('split(string): list(string)', split, SPLIT),
  text('split(string, int): list(string)', split, SPLIT),
  text('substring(int): string', (given, [from]) => part(given, index(from)), WALK_SAME),
  text('substring(int, int): string', (given, [from, to]) => part(given, index(from), index(to)), WALK_SAME),
  text(
    'format(list(dyn)): string',
    (given, [args], meter) => formatText(given, args as readonly Value[], meter),
    walk(),
  ),
  overload(
    'strings.quote(string): string',
    ([given]) => quoteText(given as string),
    walk({ size: ({ min, max }) => ({ min: min + 2, max: max * 2 + 2 }) }),
  ),
  overload('[list(string)].join(): string', ([items]) => join(items as readonly Value[], ''), JOIN),
  overload(
    '[list(string)].join(string): string',
    ([items, between]) => join(items as readonly Value[], between as string),
    JOIN,
  ),
];

/** Functions of expressions that make JSON patches. */
export const PATCH_TEXTS: readonly Overload[] = [
  overload(
    'jsonpatch.escapeKey(string): string',
    ([key]) => (key as string).replaceAll('~', '~0').replaceAll('/', '~1'),
    WALK_SAME,
  ),
];

/** Steps of a pattern that weigh as much as one of other work: most texts need few of those that their pattern has. */
const STEPS_PER_WORK = 4;

/** What looks for a pattern in a text. The cost knows how long both are, and not how often braces repeat a part. */
function matcherOf(
  shelf: PatternShelf,
  given: string,
  { pattern, meter }: { readonly pattern: Value | undefined; readonly meter: Meter },
): ReturnType<Pattern['expression']['matcher']> {
  const { expression, steps } = shelf.get(pattern as string);
  meter.work((steps * given.length) / STEPS_PER_WORK);
  return expression.matcher(given);
}

function patternFunctions(shelf: PatternShelf): readonly Overload[] {
  const matches = (given: string, pattern: Value | undefined, meter: Meter): boolean =>
    matcherOf(shelf, given, { pattern, meter }).find();
  const findAll = (given: string, by: { pattern: Value | undefined; count: number; meter: Meter }): readonly string[] =>
    found(matcherOf(shelf, given, by), by.count);
  return [
    text('matches(string): bool', (given, [pattern], meter) => matches(given, pattern, meter), match(false)),
    overload(
      'matches(string, string): bool',
      ([given, pattern], meter) => matches(given as string, pattern, meter),
      match(false),
    ),
    text(
      'find(string): string',
      (given, [pattern], meter) => findAll(given, { pattern, count: 1, meter })[0] ?? '',
      match(true),
    ),
    text(
      'findAll(string): list(string)',
      (given, [pattern], meter) => findAll(given, { pattern, count: -1, meter }),
      match(true),
    ),
    text(
      'findAll(string, int): list(string)',
      (given, [pattern, count], meter) => findAll(given, { pattern, count: index(count), meter }),
      match(true),
    ),
  ];
}

function found(matcher: ReturnType<typeof matcherOf>, count: number): readonly string[] {
  const all: string[] = [];
  while ((count < 0 || all.length < count) && matcher.find()) all.push(matcher.group() ?? '');
  return all;
}
