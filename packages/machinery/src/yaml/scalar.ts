import { bytesOfLetters } from '@binnacle/base';
/**
 * What a scalar of YAML means to Kubernetes: YAML 1.1 as sigs.k8s.io/yaml reads it, on the way to JSON. `0400` is
 * octal and `yes` is true, but `1:30` is text (no numbers to the base 60) and times stay as they are written. The
 * library's own YAML 1.1 schema differs in each of these, which is why this table stands here.
 */
import { DecodeError } from '../errors.ts';
import { rawJson } from '../raw-json.ts';

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
]);
/** JSON has no words for these. */
const NO_JSON = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const NUMBER_START = /^[-+.0-9]/;
const LONG_TAG = 'tag:yaml.org,2002:';
/** No 64-bit integer has more digits in any base, its leading zeros apart. */
const DIGITS_MAX = 64;

/** A plain scalar without a tag. Throws DecodeError for a number that JSON cannot say. */
export function resolvePlain(text: string): unknown {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!NUMBER_START.test(text)) return text;
  if (NO_JSON.test(text)) throw new DecodeError(`json: unsupported value: ${goFloat(text)}`);
  return readNumber(text) ?? text;
}

/** A scalar with a tag, `!!int` or in full. Tags of others say nothing here. Throws DecodeError where it does not fit. */
export function resolveTagged(tag: string, text: string): unknown {
  const short = tag.startsWith(LONG_TAG) ? `!!${tag.slice(LONG_TAG.length)}` : tag;
  if (short === '!!binary') return decodeBinary(text);
  const wanted = GIVES[short];
  if (wanted === undefined) return text;
  const value = resolvePlain(text);
  if (!wanted(value)) throw new DecodeError(`yaml: cannot decode ${sortOf(value)} \`${text}\` as a ${short}`);
  return value;
}

const GIVES: { readonly [tag: string]: ((value: unknown) => boolean) | undefined } = {
  '!!bool': (value) => typeof value === 'boolean',
  '!!null': (value) => value === null,
  '!!int': (value) => Number.isInteger(value) || (typeof value === 'object' && value !== null),
  '!!float': (value) => typeof value === 'number' || (typeof value === 'object' && value !== null),
};

function sortOf(value: unknown): string {
  if (value === null) return '!!null';
  if (typeof value === 'string') return '!!str';
  if (typeof value === 'boolean') return '!!bool';
  return Number.isInteger(value) ? '!!int' : '!!float';
}

function goFloat(text: string): string {
  if (/nan/i.test(text)) return 'NaN';
  return text.startsWith('-') ? '-Inf' : '+Inf';
}

function readNumber(text: string): unknown {
  // Underscores only make long numbers easier to read.
  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  return readInteger(plain) ?? readFloat(plain);
}

function readInteger(plain: string): unknown {
  const match = INTEGER.exec(plain);
  if (match === null) return undefined;
  const [, sign = '', hex, binary, octal, decimal] = match;
  if (decimal !== undefined && decimal.length < 16) return Number(plain) + 0;
  const [prefix, digits = ''] =
    hex !== undefined
      ? ['0x', hex]
      : binary !== undefined
        ? ['0b', binary]
        : octal !== undefined
          ? ['0o', octal]
          : ['', decimal];
  const significant = digits.replace(/^0+(?=.)/, '');
  if (significant.length > DIGITS_MAX) return undefined;
  const magnitude = BigInt(`${prefix}${significant}`);
  const value = sign === '-' ? -magnitude : magnitude;
  if (value > 2n ** 64n - 1n || value < -(2n ** 63n)) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : rawJson(String(value));
}

function readFloat(plain: string): number | undefined {
  const value = FLOAT.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

const utf8 = new TextDecoder();

function decodeBinary(text: string): string {
  try {
    const bytes = atob(text);
    return utf8.decode(bytesOfLetters(bytes));
  } catch (cause) {
    throw new DecodeError('yaml: !!binary value contains invalid base64 data', cause);
  }
}
