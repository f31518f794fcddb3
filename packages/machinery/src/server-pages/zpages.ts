import { formatTime } from '@binnacle/base';
import { parseMediaType } from '../media-type.ts';
import { notAcceptable } from '../status-error.ts';

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TEXT: ReadonlySet<string> = new Set(['text/plain', 'text/*', '*/*']);
const OBJECTS: ReadonlySet<string> = new Set(['application/json', 'application/yaml']);
const VERSIONS: ReadonlySet<string> = new Set(['v1alpha1', 'v1beta1']);
const DEPRECATED = 'v1alpha1';

/** A page of a server about itself, as it is sent. */
export interface ZPage {
  readonly contentType: string;
  readonly body: string;
  /** Of the header `Warning`, whole; absent: there is nothing to warn of. */
  readonly warning?: string;
}

/** Who tells, and in which form it was asked. */
export interface ZPageRequest {
  /** The server, as upstream calls it there: `apiserver`, `kubelet`. */
  readonly component: string;
  /** As it was sent; empty: nothing was said. */
  readonly accept: string;
}

/** What `/statusz` tells (KEP 4827). Times in milliseconds since the epoch. */
export interface StatuszFacts {
  readonly startedAt: number;
  readonly now: number;
  /** `v1.36.0`. */
  readonly version: string;
  readonly paths: readonly string[];
}

/** `/statusz`, in the form asked for. Throws 406. */
export async function statusz(request: ZPageRequest, { startedAt, now, version, paths }: StatuszFacts): Promise<ZPage> {
  const uptime = Math.max(0, Math.floor((now - startedAt) / 1000));
  const binaryVersion = version.replace(/^v/, '');
  const emulationVersion = binaryVersion.split('.', 2).join('.');
  const two = (value: number): string => String(value).padStart(2, '0');
  return render(request, {
    kind: 'Statusz',
    facts: {
      startTime: formatTime(startedAt),
      uptimeSeconds: uptime,
      goVersion: 'none',
      binaryVersion,
      emulationVersion,
      paths,
    },
    lines: [
      '',
      `Started: ${unixDate(startedAt)}`,
      `Up: ${Math.floor(uptime / 3600)} hr ${two(Math.floor(uptime / 60) % 60)} min ${two(uptime % 60)} sec`,
      'Go version: none',
      `Binary version: ${binaryVersion}`,
      `Emulation version: ${emulationVersion}`,
      `Paths: ${paths.join(' ')}`,
    ],
  });
}

/** `/flagz` (KEP 4828), in the form asked for. Throws 406. */
export async function flagz(request: ZPageRequest, flags: ReadonlyMap<string, string>): Promise<ZPage> {
  const sorted = [...flags].sort(([a], [b]) => (a < b ? -1 : 1));
  return render(request, {
    kind: 'Flagz',
    facts: { flags: Object.fromEntries(sorted) },
    lines: sorted.map(([name, value]) => `${name}=${value}`),
  });
}

async function render(
  { component, accept }: ZPageRequest,
  page: {
    readonly kind: 'Statusz' | 'Flagz';
    readonly facts: { readonly [field: string]: unknown };
    readonly lines: readonly string[];
  },
): Promise<ZPage> {
  const { kind, facts, lines } = page;
  const name = kind.toLowerCase();
  const form = formOf(accept, kind);
  if (form === undefined) {
    const body = `\n${component} ${name}\n${WARNING}\n${lines.map((line) => `${line}\n`).join('')}`;
    return { contentType: 'text/plain; charset=utf-8', body };
  }
  const { type: contentType, version } = form;
  const apiVersion = `config.k8s.io/${version}`;
  const json = JSON.stringify({ kind, apiVersion, metadata: { name: component }, ...facts });
  const text = `This version of the ${name} endpoint is deprecated. Please use a newer version.`;
  const warning = version === DEPRECATED ? { warning: `299 - "${text}"` } : {};
  if (contentType === 'application/json') return { contentType, body: `${json}\n`, ...warning };
  const { jsonToYaml } = await import('../yaml/convert.ts');
  const body = new TextDecoder().decode(jsonToYaml(new TextEncoder().encode(json)));
  return { contentType, body, ...warning };
}

/** Which object is asked for, and how written; undefined: text will do. */
function formOf(accept: string, kind: string): { readonly type: string; readonly version: string } | undefined {
  if (accept.trim() === '') return undefined;
  for (const part of accept.split(',')) {
    const { type, parameters } = parseMediaType(part);
    if (TEXT.has(type) && parameters['as'] === undefined) return undefined;
    const { as, g, v: version = '' } = parameters;
    if (OBJECTS.has(type) && as === kind && g === 'config.k8s.io' && VERSIONS.has(version)) return { type, version };
  }
  const accepted = [...OBJECTS, 'text/plain'].join(', ');
  throw notAcceptable(`only the following media types are accepted: ${accepted}`);
}

/** `Fri Sep  6 06:19:51 UTC 2024`. */
function unixDate(at: number): string {
  const date = new Date(at);
  const day = String(date.getUTCDate()).padStart(2);
  return `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${day} ${date.toISOString().slice(11, 19)} UTC ${date.getUTCFullYear()}`;
}
