import type { ResourceInfo } from '@binnacle/api';
import type { GroupVersionKind, KubeObject, UserInfo } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../ports/admission.ts';
import type { AnyCall } from '../catalogue/definition.ts';
import { writeOptions } from './write-options.ts';

/** One change on its way through the admission plugins. */
export interface AdmittedChange {
  readonly operation: AdmissionOperation;
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly name: string;
  /** Absent: the resource's own. */
  readonly kind?: GroupVersionKind;
  /** Absent: those of the query. */
  readonly options?: KubeObject;
}

/** The Namespace of that name, as the cache has it. */
export type NamespaceReader = (name: string) => KubeObject | undefined;

/** The admission plugins, in order: first those that change, then those that only look. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #namespaces: NamespaceReader;

  constructor(plugins: readonly AdmissionPlugin[], namespaces: NamespaceReader) {
    this.#plugins = plugins;
    this.#namespaces = namespaces;
  }

  /** Runs the plugins that change objects, in order. */
  async admit(call: AnyCall, change: AdmittedChange): Promise<void> {
    const asked = new Attributes(call, change, this.#namespaces);
    for (const plugin of this.#plugins) {
      if (!plugin.handles(asked.operation, asked.info, asked.subresource)) continue;
      const waiting = plugin.admit?.(asked);
      if (waiting !== undefined) await waiting;
    }
  }

  /** Runs the plugins that only look, after the object is valid. */
  async validate(call: AnyCall, change: AdmittedChange): Promise<void> {
    const asked = new Attributes(call, change, this.#namespaces);
    for (const plugin of this.#plugins) {
      if (!plugin.handles(asked.operation, asked.info, asked.subresource)) continue;
      const waiting = plugin.validate?.(asked);
      if (waiting !== undefined) await waiting;
    }
  }
}

/** Made once for each pass; what is seldom asked for is found when it is. */
class Attributes implements AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly info: ResourceInfo;
  readonly subresource: string;
  readonly namespace: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly #call: AnyCall;
  readonly #change: AdmittedChange;
  readonly #namespaces: NamespaceReader;

  constructor(call: AnyCall, change: AdmittedChange, namespaces: NamespaceReader) {
    this.operation = change.operation;
    this.object = change.object;
    this.before = change.before;
    this.name = change.name;
    this.info = call.served.info;
    this.kind = change.kind ?? call.served.info;
    this.subresource = call.info.subresource;
    this.namespace = call.info.namespace;
    this.user = call.user;
    this.dryRun = call.dryRun;
    this.#call = call;
    this.#change = change;
    this.#namespaces = namespaces;
  }

  get options(): KubeObject {
    return this.#change.options ?? writeOptions(this.#call.info.verb, this.#call.query);
  }

  get namespaceObject(): KubeObject | undefined {
    return this.info.namespaced ? this.#namespaces(this.namespace) : undefined;
  }

  get signal(): AbortSignal | undefined {
    return this.#call.request.signal;
  }

  warn(message: string): void {
    this.#call.warn(message);
  }

  annotate(key: string, value: string): void {
    this.#call.annotate(key, value);
  }
}
