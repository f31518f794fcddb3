import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { HttpTrust, Scope } from '@binnacle/base';
import { createHttpCaller } from '@binnacle/base/node';
import { createHttpExtender, readSchedulerConfiguration } from '@binnacle/scheduler';
import type { Extender, PluginFactory, SchedulerConfiguration, TrustFiles } from '@binnacle/scheduler';
import { UsageError } from '../errors.ts';

/** A KubeSchedulerConfiguration with everything that it names. */
export interface SchedulerFile extends Omit<SchedulerConfiguration, 'extenders'> {
  readonly extenders: readonly Extender[];
}

/** Reads a scheduler's configuration file (YAML or JSON); what it opens closes with the scope. */
export async function readSchedulerConfig(
  path: string,
  scope: Scope,
  own: readonly PluginFactory[] = [],
): Promise<SchedulerFile> {
  const { readYaml } = await import('@binnacle/machinery/yaml');
  const parsed = await readFile(path, 'utf8')
    .then((text) => readYaml(text).value)
    .catch((error: unknown) => {
      throw new UsageError(`cannot read the scheduler configuration ${path}`, error);
    });
  const configuration = read(path, parsed, own);
  const { extenders, kubeconfig, ...rest } = configuration;
  const opened = await Promise.all(
    extenders.map(async ({ trust, ...extender }) => {
      return { ...extender, ...(trust === undefined ? {} : { trust: await readTrust(trust, dirname(path)) }) };
    }),
  );
  const http = createHttpCaller();
  scope.defer(() => http.close());
  return {
    ...rest,
    ...(kubeconfig === undefined ? {} : { kubeconfig: resolve(dirname(path), kubeconfig) }),
    extenders: opened.map((extender) => createHttpExtender(extender, http)),
  };
}

function read(path: string, parsed: unknown, own: readonly PluginFactory[]): SchedulerConfiguration {
  try {
    return readSchedulerConfiguration(parsed, own);
  } catch (error) {
    throw new UsageError(path, error);
  }
}

/** Names of files become what is in them; relative names start where the configuration lies. */
async function readTrust({ files, ...trust }: TrustFiles, folder: string): Promise<HttpTrust> {
  const contents = await Promise.all(
    Object.entries(files).map(async ([part, name]: [string, string]) => {
      const path = resolve(folder, name);
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        throw new UsageError(`cannot read ${path}`, error);
      });
      return [part, text] as const;
    }),
  );
  return { ...trust, ...Object.fromEntries(contents) };
}
