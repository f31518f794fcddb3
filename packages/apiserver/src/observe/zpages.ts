import { formatTime } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { parseMediaType } from '../request/media.ts';

const NAME = 'kube-apiserver';
const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A page about the server itself: text, or the object that stands for it. */
export type ZPage = { readonly text: string } | { readonly object: object };

/** What `/statusz` tells (KEP 4827). Times in milliseconds since the epoch. */
export interface StatuszFacts {
  readonly startedAt: number;
  readonly now: number;
  /** `v1.36.0`. */
  readonly version: string;
  readonly paths: readonly string[];
}

/** `/statusz`, in the form asked for. Throws 406. */
export function statusz(accept: string, { startedAt, now, version, paths }: StatuszFacts): ZPage {
  const uptime = Math.max(0, Math.floor((now - startedAt) / 1000));
  const binaryVersion = version.replace(/^v/, '');
  const emulationVersion = binaryVersion.split('.', 2).join('.');
  const groupVersion = structuredForm(accept, 'Statusz');
  if (groupVersion !== undefined) {
    const facts = {
      startTime: formatTime(startedAt),
      uptimeSeconds: uptime,
      goVersion: 'none',
      binaryVersion,
      emulationVersion,
      paths,
    };
    return { object: { kind: 'Statusz', apiVersion: groupVersion, metadata: { name: NAME }, ...facts } };
  }
  const two = (value: number): string => String(value).padStart(2, '0');
  return {
    text: page('statusz', [
      `Started: ${unixDate(startedAt)}`,
      `Up: ${Math.floor(uptime / 3600)} hr ${two(Math.floor(uptime / 60) % 60)} min ${two(uptime % 60)} sec`,
      'Go version: none',
      `Binary version: ${binaryVersion}`,
      `Emulation version: ${emulationVersion}`,
      `Paths: ${paths.join(' ')}`,
    ]),
  };
}

/** `/flagz` (KEP 4828), in the form asked for. Throws 406. */
export function flagz(accept: string, flags: ReadonlyMap<string, string>): ZPage {
  const sorted = [...flags].sort(([a], [b]) => (a < b ? -1 : 1));
  const groupVersion = structuredForm(accept, 'Flagz');
  if (groupVersion !== undefined) {
    return {
      object: { kind: 'Flagz', apiVersion: groupVersion, metadata: { name: NAME }, flags: Object.fromEntries(sorted) },
    };
  }
  return {
    text: page(
      'flagz',
      sorted.map(([name, value]) => `${name}=${value}`),
    ),
  };
}

function page(name: string, lines: readonly string[]): string {
  return `\n${NAME} ${name}\n${WARNING}\n\n${lines.join('\n')}\n`;
}

/** The version of the object that is asked for; undefined: text will do. */
function structuredForm(accept: string, kind: string): string | undefined {
  if (accept === '') return undefined;
  for (const part of accept.split(',')) {
    const { type, parameters } = parseMediaType(part);
    if (['text/plain', 'text/*', '*/*'].includes(type)) return undefined;
    const { as, g, v } = parameters;
    const isKnown = as === kind && g === 'config.k8s.io' && (v === 'v1alpha1' || v === 'v1beta1');
    if (type === 'application/json' && isKnown) return `${g}/${v}`;
  }
  const structured = `application/json;as=${kind};v=v1beta1;g=config.k8s.io`;
  throw status.notAcceptable(`only the following media types are accepted: text/plain, ${structured}`);
}

/** `Fri Sep  6 06:19:51 UTC 2024`. */
function unixDate(at: number): string {
  const date = new Date(at);
  const day = String(date.getUTCDate()).padStart(2);
  return `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${day} ${date.toISOString().slice(11, 19)} UTC ${date.getUTCFullYear()}`;
}
