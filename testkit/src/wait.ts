import type { ResourceRef } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import type { KubeObject, WatchEvent } from '@binnacle/machinery';
import { TestkitError } from './errors.ts';

/** What to wait for. The predicate sees all objects of the resource that the selector leaves. */
export interface Wait<T extends KubeObject> {
  readonly client: Client;
  readonly resource: ResourceRef<T>;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly name?: string;
  /** Named in the message of a failure. */
  readonly what: string;
  readonly until: (objects: readonly T[]) => boolean;
  readonly deadlineMs?: number;
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

/** Lists, then watches, until the predicate holds; no polling. Answers with the objects at that moment. */
export async function waitFor<T extends KubeObject>(wait: Wait<T>): Promise<readonly T[]> {
  const api = wait.client.resource(wait.resource, wait.namespace);
  const query = {
    ...(wait.labelSelector === undefined ? {} : { labelSelector: wait.labelSelector }),
    ...(wait.name === undefined ? {} : { fieldSelector: `metadata.name=${wait.name}` }),
  };
  const list = await api.list(query);
  const seen = new Map(list.items.map((o) => [keyOf(o), o]));
  if (wait.until([...seen.values()])) return [...seen.values()];
  const deadlineMs = wait.deadlineMs ?? 60_000;
  return new Promise((resolve, reject) => {
    let finished = false;
    const finish = (error?: unknown): void => {
      if (finished) return;
      finished = true;
      clearTimeout(timer);
      handle.stop();
      if (error === undefined) resolve([...seen.values()]);
      else reject(error);
    };
    const timer = setTimeout(() => {
      const state = JSON.stringify(
        [...seen.values()].map((o) => ({
          name: keyOf(o),
          deletionTimestamp: o.metadata.deletionTimestamp,
          finalizers: o.metadata.finalizers,
          status: (o as { status?: unknown }).status,
        })),
      );
      finish(new TestkitError(`waited ${deadlineMs} ms for ${wait.what}; there is: ${state.slice(0, 4000)}`));
    }, deadlineMs);
    const take = (event: WatchEvent<T>): boolean => {
      if (event.type === 'BOOKMARK') return false;
      if (event.type === 'DELETED') seen.delete(keyOf(event.object));
      else seen.set(keyOf(event.object), event.object);
      return wait.until([...seen.values()]);
    };
    const handle = api.watch(
      { ...query, resourceVersion: list.resourceVersion },
      {
        events(batch) {
          try {
            if (batch.some(take)) finish();
          } catch (error) {
            // Of the predicate: a sink must not throw, and the test is to hear of it.
            finish(error);
          }
        },
        end: (error) => finish(error ?? new TestkitError(`the watch ended while waiting for ${wait.what}`)),
      },
    );
  });
}
