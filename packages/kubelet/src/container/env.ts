import { base64ToBytes } from '@binnacle/base';
import { memberOf } from '@binnacle/machinery';
import type {
  ConfigMap,
  Container,
  EnvFromSource,
  EnvVarSource,
  FileKeySelector,
  Pod,
  Secret,
  Service,
} from '@binnacle/api/core/v1';
import { ContainerConfigError } from '../errors.ts';
import { EnvFileError, variableInFile } from './env-file.ts';
import { expand } from './expand.ts';
import { fieldValue, resourceValue } from './field-path.ts';
import type { PodAddresses } from './field-path.ts';
import type { NodeAllocatable } from '../registration/allocatable.ts';
import { allContainers } from './pod-containers.ts';
import { serviceEnvironment } from './service-env.ts';

/** What an environment is made from; the lookups answer undefined for what does not exist. */
export interface EnvInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly services: readonly Service[];
  readonly addresses: PodAddresses;
  readonly node: NodeAllocatable;
  configMap(name: string): Promise<ConfigMap | undefined>;
  secret(name: string): Promise<Secret | undefined>;
  /** Where a volume of the pod lies on the node, and the text of a file in it; undefined: no such volume. */
  volumeFile(volume: string, path: string): Promise<VolumeFile | undefined>;
}

/** A file of a volume. */
export interface VolumeFile {
  readonly hostPath: string;
  /** Absent: there is none. Throws for what is no file of the volume's. */
  text(): Promise<string | undefined>;
}

/** A container's environment in order: Services, `envFrom`, `env`. Throws ContainerStartError for what is missing. */
export async function containerEnvironment(input: EnvInput): Promise<Map<string, string>> {
  const { pod, container } = input;
  const env = serviceEnvironment(input.services, pod.metadata.namespace ?? '', pod.spec?.enableServiceLinks !== false);
  const services = new Map(env);
  for (const from of container.envFrom ?? []) {
    for (const [key, value] of await readAll(input, from)) env.set(`${from.prefix ?? ''}${key}`, value);
  }
  for (const variable of container.env ?? []) {
    const value =
      variable.valueFrom === undefined
        ? expand(variable.value ?? '', (name) => env.get(name) ?? services.get(name))
        : await readSource(input, variable.valueFrom);
    // An optional reference to nothing sets nothing.
    if (value !== undefined) env.set(variable.name, value);
  }
  return env;
}

async function readAll(input: EnvInput, from: EnvFromSource): Promise<readonly [string, string][]> {
  if (from.configMapRef !== undefined) {
    const map = await configMapFor(input, from.configMapRef.name ?? '', from.configMapRef.optional);
    return Object.entries(map?.data ?? {});
  }
  if (from.secretRef !== undefined) {
    const secret = await secretFor(input, from.secretRef.name ?? '', from.secretRef.optional);
    return Object.entries(secret?.data ?? {}).map(([key, value]) => [key, decodeText(value)]);
  }
  return [];
}

async function readSource(input: EnvInput, source: EnvVarSource): Promise<string | undefined> {
  const namespace = input.pod.metadata.namespace ?? '';
  if (source.fieldRef !== undefined) return fieldValue(input.pod, source.fieldRef.fieldPath, input.addresses);
  if (source.resourceFieldRef !== undefined) {
    const name = source.resourceFieldRef.containerName;
    const target = name ? allContainers(input.pod).find((c) => c.name === name) : input.container;
    if (target === undefined) throw new ContainerConfigError(`container ${name ?? ''} not found`);
    return resourceValue(target, source.resourceFieldRef, input.node);
  }
  if (source.configMapKeyRef !== undefined) {
    const { name = '', key, optional } = source.configMapKeyRef;
    const map = await configMapFor(input, name, optional);
    const value = memberOf(map?.data ?? {}, key);
    if (value !== undefined) return value;
    if (optional === true) return undefined;
    throw new ContainerConfigError(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
  }
  if (source.secretKeyRef !== undefined) {
    const { name = '', key, optional } = source.secretKeyRef;
    const secret = await secretFor(input, name, optional);
    const value = memberOf(secret?.data ?? {}, key);
    if (value !== undefined) return decodeText(value);
    if (optional === true) return undefined;
    throw new ContainerConfigError(`couldn't find key ${key} in Secret ${namespace}/${name}`);
  }
  if (source.fileKeyRef !== undefined) return readFileKey(input, source.fileKeyRef);
  throw new ContainerConfigError('the source of a variable is not known');
}

/** A variable of a file that another container of the pod has written. As upstream: empty is not there. */
async function readFileKey(input: EnvInput, ref: FileKeySelector): Promise<string | undefined> {
  const { volumeName, path, key, optional } = ref;
  const file = await input.volumeFile(volumeName, path);
  if (file === undefined)
    throw new ContainerConfigError(`cannot find the volume "${volumeName}" referenced by FileKeyRef`);
  let value: string | undefined;
  try {
    const text = await file.text();
    if (text === undefined) throw new EnvFileError(0, 'no such file');
    value = variableInFile(text, key);
  } catch (error) {
    throw new ContainerConfigError("couldn't parse env file", error);
  }
  if (value !== undefined && value !== '') return value;
  if (optional === true) return undefined;
  throw new ContainerConfigError(`environment variable key "${key}" not found in file "${file.hostPath}"`);
}

async function configMapFor(
  input: EnvInput,
  name: string,
  optional: boolean | undefined,
): Promise<ConfigMap | undefined> {
  const map = await input.configMap(name);
  if (map === undefined && optional !== true) throw new ContainerConfigError(`configmap "${name}" not found`);
  return map;
}

async function secretFor(input: EnvInput, name: string, optional: boolean | undefined): Promise<Secret | undefined> {
  const secret = await input.secret(name);
  if (secret === undefined && optional !== true) throw new ContainerConfigError(`secret "${name}" not found`);
  return secret;
}

function decodeText(base64: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(base64ToBytes(base64));
}
