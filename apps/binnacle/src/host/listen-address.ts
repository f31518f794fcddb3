import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';

/** `HOST:PORT`, `:PORT` or `[::1]:PORT`. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export function parseListen(text: string): ListenAddress {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d+)$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) throw new InvalidArgumentError('expected HOST:PORT');
  return { host: match[1] ?? (match[2] === '' ? '127.0.0.1' : (match[2] as string)), port };
}

/** Where an API server is, which speaks TLS alone. */
export function parseServer(text: string): string {
  if (URL.parse(text)?.protocol !== 'https:') throw new InvalidArgumentError('expected https://HOST:PORT');
  return text;
}

/** The port of such a server; `URL` keeps back the one that https has by itself. */
export function portOf(server: string): number {
  return Number(new URL(server).port || '443');
}

/** An IP address under which others reach a server: no name, not all addresses, not this machine alone. */
export function parseAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('expected an IP address');
  if (text === '0.0.0.0' || text === '::') throw new InvalidArgumentError('expected one address, not all of them');
  if (text.startsWith('127.') || text === '::1') throw new InvalidArgumentError('expected no loopback address');
  return text;
}
