import type { UserInfo } from '@binnacle/machinery';
import type { RequestHeaderSettings } from '../ports/authentication-settings.ts';
import type { FrontProxy } from '../ports/authentication.ts';

/**
 * Who a front proxy says is asking (API aggregation, "Kubernetes Apiserver Client Authentication"): undefined where it
 * names nobody, or is none of those that are believed.
 */
export function userOfHeaders(settings: RequestHeaderSettings, proxy: FrontProxy): UserInfo | undefined {
  const { allowedNames } = settings;
  if (allowedNames.length > 0 && !allowedNames.includes(proxy.commonName)) return undefined;
  const lines = [...proxy.headerLines()];
  const name = firstOf(lines, settings.usernameHeaders);
  if (name === '') return undefined;
  const uid = firstOf(lines, settings.uidHeaders);
  const groups = settings.groupHeaders.flatMap((header) => valuesOf(lines, header)).filter((group) => group !== '');
  const extra = extraOf(lines, settings.extraHeadersPrefix);
  return {
    name,
    groups,
    ...(uid === '' ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/** Whether a header speaks of users, so that nobody behind this server is to see it. `name` in lower case. */
export function speaksOfUsers(settings: RequestHeaderSettings): (name: string) => boolean {
  const { usernameHeaders, uidHeaders, groupHeaders, extraHeadersPrefix } = settings;
  const names = new Set([...usernameHeaders, ...uidHeaders, ...groupHeaders].map((name) => name.toLowerCase()));
  const prefixes = extraHeadersPrefix.map((prefix) => prefix.toLowerCase());
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

type Lines = readonly (readonly [name: string, value: string])[];

function valuesOf(lines: Lines, header: string): readonly string[] {
  const wanted = header.toLowerCase();
  return lines.filter(([name]) => name === wanted).map(([, value]) => value);
}

/** The first header that has something to say, by its first line. */
function firstOf(lines: Lines, headers: readonly string[]): string {
  return headers.map((header) => valuesOf(lines, header)[0] ?? '').find((value) => value !== '') ?? '';
}

function extraOf(lines: Lines, prefixes: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const extra = new Map<string, string[]>();
  for (const prefix of prefixes.map((one) => one.toLowerCase())) {
    for (const [name, value] of lines) {
      if (!name.startsWith(prefix)) continue;
      const key = unescapeKey(name.slice(prefix.length));
      const known = extra.get(key);
      if (known === undefined) extra.set(key, [value]);
      else known.push(value);
    }
  }
  return extra;
}

/** Keys travel with percent signs for what a header's name cannot hold; a broken escape is taken as it is. */
export function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch (error) {
    if (error instanceof URIError) return key;
    throw error;
  }
}
