import { readFile } from 'node:fs/promises';
import { messageOf } from '@binnacle/base';
import type { ImageConfig } from '@binnacle/runtime/cri';
import { UsageError } from '../errors.ts';
import { table, text, texts, textTable } from './config-values.ts';

/** Room enough for any environment; a larger file is another one by mistake. */
const BYTES_MAX = 1024 * 1024;
const PORT = /^(\d{1,5})(?:\/(?:tcp|udp|sctp))?$/;

const FIELDS: { readonly [name in keyof Required<ImageConfig>]: (value: unknown) => Required<ImageConfig>[name] } = {
  Entrypoint: texts,
  Cmd: texts,
  Env: environment,
  WorkingDir: absolute,
  User: text,
  StopSignal: text,
  ExposedPorts: ports,
  Labels: textTable,
  Volumes: volumes,
};

/**
 * Reads what containers of an image run, and as whom (YAML or JSON; the names are those of `config` in OCI's image
 * specification). Throws UsageError with the field that is unknown or wrong.
 */
export async function readImageConfig(path: string): Promise<ImageConfig> {
  const { readYaml } = await import('@binnacle/machinery/yaml');
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`cannot read ${path}`, error);
  });
  if (content.length > BYTES_MAX) throw new UsageError(`${path} is too large for an image's configuration`);
  try {
    const fields = Object.entries(table(readYaml(content).value)).map(([name, value]) => [name, read(name, value)]);
    return Object.fromEntries(fields) as ImageConfig;
  } catch (error) {
    throw new UsageError(`${path}: ${messageOf(error)}`, error);
  }
}

function read(name: string, value: unknown): unknown {
  if (!Object.hasOwn(FIELDS, name)) {
    throw new UsageError(`${name} is no field of an image; those are ${Object.keys(FIELDS).join(', ')}`);
  }
  try {
    return FIELDS[name as keyof ImageConfig](value);
  } catch (error) {
    throw new UsageError(`${name}: ${messageOf(error)}`, error);
  }
}

function environment(value: unknown): readonly string[] {
  const all = texts(value);
  const bad = all.find((one) => one.indexOf('=') < 1);
  if (bad !== undefined) throw new UsageError(`${JSON.stringify(bad)} is no NAME=value`);
  return all;
}

function absolute(value: unknown): string {
  const path = text(value);
  if (!path.startsWith('/')) throw new UsageError(`${JSON.stringify(path)} does not start with a slash`);
  return path;
}

/** A list, or a table of empty tables as OCI has it. */
function set(value: unknown, check: (name: string) => unknown): { readonly [name: string]: object } {
  const names = Array.isArray(value) ? texts(value) : Object.keys(table(value));
  for (const name of names) check(name);
  return Object.fromEntries(names.map((name) => [name, {}]));
}

function ports(value: unknown): { readonly [port: string]: object } {
  return set(value, (name) => {
    const port = Number(PORT.exec(name)?.[1] ?? 0);
    if (port < 1 || port > 65_535) throw new UsageError(`${JSON.stringify(name)} is no port, as 80/tcp is`);
  });
}

function volumes(value: unknown): { readonly [path: string]: object } {
  return set(value, absolute);
}
