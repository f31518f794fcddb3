/**
 * The formats of texts that Kubernetes knows in schemas of custom kinds; a format that is not named here is no
 * promise and is not checked. Each check takes time in proportion to the text.
 */
import { dnsLabelErrors, subdomainErrors } from '../../validation/names.ts';
import { isTime } from '../leaves.ts';

type FormatCheck = (text: string) => boolean;

const BYTE = '(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])';
const IPV4 = new RegExp(`^${BYTE}(\\.${BYTE}){3}$`);
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DURATION = /^([-+]?)((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const WORD_DURATION =
  /^[0-9]+ *(?:ns|us|ms|s|m|h|d|w|nanoseconds?|microseconds?|milliseconds?|seconds?|minutes?|hours?|days?|weeks?)$/i;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** By their names without dashes, which mean nothing. */
const CHECKS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['byte', (text) => BASE64.test(text)],
  ['cidr', isCidr],
  ['creditcard', (text) => isCardNumber(text.replace(/[^0-9]/g, ''))],
  ['date', isDate],
  ['datetime', isTime],
  ['duration', (text) => text === '0' || DURATION.test(text) || WORD_DURATION.test(text)],
  ['email', isEmail],
  ['hexcolor', (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['hostname', isHostname],
  ['ipv4', (text) => IPV4.test(text)],
  ['ipv6', isIpv6],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['k8slongname', (text) => subdomainErrors(text).length === 0],
  ['k8sshortname', (text) => dnsLabelErrors(text).length === 0],
  [
    'mac',
    (text) =>
      /^([0-9a-fA-F]{2}([-:])([0-9a-fA-F]{2}\2){4}([0-9a-fA-F]{2}))$|^([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/.test(text),
  ],
  ['password', () => true],
  ['rgbcolor', isRgb],
  ['ssn', (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['uri', isUri],
  ['uuid', (text) => UUID.test(text)],
  ['uuid3', (text) => UUID.test(text) && text.replaceAll('-', '')[12] === '3'],
  [
    'uuid4',
    (text) =>
      UUID.test(text) && text.replaceAll('-', '')[12] === '4' && /[89ab]/i.test(text.replaceAll('-', '')[16] ?? ''),
  ],
  [
    'uuid5',
    (text) =>
      UUID.test(text) && text.replaceAll('-', '')[12] === '5' && /[89ab]/i.test(text.replaceAll('-', '')[16] ?? ''),
  ],
]);

/** Whether a text has a format; true for formats that are not known. */
export function hasFormat(format: string, text: string): boolean {
  return CHECKS.get(format.replaceAll('-', ''))?.(text) ?? true;
}

function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  if (slash === -1 || !/^(0|[1-9]\d{0,2})$/.test(bits)) return false;
  return (IPV4.test(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}

function isIpv6(text: string): boolean {
  if (!text.includes(':') || text.length > 45) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const isMixed = last.includes('.');
  if (isMixed && !IPV4.test(last)) return false;
  const plain = isMixed ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const count = plain.length + (isMixed ? 2 : 0);
  return halves.length === 2 ? count < 8 : count === 8;
}

function isDate(text: string): boolean {
  return DATE.test(text) && isTime(`${text}T00:00:00Z`);
}

/** One `@`, a local part of printable characters, a host behind it; or such an address in angle brackets. */
function isEmail(text: string): boolean {
  const address = text.endsWith('>') && text.includes('<') ? text.slice(text.lastIndexOf('<') + 1, -1) : text;
  const at = address.lastIndexOf('@');
  if (at < 1 || at === address.length - 1) return false;
  const local = address.slice(0, at);
  return (
    /^[^\s@<>(),;:\\"[\]]+$/.test(local) &&
    !local.startsWith('.') &&
    !local.includes('..') &&
    /^[^\s@<>()]+$/.test(address.slice(at + 1))
  );
}

/** One label, or several of which the last has two letters at least; letters and signs of any script. */
function isHostname(text: string): boolean {
  // Made here, where it is seldom needed: letters of all scripts take milliseconds to read.
  const host =
    /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;
  return text.length <= 255 && host.test(text) && text.split('.').every((label) => label.length <= 63);
}

/** As Go parses a request's URI: absolute with a scheme, or a path that begins with a slash. */
function isUri(text: string): boolean {
  if (text === '' || !/^[!-~\u0080-\uffff]*$/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false;
  return text.startsWith('/') || /^[a-zA-Z][-+.a-zA-Z0-9]*:./.test(text);
}

function isRgb(text: string): boolean {
  const parts = /^rgb\( *(\d{1,3}) *, *(\d{1,3}) *, *(\d{1,3}) *\)$/.exec(text);
  return parts !== null && parts.slice(1).every((part) => Number(part) <= 255);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[- ]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (10 - i) * (digits[i] === 'X' ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[- ]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 13; i++) sum += Number(digits[i]) * (i % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}

/** Thirteen to nineteen digits with the right last one. */
function isCardNumber(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Formats of numbers are known and not checked. */
const NUMBER_FORMATS: { readonly [type: string]: readonly string[] } = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** Whether a format says something of values of a type; of others nothing is checked. */
export function isKnownFormat(format: string, type: string): boolean {
  if (type !== '' && type !== 'string')
    return (Object.hasOwn(NUMBER_FORMATS, type) ? (NUMBER_FORMATS[type] ?? []) : []).includes(format);
  return CHECKS.has(format.replaceAll('-', ''));
}
