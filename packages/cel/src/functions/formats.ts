/** Formats by name: what is wrong with a text, if anything. */
import { names } from '@binnacle/machinery';
import { formatCheck, UNIT } from '../cost/rules.ts';
import { EvaluationError } from '../errors.ts';
import { LibraryValue, Optional } from '../values.ts';
import type { Value } from '../values.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';
import { readTimestamp } from './time-text.ts';
import { readUrl } from './urls.ts';

const TYPE = 'kubernetes.NamedFormat';
/** The longest pattern that a check is taken to have. */
const PATTERN_LENGTH = 128;

class FormatValue extends LibraryValue {
  override readonly typeName = TYPE;
  readonly name: string;
  readonly check: (text: string) => readonly string[];

  constructor(name: string, check: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.check = check;
  }

  override isEqualTo(other: LibraryValue): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

/** A name that goes on after it: it may end with a dash. */
function asPrefix(check: (text: string) => readonly string[]): (text: string) => readonly string[] {
  return (text) => check(text.replace(/-$/, 'a'));
}

function shaped(shape: RegExp, complaint: string): (text: string) => readonly string[] {
  return (text) => (shape.test(text) ? [] : [complaint]);
}

function reading(read: (text: string) => unknown, complaint?: string): (text: string) => readonly string[] {
  return (text) => {
    try {
      read(text);
      return [];
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return [complaint ?? error.message.replace(/^URL parse error during conversion from string: /, '')];
    }
  };
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const CHECKS: readonly (readonly [name: string, check: (text: string) => readonly string[]])[] = [
  ['dns1123Label', names.dnsLabelErrors],
  ['dns1123Subdomain', names.subdomainErrors],
  ['dns1035Label', names.dns1035LabelErrors],
  ['qualifiedName', names.qualifiedNameErrors],
  ['dns1123LabelPrefix', asPrefix(names.dnsLabelErrors)],
  ['dns1123SubdomainPrefix', asPrefix(names.subdomainErrors)],
  ['dns1035LabelPrefix', asPrefix(names.dns1035LabelErrors)],
  ['labelValue', names.labelValueErrors],
  ['uri', reading(readUrl)],
  ['uuid', shaped(UUID, 'does not match the UUID format')],
  ['byte', shaped(BASE64, 'invalid base64')],
  ['date', reading((text) => readTimestamp(`${text}T00:00:00Z`), 'invalid date')],
  ['datetime', reading(readTimestamp, 'invalid datetime')],
];

const BY_NAME: ReadonlyMap<string, FormatValue> = new Map(
  CHECKS.map(([name, check]) => [name, new FormatValue(name, check)]),
);

function validate(format: Value | undefined, text: Value | undefined): Optional {
  const errors = (format as FormatValue).check(text as string);
  return new Optional(errors.length === 0 ? undefined : [...errors]);
}

export const FORMATS: readonly Overload[] = [
  ...Array.from(BY_NAME, ([name, format]) => overload(`format.${name}(): ${TYPE}`, () => format)),
  overload(`format.named(string): optional(${TYPE})`, ([name]) => new Optional(BY_NAME.get(name as string)), UNIT),
  overload(
    `[${TYPE}].validate(string): optional(list(string))`,
    ([format, text]) => validate(format, text),
    formatCheck(PATTERN_LENGTH),
  ),
];
