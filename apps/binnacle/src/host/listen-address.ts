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
