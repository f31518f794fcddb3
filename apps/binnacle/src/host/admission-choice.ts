import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  AdmissionConfigurationError,
  idleDocuments,
  readAdmissionConfiguration,
  readImagePolicy,
} from '@binnacle/apiserver';
import type { AdmissionChoice, JsonEndpoint } from '@binnacle/apiserver';
import { UsageError } from '../errors.ts';
import { sayOnStderr } from './data-dir.ts';
import { webhookEndpoint } from './webhook-endpoint.ts';

/** Its document names a kubeconfig. */
const IMAGE_POLICY = 'ImagePolicyWebhook';

/** The flags of admission, by upstream's names. */
export interface AdmissionFlags {
  readonly enableAdmissionPlugins?: readonly string[];
  readonly disableAdmissionPlugins?: readonly string[];
  readonly admissionControlConfigFile?: string;
}

/** What the flags ask for, with the documents of the configuration file and of the files that it names. */
export async function admissionChoice(flags: AdmissionFlags): Promise<{ readonly admission: AdmissionChoice }> {
  const { enableAdmissionPlugins: enable = [], disableAdmissionPlugins: disable = [] } = flags;
  const path = flags.admissionControlConfigFile;
  if (path === undefined) return { admission: { enable, disable } };
  const plugins = await understood(path);
  const documents = await Promise.all(
    plugins.map(async (plugin) => {
      if ('configuration' in plugin) return [plugin.name, plugin.configuration] as const;
      // Relative names start where the configuration lies.
      const document = plugin.path === '' ? undefined : await readDocument(resolve(dirname(path), plugin.path));
      return [plugin.name, document] as const;
    }),
  );
  const configuration = new Map(documents);
  const admission = { enable, disable, configuration, endpoints: await endpointsOf(path, configuration) };
  for (const name of told(path, () => idleDocuments(admission))) {
    sayOnStderr(`${path}: the admission plugin ${name} is off, so that its configuration counts for nothing`);
  }
  return { admission };
}

/** Whom the documents name by a kubeconfig. */
async function endpointsOf(
  path: string,
  documents: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, JsonEndpoint>> {
  if (!documents.has(IMAGE_POLICY)) return new Map();
  const { kubeConfigFile } = told(path, () => readImagePolicy(documents.get(IMAGE_POLICY)));
  return new Map([[IMAGE_POLICY, await webhookEndpoint('admission-control-config-file', kubeConfigFile)]]);
}

/** Throws UsageError with the file for what a reader refuses. */
function told<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AdmissionConfigurationError) throw new UsageError(path, error);
    throw error;
  }
}

async function understood(path: string): Promise<ReturnType<typeof readAdmissionConfiguration>> {
  const document = await readDocument(path);
  return told(path, () => readAdmissionConfiguration(document));
}

async function readDocument(path: string): Promise<unknown> {
  const { readYaml } = await import('@binnacle/machinery/yaml');
  return readFile(path, 'utf8')
    .then((text) => readYaml(text).value)
    .catch((error: unknown) => {
      throw new UsageError(`cannot read the admission configuration ${path}`, error);
    });
}
