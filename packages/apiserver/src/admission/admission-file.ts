import { AdmissionConfigurationError } from './configuration-error.ts';

/** What an AdmissionConfiguration has for one plugin: its document, or the file that it is in. */
export type PluginDocument =
  | { readonly name: string; readonly configuration: unknown }
  | { readonly name: string; readonly path: string };

const VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1'];
const FIELDS = new Set(['name', 'path', 'configuration']);

/**
 * Reads an `AdmissionConfiguration` (apiserver.config.k8s.io/v1) that is parsed already. Throws
 * AdmissionConfigurationError, which names what is wrong.
 */
export function readAdmissionConfiguration(document: unknown): readonly PluginDocument[] {
  const { apiVersion, kind, plugins = [], ...others } = fieldsOf(document, '');
  if (kind !== 'AdmissionConfiguration' || !VERSIONS.includes(String(apiVersion))) {
    throw new AdmissionConfigurationError(`expected AdmissionConfiguration of ${VERSIONS[0]}`);
  }
  refuseUnknown(Object.keys(others), '');
  if (!Array.isArray(plugins)) throw new AdmissionConfigurationError('plugins: expected a list');
  const read = plugins.map((plugin, i) => readPlugin(plugin, `plugins[${i}]`));
  const twice = read.find(({ name }, i) => read.findIndex((one) => one.name === name) !== i);
  if (twice !== undefined) throw new AdmissionConfigurationError(`plugins: Duplicate value: "${twice.name}"`);
  return read;
}

function readPlugin(plugin: unknown, at: string): PluginDocument {
  const fields = fieldsOf(plugin, at);
  refuseUnknown(
    Object.keys(fields).filter((field) => !FIELDS.has(field)),
    `${at}.`,
  );
  const { name, path = '', configuration } = fields;
  if (typeof name !== 'string' || name === '') throw new AdmissionConfigurationError(`${at}.name: Required value`);
  if (typeof path !== 'string') throw new AdmissionConfigurationError(`${at}.path: expected a string`);
  // What stands here goes before what a file says.
  return configuration === undefined || configuration === null ? { name, path } : { name, configuration };
}

function fieldsOf(value: unknown, at: string): { readonly [name: string]: unknown } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new AdmissionConfigurationError(`${at === '' ? 'file' : at}: expected an object`);
}

function refuseUnknown(fields: readonly string[], prefix: string): void {
  if (fields.length === 0) return;
  const list = fields.map((field) => `unknown field "${prefix}${field}"`);
  throw new AdmissionConfigurationError(`strict decoding error: ${list.join(', ')}`);
}
