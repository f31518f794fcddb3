import { callEach, status } from '@binnacle/machinery';
import type { ApiCall, CallSink, KubeObject, Wire } from '@binnacle/machinery';
import type { GuaranteedUpdate } from '../ports/guaranteed-update.ts';
import type { MemoryCache } from './memory-cache.ts';

/** Calls that land in a MemoryCache: create, delete and guaranteed update, enough for what policy writes. */
export class MemoryLoopback implements Wire {
  readonly #cache: MemoryCache;
  readonly calls: ApiCall[] = [];

  constructor(cache: MemoryCache) {
    this.#cache = cache;
  }

  async call(call: ApiCall): Promise<unknown> {
    this.calls.push(call);
    await Promise.resolve();
    const { resource, namespace = '', verb } = call;
    const body = call.body as KubeObject | undefined;
    const name = call.name ?? body?.metadata.name ?? '';
    const existing = this.#cache.get(resource, namespace, name);
    if (verb === 'create' && body !== undefined) {
      if (existing !== undefined) throw status.alreadyExists(resource, name);
      this.#cache.put(resource, structuredClone(body));
      return body;
    }
    if (existing === undefined) throw status.notFound(resource, name);
    if (verb === 'delete' && call.query?.['dryRun'] === undefined) this.#cache.remove(resource, namespace, name);
    return existing;
  }

  batch(calls: readonly ApiCall[], settled: CallSink): Promise<void> {
    return callEach((call) => this.call(call), calls, settled);
  }

  readonly update: GuaranteedUpdate = (target, change, options) => {
    const existing = this.#cache.get(target.resource, target.namespace, target.name);
    if (existing === undefined) return Promise.reject(status.notFound(target.resource, target.name));
    const draft = structuredClone(existing);
    try {
      change(draft);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    if (options?.dryRun !== true) this.#cache.put(target.resource, draft);
    return Promise.resolve(draft);
  };

  watch(): never {
    throw status.badRequest('policy watches nothing over the wire');
  }

  raw(): Promise<never> {
    return this.open();
  }

  open(): Promise<never> {
    return Promise.reject(status.badRequest('policy reads no paths'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
