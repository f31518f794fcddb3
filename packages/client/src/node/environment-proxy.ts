import { addressBytes, addressText, inRanges, plainBytes } from '@binnacle/base';

/** The variables of a process. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/** A proxy that the environment names. */
export interface EnvironmentProxy {
  /** The variable that says so. */
  readonly variable: string;
  /** With its scheme. */
  readonly url: string;
}

/**
 * The proxy through which the environment sends who asks a server (`https://…`, `http://…`), as Go's programs read it: HTTPS_PROXY or
 * HTTP_PROXY unless NO_PROXY names the server, each in small letters too; never for this machine. Undefined: none.
 */
export function environmentProxy(env: Environment, server: string): EnvironmentProxy | undefined {
  const { protocol, hostname, port } = new URL(server);
  const isSecure = protocol === 'https:';
  const found = namedIn(env, isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  const url = withScheme(found?.value ?? '');
  if (found === undefined || url === undefined) return undefined;
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const host = addressOf(name) ?? name;
  if (host === 'localhost' || isLoopback(host)) return undefined;
  const target = { host, port: port === '' ? (isSecure ? '443' : '80') : port };
  const { value: exceptions = '' } = namedIn(env, 'NO_PROXY') ?? {};
  return exceptions.split(',').some((one) => isNamed(one.trim().toLowerCase(), target))
    ? undefined
    : { variable: found.variable, url };
}

function namedIn(env: Environment, name: string): { readonly variable: string; readonly value: string } | undefined {
  for (const variable of [name, name.toLowerCase()]) {
    const { [variable]: value = '' } = env;
    if (value !== '') return { variable, value };
  }
  return undefined;
}

/** Who leaves out the scheme means http; undefined: it is no URL, which counts as none. */
function withScheme(text: string): string | undefined {
  const url = text.includes('://') ? text : `http://${text}`;
  return URL.canParse(url) && new URL(url).hostname !== '' ? url : undefined;
}

const isLoopback = inRanges(['127.0.0.0/8', '::1/128']);

interface Target {
  readonly host: string;
  readonly port: string;
}

/** Whether one part of NO_PROXY names the server: `*`, a range, an address, a name with all below it, `.name`: all below it alone. */
function isNamed(exception: string, { host, port }: Target): boolean {
  if (exception === '*') return true;
  if (exception.includes('/')) return inRanges([exception])(host);
  const [, bracketed, plain, wantedPort = ''] = /^(?:\[(.*)\]|([^:]*)):(\w*)$/.exec(exception) ?? [];
  const wanted = bracketed ?? plain ?? exception;
  if (wanted === '' || (wantedPort !== '' && wantedPort !== port)) return false;
  const address = addressOf(wanted);
  if (address !== undefined) return address === host;
  const below = `.${asciiName(wanted.replace(/^\*?\./, ''))}`;
  return host.endsWith(below) || (!/^\*?\./.test(wanted) && host === below.slice(1));
}

/** An address in its one spelling, without the dress of IPv6; undefined for what is none. */
function addressOf(text: string): string | undefined {
  const bytes = addressBytes(text);
  return bytes && addressText(plainBytes(bytes));
}

/** A name as servers' URLs say it. */
function asciiName(name: string): string {
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name;
}
