import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceInfo } from '@binnacle/api';
import { StatusError } from '@binnacle/machinery';
import type { KubeObject, UserInfo } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../ports/admission.ts';

/** What a test of admission says about a request; `resource` as `pods` or `leases.coordination.k8s.io/status`. */
export interface AdmissionCase {
  readonly operation: AdmissionOperation;
  readonly resource: string;
  readonly object?: object;
  readonly before?: object;
  readonly user?: UserInfo;
  readonly namespace?: string;
  readonly name?: string;
  readonly namespaceObject?: object;
}

const USER: UserInfo = { name: 'alice', groups: ['system:authenticated'] };

export function admissionOf(given: AdmissionCase): AdmissionAttributes {
  const [resourceAndGroup = '', subresource = ''] = given.resource.split('/');
  const [resource = '', ...group] = resourceAndGroup.split('.');
  const object = given.object as KubeObject | undefined;
  const before = given.before as KubeObject | undefined;
  const shown = object ?? before;
  const info = infoOf(group.join('.'), resource);
  return {
    operation: given.operation,
    info,
    kind: info,
    options: { metadata: {} },
    namespaceObject: given.namespaceObject as KubeObject | undefined,
    signal: undefined,
    versions: [info],
    round: 0,
    requestAnotherRound: () => undefined,
    inVersion: (asked) => Promise.resolve(asked),
    rebuild: (value) => Promise.resolve(value as KubeObject),
    layOver: (asked, configuration) => ({ ...asked, ...configuration }),
    subresource,
    namespace: given.namespace ?? shown?.metadata.namespace ?? '',
    name: given.name ?? shown?.metadata.name ?? '',
    user: given.user ?? USER,
    dryRun: false,
    object,
    before,
    warn: () => undefined,
    annotate: () => undefined,
    waited: () => undefined,
  };
}

/** Runs one plugin as the pipeline does. Returns the message of the refusal, or undefined. */
export async function runAdmission(plugin: AdmissionPlugin, given: AdmissionCase): Promise<string | undefined> {
  const attributes = admissionOf(given);
  if (!plugin.handles(attributes.operation, attributes.info, attributes.subresource)) return undefined;
  try {
    await plugin.admit?.(attributes);
    await plugin.validate?.(attributes);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}

/** One request and the message of its refusal (undefined: it passes). */
export type AdmissionRow = readonly [name: string, given: AdmissionCase, refusal: string | undefined];

/** Makes a test of every row. */
export function admissionTable(plugin: AdmissionPlugin, rows: readonly AdmissionRow[]): void {
  for (const [name, given, refusal] of rows) {
    test(name, async () => assert.equal(await runAdmission(plugin, given), refusal));
  }
}

function infoOf(group: string, resource: string): ResourceInfo {
  return {
    group,
    version: 'v1',
    resource,
    singular: '',
    kind: '',
    listKind: '',
    namespaced: !['nodes', 'namespaces', 'priorityclasses', 'clusterroles', 'clusterrolebindings'].includes(resource),
    shortNames: [],
    categories: [],
    verbs: [],
    subresources: [],
    schema: '',
    virtual: false,
    storagePrefix: resource,
    storage: { group, version: 'v1', kind: '' },
  };
}
